import { z } from 'zod'

/** The maximum length of a list. */
export const maxEntries = 1000

const maxLibraryLength = 300
const libraryEntry = /^\/[^/\s\p{Cc}]+(?:\/[^/\s@\p{Cc}]+)?$/u
const domainEntry = /^(?:[a-z\d](?:[a-z\d-]{0,61}[a-z\d])?\.)+[a-z][a-z\d-]{0,61}[a-z\d]$/i
const isLibrary = (text: string) => text.length <= maxLibraryLength && (libraryEntry.test(text) || domainEntry.test(text))
const isLicense = (text: string) => text.length <= 64 && /^[A-Za-z0-9.+\-_]+$/.test(text)

export type ListChange = { add?: string[]; remove?: string[]; clear?: boolean }

/** A change of a list of libraries, owners and domains. */
export const LibraryListChange = listChange(
  isLibrary,
  `must hold only library paths such as /owner/repo, owners such as /owner, or domains such as example.com, of at most ${maxLibraryLength} characters`,
)
/** A change of a list of SPDX ids. */
export const LicenseListChange = listChange(
  isLicense,
  'must hold only license ids such as Apache-2.0, of at most 64 letters, digits and .+-_',
)

/** The list after the change, without duplicates (ignoring case), in order of insertion. */
export function changeList(list: readonly string[], { add = [], remove = [], clear = false }: ListChange = {}): string[] {
  const entries = new Map((clear ? [] : list).map((entry) => [entry.toLowerCase(), entry]))
  for (const entry of remove) entries.delete(entry.toLowerCase())
  for (const entry of add) if (!entries.has(entry.toLowerCase())) entries.set(entry.toLowerCase(), entry)
  return [...entries.values()]
}

/** An object that allows only these fields, so that a misspelt restriction is not ignored. */
export function exactly<Shape extends z.ZodRawShape>(shape: Shape) {
  const rule = `must hold only the fields ${Object.keys(shape).join(', ')}`
  return z.strictObject(shape, { error: (issue) => (issue.code === 'unrecognized_keys' ? rule : undefined) })
}

/** A list of at most `maxItems` valid texts. Reports one error for all invalid ones. `known` documents the possible values. */
export function textList(isEntry: (text: string) => boolean, rule: string, maxItems: number, knownTexts?: string[]) {
  const isEach = (list: unknown[]) => list.every((entry) => typeof entry === 'string' && isEntry(entry))
  return z
    .array(z.unknown())
    .max(maxItems, { abort: true })
    .refine(isEach, { message: rule, abort: true })
    .transform((list) => list as string[])
    .meta({ override: { type: 'array' as const, maxItems, items: { type: 'string' as const, enum: knownTexts } } })
}

function listChange(isEntry: (text: string) => boolean, rule: string) {
  const entries = textList(isEntry, rule, maxEntries).optional()
  return exactly({ add: entries, remove: entries, clear: z.boolean().optional() })
    .refine(({ add, remove, clear }) => !clear || (add === undefined && remove === undefined), {
      message: 'must hold either clear, or add and remove',
    })
    .refine(({ add, remove }) => !overlap(add, remove), { message: 'must not add and remove the same entry' })
}

export function overlap(some: readonly string[] = [], others: readonly string[] = []): boolean {
  const lowerCased = new Set(some.map((each) => each.toLowerCase()))
  return others.some((each) => lowerCased.has(each.toLowerCase()))
}
