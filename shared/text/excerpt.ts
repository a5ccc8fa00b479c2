/** The start of a text that someone else wrote, for a message. */
export const excerpt = (text: string, maxChars = 100): string => text.slice(0, maxChars)

/** The same, with `…` for the rest. */
export const shortened = (text: string, maxChars: number): string =>
  text.length > maxChars ? `${text.slice(0, maxChars)}…` : text
