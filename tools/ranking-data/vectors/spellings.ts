import { readFileSync } from 'node:fs'
import { join } from 'node:path'
import { stem, tokens } from '../../../shared/search/words/analyse.ts'
import type { Report } from '../report.ts'
import { documentsIn } from './read-chunks.ts'

const maxFileBytes = 1_000_000

/** The most frequent spelling of each stem in the documentation of the folders; the stem itself if none is there. */
export async function spellingsOf(stems: string[], folders: string[], report: Report): Promise<string[]> {
  const counts = new Map(stems.map((each) => [each, new Map<string, number>()]))
  for (const folder of folders) {
    for (const path of await documentsIn(folder)) {
      const text = readFileSync(join(folder, path), 'utf8').slice(0, maxFileBytes)
      for (const { words } of tokens(text)) for (const word of words) count(counts.get(stem(word)), word)
    }
    report(`${folder}: spellings counted`)
  }
  return stems.map((each) => mostFrequent(counts.get(each)) ?? each)
}

const count = (spellings: Map<string, number> | undefined, word: string) => spellings?.set(word, (spellings.get(word) ?? 0) + 1)

const mostFrequent = (spellings: Map<string, number> | undefined): string | undefined =>
  [...(spellings ?? [])].sort(([, a], [, b]) => b - a)[0]?.[0]
