import type { Html } from './markdown-node.ts'
import { parseFragment } from './parse-markdown.ts'
import type { PieceWriter } from './piece-writer.ts'
import { plainText } from './syntax/clean-inline.ts'
import { codeInHtml } from './syntax/code-in-html.ts'
import { closesFence, joinLines, type Line, openingFence } from './syntax/line.ts'
import { scopeOf } from './syntax/scope.ts'
import { isElement, isMarkup, readTag, type Tag } from './syntax/tag.ts'
import { lineOf, type Source, writeTree } from './write-tree.ts'

const blocks = new Set(
  `p div section article header footer main nav table thead tbody tfoot tr ul ol dl dt dd details figure figcaption blockquote center hr
  br caption form fieldset picture video`.split(/\s+/),
)
const dropped = new Set(['script', 'style', 'svg', 'math', 'noscript'])

/** Writes a block of HTML: drops tags, keeps text as Markdown, `pre` as code, `h1`…`h6` as headings, components as scopes. */
export function writeHtml(node: Html, source: Source, writer: PieceWriter): void {
  const html = node.value
  const unclosed = new Set<string>()
  let lines: Line[] = []
  let at = lineOf(node, source)
  let text = ''
  let row = 0
  let i = 0

  const endLine = () => {
    if (text.trim() === '') return
    lines.push({ text: text.trim(), at })
    text = ''
  }
  const endParagraph = () => {
    endLine()
    lines.push({ text: '', at })
  }
  const flush = () => {
    endLine()
    writeFragment(lines, source, writer)
    lines = []
  }
  const skipTo = (end: number) => {
    row += html.slice(i, end).split('\n').length - 1
    at = lineOf(node, source, row)
    i = end
  }
  /** The content up to the closing tag of `tag`; undefined if this block does not close it. */
  const contentOf = (tag: Tag): { content: string; end: number } | undefined => {
    const name = tag.name.toLowerCase()
    const close = new RegExp(`</${name}\\s{0,20}>`, 'gi')
    close.lastIndex = tag.end
    const match = unclosed.has(name) ? null : close.exec(html)
    if (!match) unclosed.add(name)
    return match ? { content: html.slice(tag.end, match.index), end: match.index + match[0].length } : undefined
  }

  const readElement = (tag: Tag): number => {
    const name = tag.name.toLowerCase()
    const whole = !tag.closing && /^(h[1-6]|summary|pre|script|style|svg|math|noscript)$/.test(name) ? contentOf(tag) : undefined
    if (dropped.has(name)) return whole?.end ?? (tag.closing ? tag.end : html.length)
    if (whole) {
      flush()
      if (name === 'pre') writer.code(codeInHtml(whole.content), languageOf(tag, whole.content), at)
      else if (name === 'summary') writer.prose(bold(plainText(whole.content, source.inline)), at)
      else writer.heading(plainText(whole.content, source.inline), Number(name.slice(1)), at)
      return whole.end
    }
    if (name === 'li') {
      endLine()
      text = tag.closing ? '' : '- '
    } else if (blocks.has(name)) {
      endParagraph()
    } else if (name === 'td' || name === 'th') text += ' '
    else if (name === 'img') text += tag.attributes.alt ?? ''
    else if (name === 'code' || name === 'kbd' || name === 'samp') text += '`'
    return tag.end
  }

  const readComponent = (tag: Tag): number => {
    flush()
    if (!tag.closing) writer.open(tag.name, scopeOf(tag.name, tag.attributes), at)
    if (tag.closing || tag.selfClosing) writer.close(tag.name)
    return tag.end
  }

  while (i < html.length) {
    const char = html.charAt(i)
    if (char === '\n') {
      if (text !== '- ') endLine()
      skipTo(i + 1)
      const fence = fenceAt(html, i)
      if (fence === undefined) continue
      for (const line of html.slice(i, fence).split('\n')) {
        lines.push({ text: line, at })
        skipTo(Math.min(i + line.length + 1, html.length))
      }
    } else if (html.startsWith('<!--', i)) {
      const end = html.indexOf('-->', i + 4)
      skipTo(end < 0 ? html.length : end + 3)
    } else {
      const tag = char === '<' ? readTag(html, i) : undefined
      if (tag && isMarkup(tag, html.charAt(i - 1))) skipTo(isElement(tag.name) ? readElement(tag) : readComponent(tag))
      else {
        text += char
        i++
      }
    }
  }
  flush()
}

/** Writes the text of HTML or broken JSX, whose tags were removed, as Markdown. */
function writeFragment(lines: Line[], source: Source, writer: PieceWriter): void {
  if (lines.every(({ text }) => text.trim() === '')) return
  const text = joinLines(lines)
  writeTree(parseFragment(text), { text, lines, inline: source.inline }, writer, () => false)
}

/** Index after the last line of the fence that starts at `from`; undefined if no fence starts there. */
function fenceAt(html: string, from: number): number | undefined {
  const end = (at: number) => (html.indexOf('\n', at) < 0 ? html.length : html.indexOf('\n', at))
  let stop = end(from)
  const fence = openingFence(html.slice(from, stop))
  if (!fence) return undefined
  while (stop < html.length) {
    const start = stop + 1
    stop = end(start)
    if (closesFence(html.slice(start, stop), fence)) break
  }
  return stop
}

const bold = (text: string): string => (text === '' ? '' : `**${text}**`)

const languageOf = (tag: Tag, content: string): string =>
  /\b(?:language|lang|highlight-source)-([\w+#-]+)/.exec(`${tag.attributes.class ?? ''} ${content.slice(0, 300)}`)?.[1] ??
  tag.attributes.lang ??
  ''
