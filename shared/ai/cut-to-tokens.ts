const charactersPerToken = 4

/** The beginning of a text, of at most so many tokens. No provider takes an empty text, or half a character. */
export function cutToTokens(text: string, maxTokens: number): string {
  const cut = beginning(text, maxTokens * charactersPerToken).toWellFormed()
  return cut.trim() === '' ? '-' : cut
}

export const firstHalf = (text: string): string => beginning(text, Math.floor(text.length / 2))

function beginning(text: string, characters: number): string {
  if (text.length <= characters) return text
  const splits = isHigh(text.charCodeAt(characters - 1)) && characters > 1
  return text.slice(0, splits ? characters - 1 : characters)
}

const isHigh = (unit: number): boolean => unit >= 0xd800 && unit <= 0xdbff
