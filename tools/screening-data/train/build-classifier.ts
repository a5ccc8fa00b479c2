import { readFileSync } from 'node:fs'
import { join } from 'node:path'
import { parse } from 'yaml'
import { bestWindow, type Classifier, weightsOf } from '../../../shared/screening/classifier.ts'
import { filesIn } from '../../ranking-data/files-in.ts'
import type { Report } from '../../ranking-data/report.ts'
import { withoutNearDuplicates } from '../attacks/near-duplicates.ts'
import { framed, ownAttacks } from '../attacks/own-attacks.ts'
import { ownOrdinary } from '../attacks/own-ordinary.ts'
import { readTexts } from '../attacks/read-texts.ts'
import { sources as allSources, type Source } from '../sources.ts'
import { readDocuments } from './read-documents.ts'
import { type Example, exampleOf, train } from './train.ts'
import { packed, writeClassifier } from './write-classifier.ts'

export type BuildOptions = { folder: string; heldOut: string; out: string; falseAlarms: number }

const training = { epochs: 6, rate: 0.1, decay: 1e-5, dropout: 0.3, minAttacks: 3 }
const ownCount = 5000
const framesOfGoal = 3
const maxChunks = 4000
/** Attacks are few next to documentation. */
const attackWeight = 2
const ownWeight = 1
const ordinaryWeight = 0.5
/** Hidden text is withheld, so that it has to be this many times rarer. */
const hiddenShare = 5

/** Learns from the checkouts of the sources and writes the classifier. The same checkouts give the same files. */
export async function buildClassifier(
  options: BuildOptions,
  report: Report,
  sources: readonly Source[] = allSources,
): Promise<void> {
  const heldOut = heldOutIn(options.heldOut)
  const examples: Example[] = []
  const unseen: Example[] = []
  const addAttacks = (name: string, texts: string[], weight: number) => {
    const kept = withoutNearDuplicates(texts, heldOut)
    report(`${name}: ${kept.length} attacks, ${texts.length - kept.length} left out because they are held out`)
    for (const text of kept) examples.push(exampleOf(text, true, weight))
  }
  for (const { repo, attacks = [], goals = [], ordinary = [], documents, validation, share = 1 } of sources) {
    const folder = join(options.folder, repo.replace('/', '+'))
    const wrapped = readTexts(folder, goals).flatMap((goal, i) =>
      Array.from({ length: framesOfGoal }, (_, frame) => framed(goal, 100 + i * framesOfGoal + frame)),
    )
    const texts = [...readTexts(folder, attacks), ...wrapped]
    if (texts.length > 0) addAttacks(repo, texts, attackWeight * share)
    for (const text of readTexts(folder, ordinary)) examples.push(exampleOf(text, false, ordinaryWeight))
    if (documents === undefined) continue
    const chunks = await readDocuments(folder, documents, maxChunks)
    report(`${repo}: ${chunks.length} sections${validation ? ' to choose the threshold' : ''}`)
    for (const text of chunks) (validation ? unseen : examples).push(exampleOf(text, false, 1))
  }
  for (const text of ownOrdinary(ownCount)) examples.push(exampleOf(text, false, ordinaryWeight))
  addAttacks('ours', ownAttacks(ownCount), attackWeight * ownWeight)
  const classifier = packed(train(examples, training))
  classifier.threshold = thresholdOf(classifier, unseen, options.falseAlarms)
  classifier.hiddenThreshold = thresholdOf(classifier, unseen, options.falseAlarms / hiddenShare)
  writeClassifier(options.out, classifier)
  const found = examples.filter(({ isAttack }) => isAttack)
  const isFound = (example: Example) => scoreOfExample(classifier, example) >= classifier.threshold
  report(`${found.filter(isFound).length} of the ${found.length} attacks of training are found`)
}

/** The score that just so many unseen sections reach. */
function thresholdOf(classifier: Classifier, unseen: Example[], share: number): number {
  const scores = unseen.map((example) => scoreOfExample(classifier, example)).sort((a, b) => b - a)
  return scores[Math.floor(scores.length * share)] ?? 0
}

const scoreOfExample = (classifier: Classifier, { features }: Example): number =>
  bestWindow(weightsOf(classifier, features), classifier.bias)?.score ?? Number.NEGATIVE_INFINITY

function heldOutIn(folder: string): string[] {
  return filesIn(folder, ['.yaml']).flatMap((path) => [...stringsIn(parse(readFileSync(join(folder, path), 'utf8')))])
}

function* stringsIn(value: unknown): Generator<string> {
  if (typeof value === 'string') yield value
  if (typeof value === 'object' && value !== null) for (const each of Object.values(value)) yield* stringsIn(each)
}
