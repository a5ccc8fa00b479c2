import { excerpt } from '../text/excerpt.ts'
import { oneLine } from '../text/one-line.ts'
import type { RankedRow } from './ranking/rank.ts'

/** The rows in a language of the documentation. All rows, and a sentence, if none is in it: agents send programming languages, too. */
export function inLanguage(ranked: RankedRow[], language = ''): { ranked: RankedRow[]; ignored: string[] } {
  const wanted = normal(language)
  if (wanted === '') return { ranked, ignored: [] }
  const isWanted = (code: string) => code === wanted || code.startsWith(`${wanted}-`)
  const rows = ranked.filter(({ row }) => isWanted(normal(row.docsLanguage ?? '')))
  if (rows.length > 0) return { ranked: rows, ignored: [] }
  const shown = JSON.stringify(oneLine(excerpt(language, 40)))
  return { ranked, ignored: [`docsLanguage ${shown} is ignored: nothing in a documentation language of this name was found.`] }
}

const normal = (code: string): string => code.trim().toLowerCase().replace('_', '-')
