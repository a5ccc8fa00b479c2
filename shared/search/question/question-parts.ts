import { tokens } from '../words/analyse.ts'
import { functionWords } from '../words/function-words.ts'

const separators =
  /\??\n[ \t]{0,20}(?:[-*•]|\d{1,2}[.)])[ \t]|\?\s|,? and (?:also |then )?(?=how\b|what\b|which\b|where\b)|,? and also /i
const minWords = 2
const maxParts = 4

/** The questions that a text asks one after the other, at most four. Empty if it is one question. */
export function questionParts(question: string): string[] {
  const parts = question
    .split(separators)
    .map((part) => part.trim())
    .filter((part) => subjectsIn(part) >= minWords)
  return parts.length > 1 ? parts.slice(0, maxParts) : []
}

function subjectsIn(part: string): number {
  let words = 0
  for (const token of tokens(part)) if (!token.words.every((word) => functionWords.has(word))) words += 1
  return words
}
