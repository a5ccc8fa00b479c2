import type { Block, Section } from '../page/page.ts'
import type { Line } from './pdf-lines.ts'

/** How much larger than the text a heading is. */
const headingScale = 1.14
const maxHeadingChars = 200
const maxLevels = 4
/** A larger gap between lines, in their size, ends a paragraph. */
const paragraphGap = 1.65
/** Fewer pages do not show what repeats at their edges. */
const minPages = 3
/** Width of a character of a monospaced font, in its size. */
const codeWidth = 0.6
const bullet = /^(?:[•◦▪‣–*·]|\d{1,3}[.)]|[a-z][.)])\s/

/** The sections of a PDF, a new one for each heading and each page: `line` is the 1-based number of the page. */
export function pdfSections(pages: readonly Line[][]): Section[] {
  const cleaned = withoutEdges(pages)
  const levels = headingLevels(cleaned.flat())
  const sections: Section[] = []
  const headings: string[] = []
  for (const [at, lines] of cleaned.entries()) {
    for (const run of headingRuns(lines, levels)) {
      if (run.level !== undefined) {
        headings.splice(run.level)
        while (headings.length < run.level) headings.push('')
        headings.push(run.lines.map(({ text }) => text).join(' '))
        sections.push({ headings: [...headings], line: at + 1, blocks: [] })
      } else {
        const last = sections.at(-1)
        const blocks = blocksOf(run.lines)
        if (last?.line === at + 1) last.blocks.push(...blocks)
        else sections.push({ headings: [...headings], line: at + 1, blocks })
      }
    }
  }
  return sections
}

type Run = { level: number | undefined; lines: Line[] }

/** Adjacent lines of one level are one heading. */
function headingRuns(lines: readonly Line[], levels: ReadonlyMap<number, number>): Run[] {
  const runs: Run[] = []
  for (const line of lines) {
    const isHeading = !line.isCode && line.text.length <= maxHeadingChars && /\p{L}/u.test(line.text)
    const level = isHeading ? levels.get(line.size) : undefined
    const last = runs.at(-1)
    const isClose = last?.level === undefined || (last.lines.at(-1)?.y ?? 0) - line.y < line.size * paragraphGap
    if (last && last.level === level && isClose) last.lines.push(line)
    else runs.push({ level, lines: [line] })
  }
  return runs
}

/** Levels by font size: sizes that are clearly larger than that of most text, the largest first. */
function headingLevels(lines: readonly Line[]): ReadonlyMap<number, number> {
  const chars = new Map<number, number>()
  for (const { text, size, isCode } of lines) if (!isCode) chars.set(size, (chars.get(size) ?? 0) + text.length)
  const [body = 0] = [...chars].sort((a, b) => b[1] - a[1]).map(([size]) => size)
  const larger = [...chars.keys()].filter((size) => size > body * headingScale).sort((a, b) => b - a)
  return new Map(larger.map((size, rank) => [size, Math.min(rank, maxLevels - 1)]))
}

/** Drops the first and last line of the pages if most pages have the same at the same height, apart from numbers. */
function withoutEdges(pages: readonly Line[][]): readonly Line[][] {
  const full = pages.filter((lines) => lines.length > 1)
  if (full.length < minPages) return pages
  const repeated = (at: 0 | -1) => {
    const counts = new Map<string, number>()
    for (const lines of full) {
      const key = edgeOf(lines.at(at))
      counts.set(key, (counts.get(key) ?? 0) + 1)
    }
    return new Set([...counts].flatMap(([key, count]) => (count * 2 > full.length ? [key] : [])))
  }
  const [tops, bottoms] = [repeated(0), repeated(-1)]
  return pages.map((lines) => {
    const from = lines.length > 1 && tops.has(edgeOf(lines[0])) ? 1 : 0
    const to = lines.length > 1 && bottoms.has(edgeOf(lines.at(-1))) ? -1 : lines.length
    return lines.slice(from, to)
  })
}

const edgeOf = (line: Line | undefined): string => (line ? `${Math.round(line.y)} ${line.text.replace(/\d+/g, '#')}` : '')

/** Runs of lines in a monospaced font are code, other lines paragraphs. */
function blocksOf(lines: readonly Line[]): Block[] {
  const blocks: Block[] = []
  let open: Line[] = []
  const close = () => {
    if (open.length > 0) blocks.push(open[0]?.isCode ? codeBlock(open) : { kind: 'prose', text: joined(open), line: 0 })
    open = []
  }
  for (const line of lines) {
    const last = open.at(-1)
    if (last && (last.isCode !== line.isCode || (!line.isCode && endsParagraph(last, line)))) close()
    open.push(line)
  }
  close()
  return blocks
}

const endsParagraph = (before: Line, line: Line): boolean =>
  before.y - line.y > line.size * paragraphGap || line.y > before.y + line.size || bullet.test(line.text)

function joined(lines: readonly Line[]): string {
  let text = ''
  for (const { text: line } of lines) {
    if (/\p{Ll}-$/u.test(text) && /^\p{Ll}/u.test(line)) text = text.slice(0, -1) + line
    else text += text === '' ? line : ` ${line}`
  }
  return text
}

/** Lines with their indents as spaces; a gap taller than a line becomes an empty line. */
function codeBlock(lines: readonly Line[]): Block {
  const left = Math.min(...lines.map(({ x }) => x))
  const printed = lines.flatMap((line, at) => {
    const before = lines[at - 1]
    const isApart = before !== undefined && before.y - line.y > line.size * 2
    const indent = Math.max(0, Math.round((line.x - left) / (line.size * codeWidth)))
    return [...(isApart ? [''] : []), ' '.repeat(indent) + line.text.trimStart()]
  })
  return { kind: 'code', code: printed.join('\n'), language: '', line: 0 }
}
