const maxChars = 100_000
/** Each takes the renderer more than linear time or stack. Text that people write has far fewer. */
const maxTableCells = 20_000
const maxTildes = 1_000
const deeplyNested = /^(?:[ \t]*(?:>|[-*+](?=[ \t])|\d{1,9}[.)](?=[ \t]))){50}/m
/** The line below the head of a table; it may be in a quotation. */
const delimiterRow = /^[ \t\r>|:-]+$/

/** False for Markdown that would keep the browser busy for seconds. It is shown as it is written. Takes linear time. */
export function isModestMarkdown(markdown: string): boolean {
  if (markdown.length > maxChars || deeplyNested.test(markdown)) return false
  if (occurrences(markdown, '~') > maxTildes) return false
  const lines = markdown.split('\n')
  const columns = lines.map((line) => (line.includes('-') && delimiterRow.test(line) ? line.split('|').length : 0))
  return columns.reduce((most, each) => Math.max(most, each), 0) * (lines.length - 1) <= maxTableCells
}

const occurrences = (text: string, sign: string): number => text.split(sign).length - 1
