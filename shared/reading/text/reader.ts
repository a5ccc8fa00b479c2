import { buildPage, type Heading, type Piece } from '../page/build-page.ts'
import type { Page, Reader } from '../page/page.ts'

const detectionChars = 20_000
const maxTitleLength = 120

/** Reads plain text. Text that is Markdown or reStructuredText, such as `llms.txt` and older manuals, is read as that. */
export const textReader: Reader = async (text, context): Promise<Page> => {
  const head = text.slice(0, detectionChars)
  if (isMarkdown(head)) return (await import('../markdown/reader.ts')).markdownReader(text, context)
  if (/^\.\. [a-z][\w:-]{0,40}::( |$)/m.test(head)) return (await import('../rst/reader.ts')).rstReader(text, context)
  return buildPage(piecesOf(text.replace(/\r\n?/g, '\n').split('\n')))
}

const isMarkdown = (text: string): boolean =>
  /^\s{0,100}#{1,3} \S/.test(text) && /^(```|~~~|[-*+] |\d{1,3}\. |#{2,6} |> |.{0,200}\]\()/m.test(text)

function piecesOf(lines: string[]): Piece[] {
  const pieces: Piece[] = []
  const marks: string[] = []
  let prose: string[] = []
  const endProse = (end: number) => {
    const blank = prose.findIndex((line) => !isBlank(line))
    if (blank >= 0) pieces.push({ kind: 'prose', text: prose.join('\n').trim(), line: end - prose.length + blank + 1 })
    prose = []
  }
  for (let at = 0; at < lines.length; ) {
    const startsBlock = isBlank(lines[at - 1])
    const block = (startsBlock && titleAt(lines, at, marks)) || fenceAt(lines, at) || (startsBlock && indentedAt(lines, at))
    if (block) endProse(at)
    else prose.push(lines[at] ?? '')
    if (block) pieces.push(block.piece)
    at += block ? block.lines : 1
  }
  endProse(lines.length)
  return pieces
}

type Found = { piece: Piece; lines: number }

/** A line with a rule below it and perhaps one above. The kind of rule that comes first is the highest level. */
function titleAt(lines: string[], at: number, marks: string[]): Found | undefined {
  const over = isRule(lines[at]) ? 1 : 0
  const text = lines[at + over]?.trim() ?? ''
  const rule = lines[at + over + 1]?.trim() ?? ''
  if (text === '' || !isRule(rule) || isRule(text) || (over === 1 && rule[0] !== lines[at]?.[0])) return undefined
  if (text.length > maxTitleLength || rule.length < text.length * 0.6) return undefined
  const mark = `${over}${rule[0]}`
  if (!marks.includes(mark)) marks.push(mark)
  const heading: Heading = { kind: 'heading', text, level: marks.indexOf(mark) + 1, line: at + over + 1 }
  return { piece: heading, lines: over + 2 }
}

function fenceAt(lines: string[], at: number): Found | undefined {
  const [, mark, language = ''] = /^ {0,3}(```+|~~~+(?!~))\s{0,8}([\w+#-]*)(?![\w+#-])[^`]*$/.exec(lines[at] ?? '') ?? []
  if (mark === undefined) return undefined
  let close = at + 1
  while (close < lines.length && !closes(lines[close] ?? '', mark)) close += 1
  const code = lines.slice(at + 1, close).join('\n')
  return { piece: { kind: 'code', code, language: language.toLowerCase(), line: at + 1 }, lines: close - at + 1 }
}

const closes = (line: string, mark: string): boolean => line.trim().startsWith(mark) && new Set(line.trim()).size === 1

function indentedAt(lines: string[], at: number): Found | undefined {
  if (!isIndented(lines[at]) || isBlank(lines[at])) return undefined
  let end = at
  while (end < lines.length && (isBlank(lines[end]) || isIndented(lines[end]))) end += 1
  while (end > at && isBlank(lines[end - 1])) end -= 1
  return { piece: { kind: 'code', code: dedent(lines.slice(at, end)), language: '', line: at + 1 }, lines: end - at }
}

function dedent(lines: string[]): string {
  const margin = lines.reduce(
    (least, line) => (isBlank(line) ? least : Math.min(least, line.length - line.trimStart().length)),
    1_000,
  )
  return lines.map((line) => line.slice(margin)).join('\n')
}

const isBlank = (line: string | undefined): boolean => line === undefined || line.trim() === ''
const isIndented = (line: string | undefined): boolean => /^( {4}|\t)/.test(line ?? '')
const isRule = (line: string | undefined): boolean => /^([=~^"*+#_-])\1{2,}$/.test(line?.trim() ?? '')
