import remarkParse from 'remark-parse'
import { unified } from 'unified'

const parser = unified().use(remarkParse)
const known = new Map<string, string>()
const maxKnown = 5000

/** The character reference that starts at `text[at] === '&'`; undefined where it is a plain ampersand. */
export function decodeEntity(text: string, at: number): { text: string; end: number } | undefined {
  const [entity] = /^&(?:#\d{1,7}|#[xX][0-9a-fA-F]{1,6}|[A-Za-z][A-Za-z0-9]{1,31});/.exec(text.slice(at, at + 34)) ?? []
  if (entity === undefined) return undefined
  const decoded = known.get(entity) ?? decode(entity)
  if (known.size < maxKnown) known.set(entity, decoded)
  return decoded === entity ? undefined : { text: decoded, end: at + entity.length }
}

/** The Markdown parser holds the table of names. */
function decode(entity: string): string {
  const paragraph = parser.parse(`x${entity}x`).children[0]
  const text = paragraph?.type === 'paragraph' ? paragraph.children[0] : undefined
  return text?.type === 'text' ? text.value.slice(1, -1).replace('\u00A0', ' ') : entity
}
