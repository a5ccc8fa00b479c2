import { type Flag, shortLanguage } from '../snippet.ts'
import { countTokens } from '../text/count-tokens.ts'
import { fence } from '../text/fence.ts'
import type { Block, Origin, Page, Section } from './page/page.ts'

/** A section of a page, or a window of a long one: stored and ranked as one snippet. */
export type Chunk = {
  /** `[page title … heading]`. */
  breadcrumb: string[]
  /** Markdown of the whole chunk, in its original order. */
  content: string
  prose: string
  code: { language: string; code: string }[]
  /** 1-based line where it starts; 0 if the format has no lines. */
  line: number
  /** 1-based last line of the declaration in code that it starts with. */
  endLine?: number
  /** Path of the file that holds its text, if that is not the page's file. */
  file?: string
  /** Number of the section in its page, shared by the windows of a section. */
  section: number
  docsLanguage?: string
  /** Set if its part of the file hides something from people. */
  flag?: Flag
}

export const wholeTokens = 520
const windowTokens = 400
/** Every chunk of a page carries its title and headings. */
const maxHeadingLength = 300

/** Cuts a page into chunks: a section of at most 520 tokens stays whole, a longer one becomes windows of at most 400 tokens. */
export function chunkPage(page: Page, fallbackTitle: string): Chunk[] {
  const title = shortHeading(page.title?.trim() || fallbackTitle)
  return page.sections.flatMap((section, number) =>
    windows(section).map((blocks, i) => chunkOf(blocks, section, number, title, i)),
  )
}

/** The windows of one section, cut as `chunkPage` cuts them. */
export const chunkBlocks = (blocks: Block[]): Block[][] => windows({ headings: [], line: 0, blocks })

/** Markdown of blocks, in order. A fence is longer than any run of backticks inside it. */
export function render(blocks: Block[]): string {
  return blocks.map(renderBlock).join('\n\n')
}

function chunkOf(blocks: Block[], section: Section, number: number, title: string, window: number): Chunk {
  return {
    breadcrumb: [title, ...section.headings.filter((each) => each !== '').map(shortHeading)],
    content: render(blocks),
    prose: blocks.flatMap((each) => (each.kind === 'prose' ? [each.text] : (each.label ?? []))).join('\n\n'),
    code: blocks.flatMap((each) => (each.kind === 'code' ? [{ language: each.language, code: each.code }] : [])),
    ...startOf(section, blocks, window),
    section: number,
  }
}

/** A first window starts at its heading, unless all of it is from an include. Blocks without lines are where their section is. */
function startOf(section: Section, blocks: Block[], window: number): Origin {
  const [first] = blocks
  const isIncluded = first?.file !== section.file && blocks.every(({ file }) => file === first?.file)
  const isFirst = first && first.line > 0 && (window > 0 || section.line === 0 || isIncluded)
  const { line, endLine, file } = isFirst ? first : section
  return { line, ...(endLine !== undefined && window === 0 && { endLine }), ...(file !== undefined && { file }) }
}

export const shortHeading = (text: string) => (text.length <= maxHeadingLength ? text : `${text.slice(0, maxHeadingLength - 1)}…`)

function windows(section: Section): Block[][] {
  const blocks = section.blocks
    .filter((each) => (each.kind === 'prose' ? each.text : each.code).trim() !== '')
    .map((each) => (each.kind === 'code' ? { ...each, language: shortLanguage(each.language) } : each))
  if (blocks.length === 0) return []
  if (countTokens(render(blocks)) <= wholeTokens) return [blocks]
  const packed: Block[][] = []
  let open: Block[] = []
  let openTokens = 0
  for (const run of groups(blocks)) {
    const tokens = countTokens(render(run))
    if (open.length > 0 && openTokens + tokens > windowTokens) {
      packed.push(open)
      open = []
      openTokens = 0
    }
    open.push(...run)
    openTokens += tokens
  }
  packed.push(open)
  return packed
}

/** Runs of blocks that share a window: variants of one example if they fit, else single blocks, with long blocks cut into pieces. */
function groups(blocks: Block[]): Block[][] {
  const runs: Block[][] = []
  for (const block of blocks) {
    const last = runs.at(-1)
    const before = last?.at(-1)
    if (last && before?.kind === 'code' && block.kind === 'code' && block.group !== undefined && before.group === block.group)
      last.push(block)
    else runs.push([block])
  }
  return runs.flatMap((run) => (countTokens(render(run)) <= windowTokens ? [run] : run.flatMap(pieces).map((piece) => [piece])))
}

function pieces(block: Block): Block[] {
  if (countTokens(renderBlock(block)) <= windowTokens) return [block]
  const limit = (windowTokens - 20) * 4
  if (block.kind === 'code')
    return breakUp(block.code, limit, '\n').map(({ text, line }) => ({
      ...block,
      code: text,
      line: block.line && block.line + line,
    }))
  return breakUp(block.text, limit, '\n\n').map(({ text, line }) => ({ ...block, text, line: block.line && block.line + line }))
}

/** Cuts text into pieces of at most `limit` characters: at the separator, else at line ends, else at spaces, else anywhere. */
function breakUp(text: string, limit: number, separator: string): { text: string; line: number }[] {
  const parts: { text: string; line: number }[] = []
  let line = 0
  for (let from = 0; from < text.length; ) {
    let to = Math.min(text.length, from + limit)
    if (to < text.length) {
      const reach = text.slice(from, to)
      const at = [separator, '\n', ' '].map((each) => reach.lastIndexOf(each)).find((each) => each > limit / 4)
      if (at !== undefined) to = from + at
      else if (/[\uD800-\uDBFF]$/.test(reach)) to -= 1
    }
    const piece = text.slice(from, to)
    if (piece.trim() !== '') parts.push({ text: piece.replace(/^\n+/, '').trimEnd(), line })
    line += newlines(piece)
    from = to
    while (text[from] === '\n') {
      from += 1
      line += 1
    }
  }
  return parts
}

const newlines = (text: string) => text.split('\n').length - 1

function renderBlock(block: Block): string {
  if (block.kind === 'prose') return block.text
  const code = fence(block.code, block.language)
  return block.label ? `**${block.label}**\n\n${code}` : code
}
