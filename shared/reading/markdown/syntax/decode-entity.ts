import MarkdownItParser from 'markdown-it'

const { unescapeAll } = new MarkdownItParser().utils
const decodedEntities = new Map<string, string>()
const maxKnown = 5000

/** Decodes the character reference at `text[at] === '&'`; undefined if it is a plain ampersand. */
export function decodeEntity(text: string, at: number): { text: string; end: number } | undefined {
  const [entity] = /^&(?:#\d{1,7}|#[xX][0-9a-fA-F]{1,6}|[A-Za-z][A-Za-z0-9]{1,31});/.exec(text.slice(at, at + 34)) ?? []
  if (entity === undefined) return undefined
  const decoded = decodedEntities.get(entity) ?? decode(entity)
  if (decodedEntities.size < maxKnown) decodedEntities.set(entity, decoded)
  return decoded === entity ? undefined : { text: decoded, end: at + entity.length }
}

/** Uses the entity table of the Markdown parser. */
const decode = (entity: string): string => unescapeAll(entity).replace('\u00A0', ' ')
