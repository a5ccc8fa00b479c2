import type { AbstractBlock, List, ListItem } from '@asciidoctor/core'
import type { Piece } from '../page/build-page.ts'
import { flatten, listBlocks, prose, tabBlocks, withLead } from '../page/compose-blocks.ts'
import { layCells, type SpanningCell } from '../page/lay-cells.ts'
import type { ReaderContext } from '../page/page.ts'
import { type Cell, headedTable } from '../page/table-blocks.ts'
import { type IncludedTexts, placeInInclude } from './included-texts.ts'
import { markdown, plainText, verbatim } from './inline-converter.ts'
import { readIncludeCode } from './read-include-code.ts'

export type Node = AbstractBlock<string | unknown[]>

export type AsciidocState = {
  includes: IncludedTexts
  context: ReaderContext
  depth: number
  groups: number
  /** True if the blocks are in a tab, which gives their code a label and a group. */
  inTab: boolean
  /** The place of the last block with a line: some blocks in tables have none. */
  line: number
  file: string
}

const maxDepth = 200

type BlockReader = (block: Node, line: number, state: AsciidocState) => Promise<Piece[]>
type Entry = [ListItem[], ListItem | null]
type TableCell = {
  text: string
  style: string | null
  innerDocument: Node | null
  colspan?: number
  rowspan?: number
}
type TableRows = { head: TableCell[][]; body: TableCell[][]; foot: TableCell[][] }

/** Reads the blocks below a node of asciidoctor's tree, in reading order. */
export async function asciidocBlocks(parent: Node, state: AsciidocState): Promise<Piece[]> {
  if (state.depth > maxDepth) throw new Error(`AsciiDoc nests deeper than ${maxDepth} levels`)
  state.depth++
  const pieces: Piece[] = []
  let open: { group: number } | undefined
  for (const block of parent.blocks) {
    const line = lineOf(block, state)
    const { file } = state
    const parts = await (readers[block.context] ?? readContainer)(block, line, state)
    const role = !state.inTab && parts.length === 1 && parts[0]?.kind === 'code' ? block.getRole() : undefined
    if (role === 'primary') open = { group: ++state.groups }
    else if (role !== 'secondary') open = undefined
    for (const part of parts) {
      const piece = { file, ...part }
      pieces.push(open && piece.kind === 'code' ? { label: piece.language, ...piece, ...open } : piece)
    }
  }
  state.depth--
  return pieces
}

const readers: Record<string, BlockReader> = {
  section: readSection,
  preamble: (block, _, state) => asciidocBlocks(block, state),
  floating_title: async (block, line) => prose(`**${titleOf(block)}**`, line),
  admonition: readAdmonition,
  example: readExample,
  listing: readListing,
  literal: readListing,
  stem: readListing,
  pass: async (block, line) => prose(markdown(textOf(block)), line),
  ulist: (block, line, state) => readList(block, line, state, () => '- '),
  olist: (block, line, state) => readList(block, line, state, (index) => `${index + 1}. `),
  colist: (block, line, state) => readList(block, line, state, (index) => `${index + 1}. `),
  dlist: readDescriptions,
  table: readTable,
  image: readImage,
  video: async () => [],
  audio: async () => [],
  paragraph: readParagraph,
  toc: async () => [],
  thematic_break: async () => [],
  page_break: async () => [],
}

async function readSection(block: Node, line: number, state: AsciidocState): Promise<Piece[]> {
  return [{ kind: 'heading', text: titleOf(block), level: block.getLevel() ?? 1, line }, ...(await asciidocBlocks(block, state))]
}

async function readParagraph(block: Node, line: number, state: AsciidocState): Promise<Piece[]> {
  const source = textOf(block)
  if (!source.startsWith('include-code::')) return readContainer(block, line, state)
  const rows = source
    .split('\n')
    .map((row) => readIncludeCode(row, block.document.getAttributes(), state.context, line, ++state.groups))
  return [...boldTitle(block, line), ...rows.flatMap((pieces) => pieces ?? [])]
}

/** A block that holds text or other blocks. */
async function readContainer(block: Node, line: number, state: AsciidocState): Promise<Piece[]> {
  const source = String(block.getAttribute('attribution') ?? '')
  return [
    ...boldTitle(block, line),
    ...flatten(await readInner(block, line, state)),
    ...prose(source === '' ? '' : `-- ${plainText(source)}`, line),
  ]
}

async function readInner(block: Node, line: number, state: AsciidocState): Promise<Piece[]> {
  if (block.contentModel === 'compound') return asciidocBlocks(block, state)
  const content = await block.content()
  return prose(typeof content === 'string' ? markdown(content) : '', line)
}

async function readAdmonition(block: Node, line: number, state: AsciidocState): Promise<Piece[]> {
  const label = plainText(String(block.getAttribute('textlabel') ?? block.style))
  const title = block.hasTitle() ? ` ${titleOf(block)}.` : ''
  return withLead(`**${label}:**${title}`, flatten(await readInner(block, line, state)), line)
}

