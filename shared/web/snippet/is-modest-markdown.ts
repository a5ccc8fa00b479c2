const maxChars = 100_000
/** Each takes the renderer more than linear time or stack. Text that people write has far fewer. */
const maxTableCells = 20_000
const maxTildes = 1_000
const deeplyNested = /^(?:[ \t]*(?:>|[-*+](?=[ \t])|\d{1,9}[.)](?=[ \t]))){50}/m
const delimiterRow = /^[ \t>]*\|?[ \t]*:?-[-:| \t]*$/gm

/** False for Markdown that would keep the browser busy for seconds. It is shown as it is written. Takes linear time. */
export function isModestMarkdown(markdown: string): boolean {
  if (markdown.length > maxChars || deeplyNested.test(markdown)) return false
  if (occurrences(markdown, '~') > maxTildes) return false
  const columns = Math.max(0, ...[...markdown.matchAll(delimiterRow)].map(([row]) => row.split('|').length))
  return columns * occurrences(markdown, '\n') <= maxTableCells
}

const occurrences = (text: string, sign: string): number => text.split(sign).length - 1
