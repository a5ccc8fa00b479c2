const charactersPerToken = 4

/** The start of a text, of at most `maxTokens`. Never empty or cut inside a character, since providers reject both. */
export function cutToTokens(text: string, maxTokens: number): string {
  const cut = startOf(text, maxTokens * charactersPerToken).toWellFormed()
  return cut.trim() === '' ? '-' : cut
}

export const firstHalf = (text: string): string => startOf(text, Math.floor(text.length / 2))

function startOf(text: string, characters: number): string {
  if (text.length <= characters) return text
  const splits = isHigh(text.charCodeAt(characters - 1)) && characters > 1
  return text.slice(0, splits ? characters - 1 : characters)
}

const isHigh = (unit: number): boolean => unit >= 0xd800 && unit <= 0xdbff
