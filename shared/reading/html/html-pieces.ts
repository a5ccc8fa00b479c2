import type { Piece } from '../page/build-page.ts'
import { layCells } from '../page/lay-cells.ts'
import { headedTable } from '../page/table-blocks.ts'
import {
  attribute,
  below,
  childrenOf,
  elementsOf,
  type HtmlNode,
  hasAttribute,
  isChrome,
  isElement,
  isText,
  oneLine,
  tagOf,
  verbatim,
} from './html-node.ts'
import { unreadTags } from './html-weight.ts'
import { tabsOf } from './tab-sets.ts'

/** `prose` is the finished text since the last heading or code, `text` the current paragraph or list item. */
type Writer = {
  pieces: Piece[]
  prose: string
  text: string
  marker: string
  indent: string
  /** The marks of the quotes around. */
  quote: string
  afterItem: boolean
  /** The name of the next listing, such as that of its file. */
  listing: string
  /** The number of sets of tabs so far. */
  groups: number
  isAside(node: HtmlNode): boolean
}

const setOf = (words: string): Set<string> => new Set(words.split(' '))
const inline = setOf('a abbr b bdi bdo cite del dfn em font i ins label mark q s small span strong sub sup time u var wbr')
const emphasis: Partial<Record<string, string>> = { b: '**', strong: '**', em: '*', i: '*' }
const inlineCode = setOf('code kbd samp tt')
const blockInCell = setOf('pre h1 h2 h3 h4 h5 h6')
/** Around a longer table, a table is the layout of a page. */
const maxNestedChars = 500

/** Headings, Markdown prose and code of an element, in reading order, without nodes that `isAside` excludes. */
export function htmlPieces(root: HtmlNode, isAside: (node: HtmlNode) => boolean): Piece[] {
  const writer: Writer = {
    pieces: [],
    prose: '',
    text: '',
    marker: '',
    indent: '',
    quote: '',
    afterItem: false,
    listing: '',
    groups: 0,
    isAside,
  }
  writeChildren(writer, root, 0)
  endProse(writer)
  return writer.pieces
}

function writeChildren(writer: Writer, node: HtmlNode, depth: number): void {
  for (const child of childrenOf(node)) write(writer, child, below(depth))
}

function write(writer: Writer, node: HtmlNode, depth: number): void {
  if (isText(node)) writer.text += node.nodeValue ?? ''
  if (!isElement(node) || isChrome(node) || writer.isAside(node)) return
  const tag = tagOf(node)
  if (unreadTags.has(tag)) return
  if (tag === 'pre') writeCode(writer, node)
  else if (/^h[1-6]$/.test(tag)) writeHeading(writer, node, Number(tag[1]))
  else if (tag === 'ul' || tag === 'ol') writeList(writer, node, tag === 'ol', depth)
  else if (tag === 'blockquote') writeQuote(writer, node, depth)
  else if (tag === 'br') writer.text += ' '
  else if (tag === 'img') writer.text += attribute(node, 'alt')
  else if (inlineCode.has(tag)) writer.text += asCode(oneLine(verbatim(node)))
  else if (namesListing(node)) {
    endParagraph(writer)
    writer.listing = oneLine(verbatim(node))
  } else if (isFootnoteReference(node)) writer.text += `[${oneLine(verbatim(node))}]`
  else if (emphasis[tag] !== undefined) writeEmphasis(writer, node, emphasis[tag], depth)
  else if (inline.has(tag)) writeChildren(writer, node, depth)
  else {
    endParagraph(writer)
    const tabs = tabsOf(node)
    if (tabs) writeTabs(writer, tabs)
    else if (isSignature(node)) writer.text = asCode(oneLine(verbatim(node)))
    else if (namesAdmonition(node)) writeBold(writer, oneLine(verbatim(node)))
    else if (tag === 'table' && isPlainTable(node)) writeTable(writer, node)
    else writeChildren(writer, node, depth)
    endParagraph(writer)
  }
}

function writeCode(writer: Writer, pre: HtmlNode): void {
  const code = verbatim(pre)
    .replace(/^\s*\n/, '')
    .trimEnd()
  const { listing } = writer
  writer.listing = ''
  endProse(writer)
  if (code === '') return
  writer.pieces.push({ kind: 'code', code, language: htmlLanguage(pre), line: 0, ...(listing !== '' && { label: listing }) })
}

