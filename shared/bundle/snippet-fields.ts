import type { z } from 'zod'
import { visible } from '../text/visible-text.ts'
import { BundleCodeSnippet, BundleInfoSnippet } from './bundle-element.ts'
import type { BundleSnippet } from './bundle-snippet.ts'
import type { ElementNotes } from './element-notes.ts'

export const snippetSchemas: Record<'codeSnippets' | 'infoSnippets', z.ZodType<BundleSnippet>> = {
  codeSnippets: BundleCodeSnippet,
  infoSnippets: BundleInfoSnippet,
}

const knownFields = {
  codeSnippets: new Set(Object.keys(BundleCodeSnippet.shape)),
  infoSnippets: new Set(Object.keys(BundleInfoSnippet.shape)),
}

const knownOfCode = new Set(Object.keys(BundleCodeSnippet.shape.codeList.element.shape))

/** The names of the context API. */
const otherSpellings = new Map([
  ['codeId', 'id'],
  ['pageId', 'id'],
  ['codeTitle', 'title'],
  ['codeDescription', 'description'],
  ['codeLanguage', 'language'],
  ['codeTokens', 'tokens'],
  ['contentTokens', 'tokens'],
])

/**
 * The fields of a snippet under the names of a bundle, as a copy that may be changed. If a field has a value under both names, that of a bundle is
 * used. Undefined if the snippet is no object.
 */
export function snippetFields(
  list: keyof typeof knownFields,
  snippet: unknown,
  notes: Pick<ElementNotes, 'changed' | 'unknown'>,
): Record<string, unknown> | undefined {
  if (typeof snippet !== 'object' || snippet === null || Array.isArray(snippet)) return undefined
  const fields: Record<string, unknown> = {}
  const others: [name: string, field: string, value: unknown][] = []
  for (const [name, value] of Object.entries(snippet)) {
    if (value === null) continue
    const field = otherSpellings.get(name)
    if (knownFields[list].has(name)) fields[name] = clean(value)
    else if (field !== undefined && knownFields[list].has(field)) others.push([name, field, clean(value)])
    else notes.unknown(`${list}[].${name}`)
  }
  for (const [name, field, value] of others) {
    if (fields[field] === undefined || fields[field] === '') fields[field] = value
    else if (fields[field] !== value) notes.changed(`${list}[].${name}`, `differs from ${field}, which is used`)
  }
  for (const name of unknownOfCode(fields.codeList)) notes.unknown(`${list}[].codeList[].${name}`)
  return fields
}

/** Each name once. */
function unknownOfCode(codeList: unknown): Set<string> {
  const items: unknown[] = Array.isArray(codeList) ? codeList : []
  const names = items.flatMap((each) => (typeof each === 'object' && each !== null ? Object.keys(each) : []))
  return new Set(names.filter((name) => !knownOfCode.has(name)))
}

/** Bundles of other products use null for absent fields. */
function clean(value: unknown): unknown {
  if (typeof value === 'string') return visible(value)
  if (Array.isArray(value)) return value.map(clean)
  if (typeof value !== 'object' || value === null) return value
  const present = Object.entries(value).filter(([, each]) => each !== null)
  return Object.fromEntries(present.map(([name, each]) => [name, clean(each)]))
}
