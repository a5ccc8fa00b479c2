import { codeInHtml } from '../syntax/code-in-html.ts'
import { type FilePart, readRanges } from '../syntax/file-part.ts'
import { closesFence, dedent, type Fence, fenced, indentOf, infoOf, type Line, openingFence } from '../syntax/line.ts'
import { readTag, type Tag } from '../syntax/tag.ts'

const maxTagLines = 20
const maxBodyLines = 1000
const trigger = /<code-block\b|^\s*\{src=/
const attributes = /^\s*\{(src=[^{}]{1,1000})\}\s*$/

/**
 * Rewrites code of Writerside: `<code-block lang="XML" code="…"/>` and `<code-block>…</code-block>` become fences, and an empty fence with
 * `{src="file" include-lines="1-5"}` below it becomes a listing of the file.
 */
export function rewriteWriterside(lines: Line[]): Line[] {
  if (!lines.some(({ text }) => trigger.test(text))) return lines
  const out: Line[] = []
  let fence: Fence | undefined
  let isClosed = true
  for (let i = 0; i < lines.length; i++) {
    const line = lines[i] as Line
    if (fence) {
      const isEnd = closesFence(line.text, fence)
      const below = i + (lines[i + 1]?.text.trim() === '' ? 2 : 1)
      const source = isEnd && openingFence(lines[i - 1]?.text ?? '') && attributes.exec(lines[below]?.text ?? '')
      if (source) {
        const { src = '', ...options } = attributesOf(source[1] ?? '')
        const opener = out.at(-1) as Line
        out[out.length - 1] = { text: indentationOf(opener.text), at: opener.at, include: listing(src, options, fence.info) }
        i = below
      } else out.push(line)
      if (isEnd) fence = undefined
      continue
    }
    const opened = openingFence(line.text)
    if (opened) fence = opened
    const element =
      isClosed && !opened && /^\s*</.test(line.text) && line.text.includes('<code-block') ? codeBlock(lines, i) : undefined
    if (element === 'unclosed') isClosed = false
    if (element === undefined || element === 'unclosed') out.push(line)
    else {
      out.push(...element.lines)
      i = element.last
    }
  }
  return out
}

const indentationOf = (text: string): string => text.slice(0, text.length - text.trimStart().length)

function listing(src: string, options: Record<string, string>, info: string): NonNullable<Line['include']> {
  const ranges = options['include-lines']
  const part: FilePart = ranges ? { ranges: readRanges(ranges.replaceAll('-', ':'), ':') } : {}
  return { path: src, part, listing: { language: info.split(/\s/)[0] ?? '' } }
}

const attributesOf = (text: string): Record<string, string> => readTag(`<x ${text}>`, 0)?.attributes ?? {}

/** The element that starts in a line, as the lines that replace it. */
function codeBlock(lines: Line[], at: number): { lines: Line[]; last: number } | 'unclosed' | undefined {
  const first = lines[at] as Line
  const start = first.text.indexOf('<code-block')
  const head = lines.slice(at, at + maxTagLines).map(({ text }) => text)
  const tag = readTag(head.join('\n'), start)
  if (!tag || tag.closing) return undefined
  const before = first.text.slice(0, start)
  const indent = indentationOf(first.text)
  const print = (texts: string[], last: number, after: string) => {
    const outer = (text: string) => ({ text: text === '' ? '' : indent + text, at: first.at })
    return { lines: [outer(before.trim()), outer(''), ...texts.map(outer), outer(''), outer(after.trim())], last }
  }
  const tagLines = head.join('\n').slice(0, tag.end).split('\n').length - 1
  const { src, lang = '', title, code } = tag.attributes
  if (tag.selfClosing) {
    const last = at + tagLines
    const after = head.join('\n').slice(tag.end).split('\n', 1)[0] ?? ''
    if (src === undefined)
      return print(code === undefined ? [] : fenced(codeInHtml(code).split('\n'), infoOf(lang, title)), last, after)
    const { lines: around } = print([], last, after)
    return { lines: [{ text: indent, at: first.at, include: listing(src, tag.attributes, lang) }, ...around], last }
  }
  return bodyOf(lines, at, tag, print)
}

function bodyOf(
  lines: Line[],
  at: number,
  { end, attributes: { lang = '', title } }: Tag,
  print: (texts: string[], last: number, after: string) => { lines: Line[]; last: number },
): { lines: Line[]; last: number } | 'unclosed' {
  const start = lines[at]?.text.indexOf('<code-block') ?? 0
  const rest = lines.slice(at, at + maxBodyLines)
  const last = rest.findIndex(({ text }, i) => text.indexOf('</code-block>', i === 0 ? start : 0) >= 0)
  if (last < 0) return 'unclosed'
  const text = rest
    .slice(0, last + 1)
    .map((line) => line.text)
    .join('\n')
  const close = text.lastIndexOf('</code-block>')
  const body = text.slice(end, close)
  const [, cdata] = /^\s*<!\[CDATA\[(.*)\]\]>\s*$/s.exec(body) ?? []
  const code = (cdata ?? codeInHtml(body)).replace(/^[ \t]*\n/, '').trimEnd()
  const rows = code.split('\n')
  const margin = rows.reduce((min, row) => (row.trim() === '' ? min : Math.min(min, indentOf(row))), 100)
  const texts = rows.map((row) => dedent(row, margin))
  return print(
    texts.every((row) => row.trim() === '') ? [] : fenced(texts, infoOf(lang, title)),
    at + last,
    text.slice(close + '</code-block>'.length),
  )
}