function writeHeading(writer: Writer, heading: HtmlNode, level: number): void {
  endProse(writer)
  const text = oneLine(verbatim(heading))
  if (text !== '') writer.pieces.push({ kind: 'heading', text, level, line: 0 })
}

function writeList(writer: Writer, list: HtmlNode, isOrdered: boolean, depth: number): void {
  const { indent } = writer
  let number = 1
  for (const item of childrenOf(list)) {
    endParagraph(writer)
    const bullet = isOrdered ? `${number++}. ` : '- '
    if (tagOf(item) === 'li') Object.assign(writer, { marker: indent + bullet, indent: indent + ' '.repeat(bullet.length) })
    else number -= isOrdered ? 1 : 0
    write(writer, item, below(depth))
    endParagraph(writer)
    Object.assign(writer, { marker: '', indent })
  }
}

/** True for the bare number that python-markdown and remark write. */
const isFootnoteReference = (node: HtmlNode): boolean =>
  tagOf(node) === 'a' && (/(^|\s)footnote-ref(\s|$)/.test(attribute(node, 'class')) || hasAttribute(node, 'data-footnote-ref'))

/** Docusaurus, Material for MkDocs, Sphinx. */
const namesListing = (node: HtmlNode): boolean =>
  /(^|\s)(codeBlockTitle_\w+|filename|code-block-caption)(\s|$)/.test(attribute(node, 'class'))

/** True for the declaration that Sphinx documents below it. */
const isSignature = (node: HtmlNode): boolean => tagOf(node) === 'dt' && /(^|\s)sig(\s|$)/.test(attribute(node, 'class'))

/** Sphinx and MkDocs, VitePress, Docusaurus, Starlight. */
const namesAdmonition = (node: HtmlNode): boolean =>
  /(^|\s)(admonition-title|custom-block-title|admonitionHeading_\w+|starlight-aside__title)(\s|$)/.test(attribute(node, 'class'))

function writeBold(writer: Writer, text: string): void {
  if (text !== '') writer.text = `**${text}**`
  endParagraph(writer)
}

/** The label of a tab is that of its code, or a bold line if it begins with prose. */
function writeTabs(writer: Writer, tabs: { label: string; panel: HtmlNode }[]): void {
  writer.groups += 1
  const group = writer.groups
  for (const { label, panel } of tabs) {
    const pieces = htmlPieces(panel, writer.isAside)
    if (pieces.length > 0 && pieces[0]?.kind !== 'code') writeBold(writer, label)
    for (const piece of pieces) {
      if (piece.kind === 'prose') {
        addProse(writer, piece.text, false)
        continue
      }
      endProse(writer)
      writer.pieces.push(piece.kind === 'code' ? { label, group, ...piece } : piece)
    }
  }
}

/** Marks emphasised words, unless they contain blocks or are marked already. */
function writeEmphasis(writer: Writer, node: HtmlNode, mark: string, depth: number): void {
  const { prose, pieces, text } = writer
  const piecesBefore = pieces.length
  writeChildren(writer, node, depth)
  if (writer.prose !== prose || pieces.length !== piecesBefore) return
  const added = writer.text.slice(text.length)
  const words = added.trim()
  if (words === '' || words.startsWith('*') || words.endsWith('*')) return
  writer.text = text + added.replace(words, () => mark + words + mark)
}

function writeQuote(writer: Writer, node: HtmlNode, depth: number): void {
  const { quote } = writer
  endParagraph(writer)
  writer.quote = `${quote}> `
  writeChildren(writer, node, depth)
  endParagraph(writer)
  writer.quote = quote
}

