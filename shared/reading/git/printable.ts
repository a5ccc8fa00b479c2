/** Text of a host for use in a message: one line of at most 200 characters. */
export const printable = (text: string): string =>
  text
    .slice(0, 1_000)
    .replace(/[\p{C}\s]+/gu, ' ')
    .trim()
    .slice(0, 200)
    .toWellFormed()
