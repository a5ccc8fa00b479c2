import { execFileSync } from 'node:child_process'
import { existsSync, globSync, mkdtempSync, readFileSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { dirname, join } from 'node:path'
import { z } from 'zod'
import { limits } from '../../shared/indexing/limits.ts'
import { listFiles } from '../../shared/reading/discover/list-files.ts'
import { readDocument } from '../../shared/reading/read-document.ts'
import { readClassifier, scoreOf } from '../../shared/screening/classifier.ts'
import { fileFindings, flagOf } from '../../shared/screening/flag-text.ts'
import { hiddenTexts } from '../../shared/screening/hidden-text.ts'
import { foundIn } from '../../shared/screening/instructions.ts'
import { wordsOf } from '../../shared/screening/words.ts'
import type { Flag } from '../../shared/snippet.ts'
import { type Attack, flagsOfAttack, pageOfAttack, readAttacks } from '../poison/corpus.ts'

const usage = `usage: npm run poison [-- KIT]
Flags the poisoned pages of test/poison and says how many are found, by place, with the pages that no rule was fitted to apart, and by rules, by the
classifier and by both. With the folder of an evaluation kit (npm run eval), also flags the documentation of its corpora, in which every flag is
a false alarm, measures the cost, and says what the classifier would find with fewer and more false alarms.`

const [kit, ...more] = process.argv.slice(2)
if (more.length > 0 || (kit !== undefined && !existsSync(kit))) {
  console.error(usage)
  process.exit(2)
}

const found: Record<string, { found: number; of: number }> = {}
const count = (name: string, isFound: boolean) => {
  const row = found[name] ?? { found: 0, of: 0 }
  found[name] = { found: row.found + (isFound ? 1 : 0), of: row.of + 1 }
}
const missed: string[] = []
const classifier = readClassifier()
const byWhat = { fitted: { rules: 0, classifier: 0, both: 0, of: 0 }, 'held out': { rules: 0, classifier: 0, both: 0, of: 0 } }
const attackScores: { score: number; heldOut: boolean; byRules: boolean }[] = []
for (const attack of readAttacks()) {
  const flags = await flagsOfAttack(attack)
  const isFound = flags.length > 0
  const place = attack.in
  const byRules = flags.some(isOfRules)
  const score = place === 'rules' ? Number.NEGATIVE_INFINITY : await scoreOfAttack(attack)
  attackScores.push({ score, heldOut: attack.heldOut, byRules })
  const row = byWhat[attack.heldOut ? 'held out' : 'fitted']
  row.rules += byRules ? 1 : 0
  row.classifier += score >= classifier.threshold ? 1 : 0
  row.both += isFound ? 1 : 0
  row.of++
  for (const name of [attack.heldOut ? 'held out' : 'fitted', attack.isPublished ? 'published' : 'ours', `  in ${place}`, 'all'])
    count(name, isFound)
  if (!isFound) missed.push(`${attack.file}, ${place}: ${attack.says.slice(0, 120).replaceAll('\n', ' ')}`)
}
console.log('Poisoned pages that are flagged:')
const rows = Object.entries(found).sort(([a], [b]) => Number(a.startsWith(' ')) - Number(b.startsWith(' ')) || (a < b ? -1 : 1))
console.table(Object.fromEntries(rows.map(([name, row]) => [name, { ...row, '%': percent(row.found, row.of) }])))
console.log('Found by:')
console.table(byWhat)
console.log(`Not found:\n${missed.join('\n')}`)
if (kit !== undefined) await falseAlarms(kit)

/** False if only the classifier has found it. */
function isOfRules({ reason }: Flag): boolean {
  return reason.split('; ').some((part) => !part.endsWith('reads like an instruction to an agent'))
}

/** The score of the text that reads most like an instruction, whether or not the page shows it. */
async function scoreOfAttack(attack: Attack): Promise<number> {
  const { path, source, chunks } = await pageOfAttack(attack)
  const hidden = hiddenTexts(source, path).map(({ text }) => text)
  return Math.max(...[...chunks.map(textOf), ...hidden].map(scoreOfText))
}

function textOf({ breadcrumb, content }: { breadcrumb: string[]; content: string }): string {
  return `${breadcrumb.join('\n\n')}\n\n${content}`
}

function scoreOfText(text: string): number {
  const words = wordsOf(text)
  return scoreOf(classifier, words, foundIn(text, words))
}

/** Prints how many attacks the classifier would find if so many chunks of the corpora were false alarms of it. */
function printCurve(scores: number[]): void {
  scores.sort((a, b) => b - a)
  const rows = [0.001, 0.0025, 0.005].map((share) => {
    const least = scores[Math.floor(scores.length * share)] ?? 0
    const found = (heldOut: boolean, withRules: boolean) => {
      const attacks = attackScores.filter((attack) => attack.heldOut === heldOut)
      return `${attacks.filter(({ score, byRules }) => score > least || (withRules && byRules)).length} of ${attacks.length}`
    }
    return [
      `${share * 100} %`,
      {
        fitted: found(false, false),
        'held out': found(true, false),
        'fitted, with rules': found(false, true),
        'held out, with rules': found(true, true),
      },
    ]
  })
  console.log('Found by the classifier at its false alarms:')
  console.table(Object.fromEntries(rows))
}

/** Flags in the corpora of a kit, by corpus, and the time of flagging and of reading. */
async function falseAlarms(folder: string): Promise<void> {
  const Corpus = z.object({ corpus: z.string(), repo: z.string(), bundle: z.string() })
  const table: Record<string, object> = {}
  const total = { files: 0, chunks: 0, flagged: 0, byRules: 0, withheld: 0, readingMs: 0, flaggingMs: 0 }
  const scores: number[] = []
  const work = mkdtempSync(join(tmpdir(), 'poison-corpora-'))
  try {
    for (const file of globSync('*/corpora.json', { cwd: folder }).sort())
      for (const corpus of z.array(Corpus).parse(JSON.parse(readFileSync(join(folder, file), 'utf8')))) {
        const root = join(work, corpus.corpus)
        execFileSync('git', ['clone', '--quiet', '--branch', 'main', join(folder, dirname(file), corpus.bundle), root])
        const row = await flagsOf(root, corpus.repo, scores)
        table[corpus.corpus] = { ...row, '%': percent(row.flagged, row.chunks, 3) }
        for (const name of Object.keys(total) as (keyof typeof total)[]) total[name] += row[name]
      }
  } finally {
    rmSync(work, { recursive: true })
  }
  console.log('False alarms:')
  console.table({ ...table, all: { ...total, '%': percent(total.flagged, total.chunks, 3) } })
  const perChunk = Math.round((total.flaggingMs * 1000) / total.chunks)
  console.log(
    `Flagging takes ${(total.flaggingMs / 1000).toFixed(1)} s of CPU time, ${perChunk} µs per chunk; reading with it ${(total.readingMs / 1000).toFixed(1)} s.`,
  )
  printCurve(scores)
}

async function flagsOf(root: string, repo: string, scores: number[]) {
  const row = { files: 0, chunks: 0, flagged: 0, byRules: 0, withheld: 0, readingMs: 0, flaggingMs: 0 }
  const address = { platform: 'github', webUrl: `https://github.com/${repo}` } as const
  const { paths } = await listFiles(
    { documents: { root, selection: {}, limits: limits.documents } },
    limits.list,
    AbortSignal.timeout(600_000),
  )
  for (const path of paths) {
    const start = process.cpuUsage()
    const result = await readDocument({ root, path, address, commit: 'a'.repeat(40), fileBytes: limits.documents.fileBytes })
    row.readingMs += msSince(start)
    if ('skipped' in result) continue
    row.files++
    const again = process.cpuUsage()
    fileFindings(readFileSync(join(root, path), 'utf8'), path, address.webUrl)
    for (const chunk of result.page.chunks) flagOf(chunk)
    row.flaggingMs += msSince(again)
    row.chunks += result.page.chunks.length
    row.flagged += result.page.chunks.filter(({ flag }) => flag).length
    row.byRules += result.page.chunks.filter(({ flag }) => flag && isOfRules(flag)).length
    for (const chunk of result.page.chunks) scores.push(scoreOfText(textOf(chunk)))
    row.withheld += result.page.chunks.filter(({ flag }) => flag?.concealed).length
  }
  return { ...row, readingMs: Math.round(row.readingMs), flaggingMs: Math.round(row.flaggingMs) }
}

function msSince(start: NodeJS.CpuUsage): number {
  const { user, system } = process.cpuUsage(start)
  return (user + system) / 1000
}

function percent(part: number, of: number, digits = 1): string {
  return ((100 * part) / of).toFixed(digits)
}
