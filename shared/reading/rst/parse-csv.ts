/** The option `delim` of a table, which may be `tab` or `space`. */
export const delimiterOf = (options: ReadonlyMap<string, string>): string =>
  ({ tab: '\t', space: ' ' })[options.get('delim') ?? ''] ?? options.get('delim') ?? ','

/** Rows of trimmed cells, without empty rows. A cell in quotes may hold delimiters and line breaks. */
export function parseCsv(text: string, delimiter: string): string[][] {
  const rows: string[][] = []
  let row: string[] = []
  let cell = ''
  let quoted = false
  const endCell = () => {
    row.push(cell.trim())
    cell = ''
  }
  for (let at = 0; at < text.length; at++) {
    const char = text[at] ?? ''
    if (char === '"' && quoted && text[at + 1] === '"') cell += text[++at]
    else if (char === '"' && (quoted || cell.trim() === '')) quoted = !quoted
    else if (char === delimiter && !quoted) endCell()
    else if (char === '\n' && !quoted) {
      endCell()
      if (row.some((value) => value !== '')) rows.push(row)
      row = []
    } else cell += char
  }
  endCell()
  if (row.some((value) => value !== '')) rows.push(row)
  return rows
}