/** Antora writes tabs as an example block with a description list, one entry per tab. */
async function readExample(block: Node, line: number, state: AsciidocState): Promise<Piece[]> {
  const isTabs = block.style === 'tabs' || block.getAttribute('1') === 'tabs'
  if (!isTabs || !block.blocks.every((child) => child.context === 'dlist')) return readContainer(block, line, state)
  const group = ++state.groups
  const tabs = [boldTitle(block, line)]
  const isNested = state.inTab
  state.inTab = true
  for (const [terms, description] of block.blocks.flatMap(entriesOf)) {
    const label = terms.map((term) => plainText(term.getText() ?? '')).join(', ')
    const at = terms[0] ? lineOf(terms[0], state) : line
    tabs.push(tabBlocks(label, description ? await readItem(description, state) : [], group, at))
  }
  state.inTab = isNested
  return tabs.flat()
}

async function readListing(block: Node, line: number): Promise<Piece[]> {
  const code = await codeOf(block)
  if (code.trim() === '') return []
  const style = block.style ?? ''
  const language = ['source', 'listing', 'literal', ''].includes(style) ? block.getAttribute('language') : style
  const piece: Piece = { kind: 'code', code, language: typeof language === 'string' ? language.toLowerCase() : '', line }
  return [block.hasTitle() ? { ...piece, label: titleOf(block) } : piece]
}

/** Verbatim code, with attributes, quotes and macros applied if the block requests them. */
async function codeOf(block: Node): Promise<string> {
  const subs = block.subs.filter((name) => ['attributes', 'quotes', 'macros'].includes(name))
  if (subs.length === 0) return textOf(block)
  block.subs = ['specialcharacters', ...subs]
  return verbatim(String(await block.content()))
}

const firstRow = (block: Node): string | undefined =>
  'lines' in block && Array.isArray(block.lines) ? block.lines[0] : undefined

const textOf = (block: Node): string =>
  'getSource' in block && typeof block.getSource === 'function' ? String(block.getSource()) : ''

async function readList(block: Node, line: number, state: AsciidocState, markerOf: (index: number) => string): Promise<Piece[]> {
  if (!isList(block)) return []
  const items: { marker: string; pieces: Piece[] }[] = []
  for (const [index, item] of block.getItems().entries()) {
    const box = item.hasAttribute('checkbox') ? (item.hasAttribute('checked') ? '[x]' : '[ ]') : ''
    items.push({ marker: markerOf(index), pieces: withLead(box, await readItem(item, state), lineOf(item, state)) })
  }
  return [...boldTitle(block, line), ...listBlocks(items)]
}

async function readItem(item: ListItem, state: AsciidocState): Promise<Piece[]> {
  const line = lineOf(item, state)
  return [...prose(markdown(item.hasText() ? (item.getText() ?? '') : ''), line), ...flatten(await asciidocBlocks(item, state))]
}

async function readDescriptions(block: Node, line: number, state: AsciidocState): Promise<Piece[]> {
  const entries = [boldTitle(block, line)]
  for (const [terms, description] of entriesOf(block)) {
    const lead = terms.map((term) => `**${markdown(term.getText() ?? '')}**`).join(', ')
    const at = terms[0] ? lineOf(terms[0], state) : line
    entries.push(withLead(`${lead}:`, description ? await readItem(description, state) : [], at))
  }
  return entries.flat()
}

const isList = (block: Node): block is List => ['ulist', 'olist', 'colist'].includes(block.context)

const isEntry = (value: unknown): value is Entry => Array.isArray(value)

const entriesOf = (list: Node): Entry[] => (list.blocks as unknown[]).filter(isEntry)

async function readTable(block: Node, line: number, state: AsciidocState): Promise<Piece[]> {
  const { head, body, foot } = rowsOf(block)
  const read = async (rows: TableCell[][]) => {
    const out: SpanningCell[][] = []
    for (const row of rows) {
      const cells: SpanningCell[] = []
      for (const cell of row)
        cells.push({ cell: await readCell(cell, line, state), columns: cell.colspan ?? 1, rows: cell.rowspan ?? 1 })
      out.push(cells)
    }
    return out
  }
  const rows = layCells([...(await read(head)), ...(await read(body)), ...(await read(foot))])
  return [...boldTitle(block, line), ...headedTable(rows, head.length, line)]
}

const rowsOf = (block: Node): TableRows => ('rows' in block ? (block.rows as TableRows) : { head: [], body: [], foot: [] })

async function readCell(cell: TableCell, line: number, state: AsciidocState): Promise<Cell> {
  if (cell.innerDocument) return (await asciidocBlocks(cell.innerDocument, state)).filter((piece) => piece.kind !== 'heading')
  if (cell.style === 'literal') return [{ kind: 'prose', text: `\`${plainText(cell.text)}\``, line }]
  return [{ kind: 'prose', text: markdown(cell.text), line }]
}

async function readImage(block: Node, line: number): Promise<Piece[]> {
  const alt = block.getAttribute('alt')
  const shown = alt === block.getAttribute('default-alt') || typeof alt !== 'string' ? '' : plainText(alt)
  return [...boldTitle(block, line), ...prose(shown, line)]
}

const boldTitle = (block: Node, line: number): Piece[] => (block.hasTitle() ? prose(`**${titleOf(block)}**`, line) : [])

const titleOf = (block: Node): string => plainText(block.getTitle() ?? '')

function lineOf(block: Node, state: AsciidocState): number {
  const line = block.getLineNumber()
  if (line !== undefined) {
    Object.assign(state, placeInInclude({ file: block.getFile() ?? state.context.path, line }, firstRow(block), state.includes))
  }
  return state.line
}
