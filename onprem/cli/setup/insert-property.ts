import { createScanner, type Node } from 'jsonc-parser'
import type { Replacement } from './edit.ts'

/** The style in which a file is written. */
export type Style = {
  lineEnd: string
  /** One level of indentation. */
  unit: string
  isOneLine: boolean
  /** The indentation of the line of an offset. */
  indentAt(offset: number): string
  /** A value whose first line follows text that is indented by `indent`. */
  print(value: unknown, indent: string): string
}

/** Adds a property after the last one of an object. A comment after that one stays on its line. */
export function insertProperty(
  body: string,
  object: Node,
  { name, value }: { name: string; value: unknown },
  style: Style,
): Replacement[] {
  const last = object.children?.at(-1)
  const end = object.offset + object.length - 1
  const outer = style.indentAt(object.offset)
  if (!last) {
    const start = object.offset + 1 + body.slice(object.offset + 1, end).trimEnd().length
    const indent = outer + style.unit
    const text = `${style.lineEnd}${indent}"${name}": ${style.print(value, indent)}${style.lineEnd}${outer}`
    return [{ start, end, text }]
  }
  const lastEnd = last.offset + last.length
  if (!body.slice(object.offset, end).includes('\n')) {
    const space = /[:,] /.test(body) ? ' ' : ''
    return [{ start: lastEnd, end: lastEnd, text: `,${space}"${name}":${space}${JSON.stringify(value)}` }]
  }
  const { comma, after } = restOfLine(body, lastEnd)
  const indent = /^\s*$/.test(body.slice(body.lastIndexOf('\n', last.offset - 1) + 1, last.offset))
    ? style.indentAt(last.offset)
    : outer + style.unit
  const text = `${style.lineEnd}${indent}"${name}": ${style.print(value, indent)}`
  if (comma !== undefined) return [{ start: after, end: after, text: `${text},` }]
  if (after === lastEnd) return [{ start: after, end: after, text: `,${text}` }]
  return [
    { start: lastEnd, end: lastEnd, text: ',' },
    { start: after, end: after, text },
  ]
}

/** The ranges to delete for a property, its comma and its line. */
export function propertyRange(body: string, object: Node, property: Node): Replacement[] {
  const end = property.offset + property.length
  const { comma } = restOfLine(body, end, true)
  const before = body.slice(0, property.offset).trimEnd().length
  const linesBefore = body.slice(before, property.offset)
  const ownEnd = comma === undefined ? end : comma + 1
  const lineStart = body.lastIndexOf('\n', property.offset - 1) + 1
  // The rest of the line must not become part of a comment before it.
  const hasCommentBefore = body.slice(body.lastIndexOf('\n', before - 1) + 1, before).includes('//')
  const lineEndLength = linesBefore.includes('\r\n') ? 2 : 1
  const start = !linesBefore.includes('\n') ? before : hasCommentBefore ? lineStart : lineStart - lineEndLength
  const own = { start: Math.max(start, before), end: ownEnd, text: '' }
  const siblings = object.children ?? []
  if (siblings.length === 1) {
    const inside = { start: object.offset + 1, end: object.offset + object.length - 1, text: '' }
    const rest = body.slice(inside.start, own.start) + body.slice(own.end, inside.end)
    return [rest.trim() === '' ? inside : own]
  }
  const previous = siblings[siblings.indexOf(property) - 1]
  if (comma !== undefined || !previous) return [own]
  const previousComma = restOfLine(body, previous.offset + previous.length, true).comma
  return previousComma === undefined ? [own] : [{ start: previousComma, end: previousComma + 1, text: '' }, own]
}

/** Numbers of jsonc-parser, whose enum TypeScript cannot import here. */
const kinds = { comma: 5, lineComment: 12, blockComment: 13, lineBreak: 14, space: 15 }

/** The comma after an offset, and where that line's commas and comments end. With `anyLine`, the comma may be on a later line. */
function restOfLine(body: string, offset: number, anyLine = false): { comma: number | undefined; after: number } {
  const scanner = createScanner(body, false)
  scanner.setPosition(offset)
  let comma: number | undefined
  let after = offset
  for (;;) {
    const kind: number = scanner.scan()
    const isComment =
      kind === kinds.lineComment || (kind === kinds.blockComment && (anyLine || !scanner.getTokenValue().includes('\n')))
    if (kind === kinds.space || (kind === kinds.lineBreak && anyLine && comma === undefined)) continue
    if (kind === kinds.comma && comma === undefined) comma = scanner.getTokenOffset()
    else if (!isComment) return { comma, after }
    after = scanner.getTokenOffset() + scanner.getTokenLength()
  }
}
