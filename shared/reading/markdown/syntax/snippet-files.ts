import { fenceRoles, toLines } from './line.ts'
import { readTag, type Tag } from './tag.ts'

/** A fast test for `<Snippet file="…" />`, which needs no import. */
export const mayHoldSnippet = (text: string): boolean => text.includes('<Snippet')

/** The document below `snippets/` that a tag includes; undefined for any other tag. */
export function snippetPath({ name, attributes: { file = '' } }: Tag): string | undefined {
  return name === 'Snippet' && /\.mdx?$/i.test(file) ? `/snippets/${file}` : undefined
}

/** Paths of the documents that a text includes, ignoring code. */
export function snippetFiles(text: string): string[] {
  if (!mayHoldSnippet(text)) return []
  const lines = toLines(text)
  const roles = fenceRoles(lines)
  const prose = lines.map((line, i) => (roles[i] === 'outside' ? line.text : '')).join('\n')
  const isCode = inlineCode(prose)
  return [...prose.matchAll(/<Snippet\b/g)].flatMap(({ index }) => {
    const tag = isCode(index) ? undefined : readTag(prose, index)
    return (tag && snippetPath(tag)) ?? []
  })
}

/** Returns a function that is true if an index is in inline code. Call it with ascending indexes. */
export function inlineCode(text: string): (index: number) => boolean {
  let at = 0
  let isOpen = false
  return (index) => {
    for (const [mark] of text.slice(at, index).matchAll(/`+|\n/g)) isOpen = mark !== '\n' && !isOpen
    at = index
    return isOpen
  }
}
