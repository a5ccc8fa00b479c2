const charactersPerToken = 4
const minCharacters = 64

/** The start of a text, of at most `maxTokens`. Never empty or cut inside a character, since providers reject both. */
export function cutToTokens(text: string, maxTokens: number): string {
  const cut = startOf(text, maxTokens * charactersPerToken).toWellFormed()
  return cut.trim() === '' ? '-' : cut
}

/** Ever shorter starts of a text that is too long for a model, but not below 64 characters: no model has a lower limit, and shorter texts mean too little. */
export function* shorterStarts(text: string): Generator<string> {
  for (let start = text; start.length >= 2 * minCharacters; ) {
    start = startOf(start, Math.floor(start.length / 2))
    yield start
  }
}

function startOf(text: string, characters: number): string {
  if (text.length <= characters) return text
  const splits = isHigh(text.charCodeAt(characters - 1)) && characters > 1
  return text.slice(0, splits ? characters - 1 : characters)
}

const isHigh = (unit: number): boolean => unit >= 0xd800 && unit <= 0xdbff
