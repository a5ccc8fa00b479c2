import { readFileSync } from 'node:fs'
import { join } from 'node:path'
import { type GetTextTranslation, po } from 'gettext-parser'
import { UsageError } from '../../../shared/cli/usage-error.ts'
import { filesIn } from '../files-in.ts'
import type { Report } from '../report.ts'
import type { SentencePair } from './sentence-pair.ts'
import { withoutMarkup } from './without-markup.ts'

/** The finished translations in the gettext catalogues of a folder. Skips a catalogue that is broken or in another language, with a report. */
export function* readCatalogues(folder: string, language: string, report: Report): Generator<SentencePair> {
  const paths = filesIn(folder, ['.po'])
  if (paths.length === 0)
    throw new UsageError(`${folder} has no catalogues (*.po). Check out the branch that has the translation.`)
  let pairs = 0
  for (const path of paths) {
    for (const pair of readCatalogue(join(folder, path), path, language, report)) {
      pairs += 1
      yield pair
    }
  }
  if (pairs === 0) throw new UsageError(`No catalogue in ${folder} has a finished translation to ${language}.`)
}

function* readCatalogue(file: string, part: string, language: string, report: Report): Generator<SentencePair> {
  const catalogue = parse(file, report)
  if (catalogue === undefined) return
  const declared = Object.entries(catalogue.headers).find(([name]) => name.toLowerCase() === 'language')?.[1] ?? ''
  if (declared !== '' && primary(declared) !== primary(language)) {
    report(`${file}: skipped, its language is ${declared}, not ${language}`)
    return
  }
  for (const messages of Object.values(catalogue.translations))
    for (const message of Object.values(messages)) yield* pairsOf(message, part)
}

/** A damaged message may lack its translation. */
type Message = Omit<GetTextTranslation, 'msgstr'> & { msgstr?: string[] }

function* pairsOf({ msgid, msgid_plural, msgstr = [], comments }: Message, part: string): Generator<SentencePair> {
  const translated = msgstr.at(-1) ?? ''
  const original = msgstr.length > 1 ? (msgid_plural ?? msgid) : msgid
  if (original === '' || translated === '' || translated === original || comments?.flag?.includes('fuzzy')) return
  yield { english: withoutMarkup(original), foreign: withoutMarkup(translated), part }
}

function parse(file: string, report: Report) {
  try {
    return po.parse(readFileSync(file))
  } catch (error) {
    report(`${file}: skipped, it is not a valid catalogue (${error instanceof Error ? error.message : String(error)})`)
    return undefined
  }
}

const primary = (language: string) => language.toLowerCase().split(/[-_@.]/)[0]
