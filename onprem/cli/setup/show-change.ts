import { shortened } from '../../../shared/text/excerpt.ts'
/** The lines that differ, as a person reads them: `-` and `+`, without values that may be secret. */
export function showChange(before = '', after = ''): string[] {
  const [old, changed] = [before, after].map(linesOf) as [string[], string[]]
  const start = commonStart(old, changed)
  const end = commonStart(old.slice(start).reverse(), changed.slice(start).reverse())
  const lines = (text: string, mark: string) =>
    linesOf(withoutValues(text))
      .slice(start, linesOf(text).length - end)
      .map((line) => `${mark} ${line}`)
  return shortenedLines([...lines(before, '-'), ...lines(after, '+')])
}

const maxLines = 30
const maxChars = 200

const linesOf = (text: string): string[] => text.split(/\r?\n/)

/** Removes the strings, which can be keys of other servers, but no lines. Names, addresses up to the path, and types stay. */
const withoutValues = (text: string): string =>
  text.replaceAll(/"(?:[^"\\]|\\.)*"?|'[^'\n]*'?/g, (value, at: number) => {
    const isName = /^\s*[:=]/.test(text.slice(at + value.length, at + value.length + 10))
    if (isName || value === '"http"' || value === '"remote"') return value
    const origin = /^"https?:\/\/[\w.:[\]-]+(?=[/"])/.exec(value)?.[0] ?? '"'
    return `${origin}${origin === '"' ? '' : '/'}…"${'\n'.repeat(value.split('\n').length - 1)}`
  })

function commonStart(a: string[], b: string[]): number {
  const at = a.findIndex((line, index) => line !== b[index])
  return at < 0 ? a.length : at
}

function shortenedLines(lines: string[]): string[] {
  const shown = lines.slice(0, maxLines).map((line) => shortened(line, maxChars))
  return lines.length > maxLines ? [...shown, `  … ${lines.length - maxLines} more lines`] : shown
}
