/** A word in lower case without a plural s, and the number of its sentence. */
export type Word = { word: string; sentence: number; at: number }

/** Words of letters and digits, also names such as `.env` and `~/.ssh/id_rsa`; or the end of a sentence. */
const token = /[\p{L}\p{N}_~@$][\p{L}\p{N}_~@$/’'.-]*|\.[a-z][a-z/_.-]*|[!?;:](?=\s|$)|\n[ \t]*\n|\n[ \t]*(?:[-*#|>]|\d+\.)/giu

export function wordsOf(text: string): Word[] {
  const words: Word[] = []
  let sentence = 0
  for (const match of text.matchAll(token)) {
    const [found] = match
    const first = found.charCodeAt(0)
    if (first === newline || first === exclamation || first === question || first === semicolon || first === colon) sentence++
    else {
      const word = withoutEnding(found)
      if (word !== '') words.push({ word: singular(word.toLowerCase()), sentence, at: match.index })
      if (found.endsWith('.')) sentence++
    }
  }
  return words
}

function withoutEnding(word: string): string {
  let end = word.length
  while (end > 0 && "’'./-".includes(word.charAt(end - 1))) end--
  return word.slice(0, end)
}

const newline = 10
const exclamation = 33
const question = 63
const semicolon = 59
const colon = 58

/** Good enough to compare words with words of a table that went through it, too. */
export function singular(word: string): string {
  const own = word.endsWith("'s") || word.endsWith('’s') ? word.slice(0, -2) : word.replaceAll('’', "'")
  return own.length > 3 && own.endsWith('s') && !own.endsWith('ss') ? own.slice(0, -1) : own
}
