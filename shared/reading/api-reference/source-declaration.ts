import type { Piece } from '../page/build-page.ts'
import { childrenOf, lineOf, type SourceNode } from './parse-source.ts'
import type { Declaration } from './reference-page.ts'

/** A comment without its marks. Its first line is `line` of its file. */
export type Comment = { text: string; line: number }

/** A declaration whose documentation is still text. */
export type SourceDeclaration = Omit<Declaration, 'docs' | 'members'> & {
  comment: Comment | undefined
  members: SourceDeclaration[]
}

type ReadComment = (comment: Comment) => Piece[] | Promise<Piece[]>

/** Reads the comments of declarations. */
export async function documented(declarations: SourceDeclaration[], read: ReadComment): Promise<Declaration[]> {
  const all: Declaration[] = []
  for (const { comment, members, ...declaration } of declarations)
    all.push({ ...declaration, docs: comment ? await read(comment) : [], members: await documented(members, read) })
  return all
}

/** The comments directly above a node, attributes and annotations not counted, from the first to the last. */
export function commentsAbove(node: SourceNode): SourceNode[] {
  const comments: SourceNode[] = []
  let below = node
  for (let above = node.previousNamedSibling; above; above = above.previousNamedSibling) {
    const isComment = /comment$/.test(above.type)
    if (!isComment && !/^(?:attribute_item|decorator)$/.test(above.type)) break
    // The node of a line comment may end in the next row.
    if (below.startPosition.row - above.endPosition.row > 1) break
    if (isComment) comments.unshift(above)
    below = above
  }
  return comments
}

/** Line comments as one text, without the given mark and one space after it. */
export function lineComment(nodes: SourceNode[], mark: RegExp): Comment | undefined {
  const [first] = nodes
  if (!first) return undefined
  return { text: nodes.map((node) => node.text.trimEnd().replace(mark, '')).join('\n'), line: lineOf(first) }
}

/** A comment between `/**` and its end, without the stars of its rows. */
export function starComment(node: SourceNode | undefined): Comment | undefined {
  if (!node?.text.startsWith('/**') || node.text.length < 5) return undefined
  const rows = node.text.slice(3, -2).replace(/\r\n?/g, '\n').split('\n')
  return {
    text: rows.map((row, at) => (at === 0 ? row.trim() : row.replace(/^\s*\*? ?/, '').trimEnd())).join('\n'),
    line: lineOf(node),
  }
}

const maxDefinitionChars = 3_000

/** The text of a node up to its body. */
export function headOf(node: SourceNode): string {
  const body = node.childForFieldName('body')
  return (body ? node.text.slice(0, body.startIndex - node.startIndex) : node.text).trimEnd()
}

/** The text of a definition, without the indentation of its file. Cut at the end of a row if it is long. */
export function definitionOf(node: SourceNode): string {
  const indent = ' '.repeat(node.startPosition.column)
  const text = node.text.replaceAll(`\n${indent}`, '\n')
  if (text.length <= maxDefinitionChars) return text
  return `${text.slice(0, text.lastIndexOf('\n', maxDefinitionChars))}\n…`
}

export const nameOf = (node: SourceNode): string => node.childForFieldName('name')?.text ?? ''

export const childrenOfType = (node: SourceNode | null | undefined, type: string): SourceNode[] =>
  childrenOf(node).filter((child) => child.type === type)
