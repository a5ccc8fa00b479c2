/** The lines that differ, as a person reads them: `-` and `+`, without keys. */
export function showChange(before = '', after = ''): string[] {
  const [old, changed] = [before, after].map((text) => withoutKeys(text).split(/\r?\n/)) as [string[], string[]]
  const start = commonStart(old, changed)
  const end = commonStart(old.slice(start).reverse(), changed.slice(start).reverse())
  const lines = (list: string[], mark: string) => list.slice(start, list.length - end).map((line) => `${mark} ${line}`)
  return shortened([...lines(old, '-'), ...lines(changed, '+')])
}

const maxLines = 30
const maxChars = 200

const withoutKeys = (text: string): string => text.replaceAll(/\b(Bearer )[^"'\s]+/g, '$1…')

function commonStart(a: string[], b: string[]): number {
  const at = a.findIndex((line, index) => line !== b[index])
  return at < 0 ? a.length : at
}

function shortened(lines: string[]): string[] {
  const shown = lines.slice(0, maxLines).map((line) => (line.length > maxChars ? `${line.slice(0, maxChars)}…` : line))
  return lines.length > maxLines ? [...shown, `  … ${lines.length - maxLines} more lines`] : shown
}
