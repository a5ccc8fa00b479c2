import { dedent, indentOf, type Line, openingFence } from '../syntax/line.ts'

/** A MyST directive: ` ```{name} argument ` or `:::{name} argument`, with its options and its body. */
export type Directive = {
  name: string
  argument: string
  options: Map<string, string>
  body: Line[]
  /** Index of its first line, of its body and of its closing line in the page. */
  from: number
  content: number
  to: number
  indent: string
  mark: '`' | '~' | ':'
  length: number
  at: number
}

const opener = /^([ \t]*)(`{3,}|~{3,}|:{3,})[ \t]*\{([A-Za-z][\w:+-]{0,60})\}[ \t]*([^`]*)$/
const closer = /^[ \t]*(`{3,}|~{3,}|:{3,})[ \t]*$/
const maxLength = 1000
/** Lines that one opening line compares with itself, in search of its closing line. */
const maxCompared = 200
const maxOptions = 60

export const mayHoldDirectives = (lines: Line[]): boolean =>
  lines.some(({ text }) => text.includes('{') && readOpener(text) !== null)

const readOpener = (text: string) => (text.length > maxLength ? null : opener.exec(text))

/** Returns a function that reads the directive at a line; undefined if there is none, or if it does not end before a limit. */
export function directiveReader(lines: Line[]) {
  const runs: { index: number; run: string }[] = []
  /** For each line, the number of runs before it. */
  const before = lines.map(({ text }, index) => {
    const [, run] = (text.length <= maxLength && closer.exec(text)) || []
    if (run !== undefined) runs.push({ index, run })
    return run === undefined ? runs.length : runs.length - 1
  })
  /** The first line after `from` that closes a fence of as many marks. */
  const endOf = (from: number, limit: number, mark: string, column: number): number | undefined => {
    const start = before[from + 1] ?? runs.length
    for (let i = start; i < Math.min(runs.length, start + maxCompared); i++) {
      const { index, run } = runs[i] ?? { index: limit, run: '' }
      if (index >= limit) return undefined
      if (run.startsWith(mark) && indentOf(lines[index]?.text ?? '') < column + 4) return index
    }
    return undefined
  }
  return {
    directive(from: number, limit: number): Directive | undefined {
      const line = lines[from]
      const [, indent = '', mark = '', name = '', argument = ''] = (line?.text.includes('{') && readOpener(line.text)) || []
      const to = mark === '' ? undefined : endOf(from, limit, mark, indentOf(indent))
      if (!line || to === undefined) return undefined
      const inner = lines.slice(from + 1, Math.min(to, from + 1 + maxOptions)).map(({ text }) => dedent(text, indentOf(indent)))
      const { options, length } = readOptions(inner)
      const content = from + 1 + length
      const body = () => lines.slice(content, to).map((each) => ({ ...each, text: dedent(each.text, indentOf(indent)) }))
      return {
        name: name.toLowerCase(),
        argument: argument.trim(),
        options,
        get body() {
          return body()
        },
        from,
        content,
        to,
        indent,
        mark: mark.charAt(0) as Directive['mark'],
        length: mark.length,
        at: line.at,
      }
    },
    /** The index of the line that closes the plain fence that a line opens, or of the last line before the limit. */
    endOfFence(from: number, limit: number): number | undefined {
      const fence = openingFence(lines[from]?.text ?? '')
      return fence && (endOf(from, limit, fence.mark.repeat(fence.length), fence.column) ?? limit - 1)
    },
  }
}

/** `:name: value` lines, or the same between two lines `---`. `length` is the number of lines that they take. */
function readOptions(lines: string[]): { options: Map<string, string>; length: number } {
  const options = new Map<string, string>()
  const isYaml = lines[0]?.trim() === '---'
  const end = isYaml ? lines.indexOf('---', 1) : lines.findIndex((text) => !/^:[\w-]+:(?:\s|$)/.test(text))
  const length = end < 0 ? (isYaml ? 0 : lines.length) : isYaml ? end + 1 : end
  for (const text of lines.slice(0, length)) {
    const [, name = '', value = ''] = /^:?([\w-]+):(?:\s(.*))?$/s.exec(text) ?? []
    if (name !== '') options.set(name.toLowerCase(), value.trim())
  }
  return { options, length }
}