function endParagraph(writer: Writer): void {
  const text = oneLine(writer.text).replace(/^(?=```|~~~)/, '\\')
  writer.text = ''
  if (text === '') return
  const { listing } = writer
  writer.listing = ''
  if (listing !== '') addProse(writer, listing, false)
  addProse(writer, (writer.marker || writer.indent) + text, writer.marker !== '')
  writer.marker = ''
}

function addProse(writer: Writer, text: string, isItem: boolean): void {
  const { prose, quote } = writer
  const quoted = quote === '' ? text : text.replace(/^/gm, quote)
  const isSameQuote = quote !== '' && prose.slice(prose.lastIndexOf('\n') + 1).startsWith(quote)
  const gap = isItem && writer.afterItem ? '\n' : isSameQuote ? `\n${quote.trimEnd()}\n` : '\n\n'
  writer.prose += prose === '' ? quoted : gap + quoted
  writer.afterItem = isItem
}

function endProse(writer: Writer): void {
  endParagraph(writer)
  const text = writer.prose.trim()
  if (text !== '') writer.pieces.push({ kind: 'prose', text, line: 0 })
  writer.prose = ''
  writer.afterItem = false
}

/** True if a table can be one Markdown table: no cell holds blocks. */
function isPlainTable(table: HtmlNode): boolean {
  for (const node of elementsOf(table)) {
    if (blockInCell.has(tagOf(node))) return false
    if (node !== table && tagOf(node) === 'table' && verbatim(node).length > maxNestedChars) return false
  }
  return true
}

function writeTable(writer: Writer, table: HtmlNode): void {
  const caption = [...elementsOf(table)].find((node) => tagOf(node) === 'caption')
  for (const text of [caption ? cellText(caption, writer) : '', tableMarkdown(table, writer)])
    if (text !== '') addProse(writer, text, false)
}

function tableMarkdown(table: HtmlNode, writer: Writer): string {
  const rows = rowsOf(table)
    .map((row) => [...childrenOf(row)].filter(isElement))
    .filter((cells) => cells.some((cell) => cellText(cell, writer) !== ''))
  const heads = rows.findIndex((cells) => !cells.every((cell) => tagOf(cell) === 'th'))
  const grid = layCells(
    rows.map((cells) =>
      cells.map((cell) => ({
        cell: [{ kind: 'prose', text: cellText(cell, writer), line: 0 }],
        columns: span(cell, 'colspan'),
        rows: span(cell, 'rowspan'),
      })),
    ),
  )
  return headedTable(grid, heads, 0)
    .map((block) => (block.kind === 'prose' ? block.text : ''))
    .join('\n')
}

/** The rows of a table, without those of tables in its cells. */
const rowsOf = (table: HtmlNode): HtmlNode[] =>
  [...childrenOf(table)].flatMap((child) => {
    if (tagOf(child) === 'tr') return [child]
    return /^t(?:head|body|foot)$/.test(tagOf(child)) ? [...childrenOf(child)].filter((row) => tagOf(row) === 'tr') : []
  })

const span = (cell: HtmlNode, name: 'colspan' | 'rowspan'): number => Number.parseInt(attribute(cell, name), 10) || 1

const cellText = (cell: HtmlNode, { isAside }: Writer): string =>
  htmlPieces(cell, isAside)
    .map((piece) => (piece.kind === 'prose' ? oneLine(inlineTables(piece.text)) : ''))
    .join(' ')

/** Text whose Markdown tables are written as `a, b; c, d`. */
const inlineTables = (text: string): string =>
  text
    .replace(/^\|(?: --- \|)+\n?/gm, '')
    .replace(/^\| (.*) \|$/gm, (_, row: string) => `${row.replaceAll(' | ', ', ')};`)
    .replace(/;\s*$/, '')

function asCode(text: string): string {
  if (text === '' || text.includes('``')) return text
  return text.includes('`') ? `\`\` ${text} \`\`` : `\`${text}\``
}

const byClass = /(?:^|[\s;])(?:language-|lang-|highlight-source-|highlight-(?=[a-z])|brush:\s{0,5}|sourceCode\s{1,5})([\w+#.-]+)/
const byHljs = /(?:^|\s)hljs\s+(?!language-|lang-)([\w+#-]+)/
const noLanguage = new Set(['default', 'none', 'text', 'plaintext', 'plain', 'notranslate', 'source', 'wrapper'])

/** The language of a `<pre>` from the attributes of its `<code>`, itself or its ancestors; empty if none names one. */
function htmlLanguage(pre: HtmlNode): string {
  const code = [...childrenOf(pre)].find((child) => tagOf(child) === 'code')
  for (const node of [code, pre, pre.parentNode, pre.parentNode?.parentNode]) {
    const named = node ? languageIn(node).toLowerCase() : ''
    if (named !== '') return noLanguage.has(named) ? '' : named
  }
  return ''
}

function languageIn(node: HtmlNode): string {
  const classes = attribute(node, 'class')
  const named = attribute(node, 'data-lang') || attribute(node, 'data-language')
  if (tagOf(node) === 'pre' && classes === 'mermaid') return classes
  return named || (byClass.exec(classes)?.[1] ?? byHljs.exec(classes)?.[1] ?? '')
}
