import { stem } from './analyse.ts'
import type { Glossary } from './glossaries.ts'
import { vocabulary } from './vocabulary.ts'

const minPartLetters = 4
/** Letters that join the parts of a German compound. */
const joints = ['', 's', 'n', 'en', 'es']

/** The two parts of a compound such as `Entwicklungsserver`, the second as long as possible; the word itself if it is none. */
export function compoundParts(word: string, glossary: Glossary): string[] {
  if (word.length < 2 * minPartLetters || isWhole(word, glossary)) return [word]
  for (let at = minPartLetters; at <= word.length - minPartLetters; at++) {
    const end = word.slice(at)
    if (!glossary.find(end) && !isEnglish(end)) continue
    const start = word.slice(0, at)
    const first = joints
      .filter((joint) => start.endsWith(joint))
      .map((joint) => start.slice(0, start.length - joint.length))
      .find((each) => each.length >= minPartLetters && glossary.find(each))
    if (first) return [first, end]
  }
  return [word]
}

const isWhole = (word: string, glossary: Glossary): boolean =>
  glossary.frequent.has(word) || (glossary.find(word) ?? glossary.findForm(word)) !== undefined || isEnglish(word)

const isEnglish = (word: string): boolean => vocabulary().find(stem(word)) !== undefined
