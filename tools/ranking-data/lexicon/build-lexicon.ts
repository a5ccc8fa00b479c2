import { writeFileSync } from 'node:fs'
import { z } from 'zod'
import { readOption } from '../../../shared/cli/read-option.ts'
import { UsageError } from '../../../shared/cli/usage-error.ts'
import { readJson } from '../read-json.ts'
import type { Report } from '../report.ts'
import { buildLanguage, type LanguageLexicon } from './build-language.ts'
import { readCatalogues } from './read-catalogues.ts'
import { readManual } from './read-manual.ts'
import type { SentencePair } from './sentence-pair.ts'

/** `catalogues` and `manual`: sources as `language=folder` and `language=english-folder,folder`. Others are paths of files. */
export type LexiconOptions = { catalogues: string[]; manual: string[]; vocabulary: string; extend?: string; out: string }

const Catalogues = z.string().regex(/^[a-z]{2,3}(-[a-z0-9]+)*=./, 'must be LANGUAGE=FOLDER, such as pt-br=../python-docs-pt-br')
const Manual = z
  .string()
  .regex(/^[a-z]{2,3}(-[a-z0-9]+)*=[^,]+,[^,]+$/, 'must be LANGUAGE=ENGLISH-FOLDER,FOLDER, such as de=../doc-en,../doc-de')
const Model = z.object({ words: z.array(z.string()).min(1) })
const Lexicon = z.record(
  z.string(),
  z.object({
    words: z.record(z.string(), z.array(z.tuple([z.string(), z.number()]))),
    frequent: z.array(z.string()),
  }),
)

type Read = () => Iterable<SentencePair>

/** Builds the languages that have a source, and writes them with those of the lexicon to extend. Throws a usage error. */
export function buildLexicon(options: LexiconOptions, report: Report): void {
  const vocabulary = new Set(readJson('--vocabulary', options.vocabulary, Model).words)
  const lexicon: Record<string, LanguageLexicon> = options.extend ? readJson('--extend', options.extend, Lexicon) : {}
  const sources = sourcesOf(options, report)
  if (sources.size === 0) throw new UsageError('Name at least one source: --catalogues LANGUAGE=FOLDER or --manual.')
  for (const [language, read] of sources) {
    let pairs = 0
    const counted = function* () {
      for (const source of read) {
        for (const pair of source()) {
          pairs += 1
          yield pair
        }
      }
    }
    const built = buildLanguage(counted(), vocabulary)
    lexicon[language] = built
    report(`${language}: ${Object.keys(built.words).length} words from ${pairs} sentence pairs`)
  }
  const sorted = Object.fromEntries(Object.entries(lexicon).sort(([a], [b]) => (a < b ? -1 : 1)))
  writeFileSync(options.out, JSON.stringify(sorted))
}

/** Readers of the sentence pairs by language. */
function sourcesOf({ catalogues, manual }: LexiconOptions, report: Report): Map<string, Read[]> {
  const sources = new Map<string, Read[]>()
  const add = (
    option: string,
    schema: z.ZodType<string>,
    value: string,
    open: (language: string, folders: string) => Iterable<SentencePair>,
  ) => {
    const [language = '', folders = ''] = readOption(option, schema, value).split('=', 2)
    sources.set(language, [...(sources.get(language) ?? []), () => open(language, folders)])
  }
  for (const each of catalogues)
    add('--catalogues', Catalogues, each, (language, folder) => readCatalogues(folder, language, report))
  for (const each of manual) {
    add('--manual', Manual, each, (_, folders) => {
      const [english = '', foreign = ''] = folders.split(',')
      return readManual(english, foreign, report)
    })
  }
  return sources
}
