import { francAll } from 'franc-min'
import { proseOnly } from '../../../search/words/analyse.ts'

/** `code` is ISO 639-3; `chars` is the amount of prose that was examined. */
export type PageLanguage = { code: string; chars: number }

/** Shorter text is often mistaken for a similar language. */
const minChars = 120
/** More text does not improve the result. */
const maxChars = 500
/**
 * Lists of names look like some Latin-script language, and nearly as much like English: there the best language leads by at most .06. In
 * prose of another language it leads by .13 or more.
 */
const minLead = 0.09

/** Frequent in English, and rare in all other languages: a page in which they are frequent needs no comparison with eighty languages. */
const englishWords = new Set('the and with this that you your are from which when can it will have'.split(' '))
const minEnglishShare = 0.08

/** The language that a page is written in; undefined if it has too little prose. */
export function pageLanguage(chunks: { prose: string }[]): PageLanguage | undefined {
  let text = ''
  for (const { prose } of chunks) {
    const words = proseOnly(prose.slice(0, 4 * maxChars)).replace(/`[^`\n]*`/g, ' ')
    text += `${words.replace(/[^\p{L}\p{M}]+/gu, ' ')} `
    if (text.length >= maxChars) break
  }
  const read = text.trim().slice(0, maxChars)
  if (read.length < minChars) return undefined
  if (isPlainlyEnglish(read)) return { code: 'eng', chars: read.length }
  const ranked = francAll(read)
  const english = ranked.find(([code]) => code === 'eng')
  const code = english && leadOver(english[1], read) < minLead ? 'eng' : (ranked[0]?.[0] ?? 'und')
  return code === 'und' ? undefined : { code, chars: read.length }
}

function isPlainlyEnglish(text: string): boolean {
  const words = text.toLowerCase().split(' ')
  return words.filter((word) => englishWords.has(word)).length >= minEnglishShare * words.length
}

/** The detector divides the distance by the length of the text, but it depends on the number of different trigrams. */
function leadOver(score: number, text: string): number {
  const trigrams = new Set(Array.from({ length: text.length - 2 }, (_, at) => text.slice(at, at + 3).toLowerCase()))
  return ((1 - score) * text.length) / trigrams.size
}
