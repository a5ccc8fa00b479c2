import type { Nodes, Paragraph } from 'mdast'
import type { Piece } from '../page/build-page.ts'
import { cleanInline, plainText } from './clean-inline.ts'
import { isCostlyMdx } from './is-costly-mdx.ts'
import type { Line } from './line.ts'
import { withoutModule } from './looks-like-mdx.ts'
import { parseMdx } from './parse-markdown.ts'
import type { PieceWriter } from './piece-writer.ts'
import { prepareMdx } from './prepare-mdx.ts'
import { readDialect, readLooseMdx } from './read-markdown.ts'
import { repairMdx } from './repair-mdx.ts'
import { scopeOf } from './scope.ts'
import { lineOf, type ReadOther, type Source, sliceOf } from './write-tree.ts'

type FlowElement = Extract<Nodes, { type: 'mdxJsxFlowElement' }>
type Element = FlowElement | Extract<Nodes, { type: 'mdxJsxTextElement' }>

/** Reads lines as MDX and repairs broken JSX. If repair fails or takes too long, reads them as Markdown without tags. Never throws. */
export function readMdx(lines: Line[]): Piece[] {
  const prepared = prepareMdx(lines)
  if (isCostlyMdx(prepared)) return readLooseMdx(withoutModule(prepared))
  return readStrict(prepared) ?? readStrict(repairMdx(prepared)) ?? readLooseMdx(withoutModule(prepared))
}

function readStrict(lines: Line[] | undefined): Piece[] | undefined {
  try {
    return lines && readDialect(lines, { parse: parseMdx, jsx: true, freeWords: true }, readJsx)
  } catch {
    return undefined
  }
}

const readJsx =
  (writer: PieceWriter): ReadOther =>
  (node, source, visit) => {
    if (node.type === 'mdxJsxFlowElement') writeElement(node, source, writer, visit)
    else if (node.type === 'mdxFlowExpression') writer.prose(stringIn(node.value), lineOf(node, source))
    else if (node.type === 'paragraph') return writeLoneElements(node, source, writer)
    else return node.type === 'mdxjsEsm'
    return true
  }

/** Writes a line that has only components, `<Note>Careful</Note>`, which is a paragraph to the parser. */
function writeLoneElements({ children }: Paragraph, source: Source, writer: PieceWriter): boolean {
  const elements = children.filter((child) => child.type === 'mdxJsxTextElement')
  const scopes = elements.map((element) => scopeOf(element.name ?? '', attributesOf(element.attributes)))
  const isLone = children.every(
    (child) => child.type === 'mdxJsxTextElement' || (child.type === 'text' && child.value.trim() === ''),
  )
  if (!isLone || !scopes.some((scope) => scope !== undefined)) return false
  elements.forEach((element, i) => {
    writer.open(element.name ?? '', scopes[i], lineOf(element, source))
    writer.prose(cleanInline(innerSource(element, source), source.inline), lineOf(element, source))
    writer.close(element.name ?? '')
  })
  return true
}

function writeElement(node: FlowElement, source: Source, writer: PieceWriter, visit: (child: Nodes) => void): void {
  const name = node.name ?? ''
  const line = lineOf(node, source)
  const attributes = attributesOf(node.attributes)
  const code = /^(?:pre|code|CodeBlock)$/.test(name) ? codeOf(node, source) : undefined
  if (name === 'script' || name === 'style') return
  if (name === 'img') writer.prose(attributes.alt ?? '', line)
  else if (/^h[1-6]$/.test(name)) writer.heading(innerText(node, source), Number(name.slice(1)), line)
  else if (code !== undefined) writer.code(code, infoOf(attributes), line)
  else {
    writer.open(name, scopeOf(name, attributes), line)
    if (name === 'summary') writer.prose(`**${innerText(node, source)}**`, line)
    else for (const child of node.children) visit(child)
    writer.close(name)
  }
}

const innerText = (element: Element, source: Source): string => plainText(innerSource(element, source), source.inline)

function innerSource({ children }: Element, { text }: Source): string {
  const start = children[0]?.position?.start.offset
  return start === undefined ? '' : text.slice(start, children.at(-1)?.position?.end.offset)
}

/** A listing written as a string in braces, which MDX leaves as it is. */
function codeOf(node: FlowElement, source: Source): string | undefined {
  const strings: string[] = []
  const pending: Nodes[] = [...node.children]
  for (let child = pending.shift(); child !== undefined; child = pending.shift()) {
    if (child.type === 'mdxFlowExpression' || child.type === 'mdxTextExpression')
      strings.push(stringIn(sliceOf(child, source).slice(1, -1)))
    else if ('children' in child) pending.unshift(...child.children)
  }
  const code = strings.join('').replace(/^\n/, '').trimEnd()
  return code === '' ? undefined : code
}

function infoOf(attributes: Record<string, string>): string {
  const language = attributes.language ?? attributes.lang ?? /language-(\S+)/.exec(attributes.classname ?? '')?.[1] ?? ''
  return attributes.title ? `${language} title="${attributes.title}"` : language
}

const stringIn = (expression: string): string =>
  (/^\s*(["'`])([\s\S]*)\1\s*$/.exec(expression)?.[2] ?? '').replace(/\\([`$\\])/g, '$1')

function attributesOf(attributes: Element['attributes']): Record<string, string> {
  const found: Record<string, string> = {}
  for (const attribute of attributes) {
    if (attribute.type !== 'mdxJsxAttribute') continue
    const { value } = attribute
    found[attribute.name.toLowerCase()] = typeof value === 'string' ? value : value ? stringIn(value.value) || value.value : ''
  }
  return found
}
