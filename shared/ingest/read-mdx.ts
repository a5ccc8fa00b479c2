import type { Nodes } from 'mdast'
import type { MdxJsxAttribute, MdxJsxExpressionAttribute, MdxJsxFlowElement } from 'mdast-util-mdx-jsx'
import { plainText } from './markdown-inline.ts'
import type { Line } from './markdown-lines.ts'
import { parseMdx } from './markdown-parsers.ts'
import type { PieceWriter } from './markdown-pieces.ts'
import { scopeOf } from './markdown-scopes.ts'
import { lineOf, type ReadOther, type Source } from './markdown-tree.ts'
import { withoutModule } from './mdx-module.ts'
import { prepareMdx } from './mdx-prepare.ts'
import type { Piece } from './page-builder.ts'
import { readDialect, readLooseMdx } from './read-markdown.ts'

/** Reads lines as MDX; where their JSX is broken, as Markdown whose tags go. Never throws. */
export function readMdx(lines: Line[]): Piece[] {
  const prepared = prepareMdx(lines)
  try {
    return readDialect(prepared, { parse: parseMdx, jsx: true, freeWords: true }, readJsx)
  } catch {
    return readLooseMdx(withoutModule(prepared))
  }
}

const readJsx =
  (writer: PieceWriter): ReadOther =>
  (node, source, visit) => {
    if (node.type === 'mdxJsxFlowElement') writeElement(node, source, writer, visit)
    else if (node.type === 'mdxFlowExpression') writer.prose(stringIn(node.value), lineOf(node, source))
    else return node.type === 'mdxjsEsm'
    return true
  }

function writeElement(node: MdxJsxFlowElement, source: Source, writer: PieceWriter, visit: (child: Nodes) => void): void {
  const name = node.name ?? ''
  const line = lineOf(node, source)
  const attributes = attributesOf(node.attributes)
  const code = /^(?:pre|code|CodeBlock)$/.test(name) ? codeOf(node) : undefined
  if (name === 'script' || name === 'style') return
  if (name === 'img') writer.prose(attributes['alt'] ?? '', line)
  else if (/^h[1-6]$/.test(name)) writer.heading(innerText(node, source), Number(name.slice(1)), line)
  else if (code !== undefined) writer.code(code, infoOf(attributes), line)
  else {
    writer.open(name, scopeOf(name, attributes), line)
    if (name === 'summary') writer.prose(`**${innerText(node, source)}**`, line)
    else for (const child of node.children) visit(child)
    writer.close(name)
  }
}

function innerText({ children }: MdxJsxFlowElement, { text, inline }: Source): string {
  const start = children[0]?.position?.start.offset
  return start === undefined ? '' : plainText(text.slice(start, children.at(-1)?.position?.end.offset), inline)
}

/** A listing that is given as a string in braces, so that MDX leaves it alone. */
function codeOf(node: MdxJsxFlowElement): string | undefined {
  const strings: string[] = []
  const pending: Nodes[] = [...node.children]
  for (let child = pending.shift(); child !== undefined; child = pending.shift()) {
    if (child.type === 'mdxFlowExpression' || child.type === 'mdxTextExpression') strings.push(stringIn(child.value))
    else if ('children' in child) pending.unshift(...child.children)
  }
  const code = strings.join('').replace(/^\n/, '').trimEnd()
  return code === '' ? undefined : code
}

function infoOf(attributes: Record<string, string>): string {
  const language = attributes['language'] ?? attributes['lang'] ?? /language-(\S+)/.exec(attributes['classname'] ?? '')?.[1] ?? ''
  return attributes['title'] ? `${language} title="${attributes['title']}"` : language
}

const stringIn = (expression: string): string => /^\s*(["'`])([\s\S]*)\1\s*$/.exec(expression)?.[2] ?? ''

function attributesOf(attributes: (MdxJsxAttribute | MdxJsxExpressionAttribute)[]): Record<string, string> {
  const found: Record<string, string> = {}
  for (const attribute of attributes) {
    if (attribute.type !== 'mdxJsxAttribute') continue
    const { value } = attribute
    found[attribute.name.toLowerCase()] = typeof value === 'string' ? value : value ? stringIn(value.value) || value.value : ''
  }
  return found
}
