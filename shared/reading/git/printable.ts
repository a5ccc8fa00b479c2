/** What a host said, as far as it may stand in a sentence of ours: one line of at most 200 characters. */
export const printable = (text: string): string =>
  text
    .slice(0, 1_000)
    .replace(/[\p{C}\s]+/gu, ' ')
    .trim()
    .slice(0, 200)
    .toWellFormed()
