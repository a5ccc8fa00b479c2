import type { ReaderContext } from '../page/page.ts'
import { parseSource } from './parse-source.ts'
import { pathOf, type Reason, sourceFiles, type Unfollowed } from './source-files.ts'
import { isValues, pointerKey, textOf, type Values, valuesOf } from './values.ts'

/** The file and the 1-based line of an object. */
export type Place = { file: string; line: number }

/** Follows the `$ref` of one OpenAPI document, to itself and to other files of its repository, which are read on first use. */
export type References = {
  /** The object that a value refers to, or the value. Keys next to a `$ref` replace those of its target. */
  resolve(value: unknown): Values
  /** A text, also if it is in another place. */
  text(value: unknown): string
  /** A list, also if it is in another place. */
  list(value: unknown): unknown[]
  place(values: Values): Place
  /** Gives an object that was made of another the place of that one. */
  placedLike(original: Values, made: Values): Values
  /** The place of a text that is in another file, whose line is not known. */
  textPlace(value: unknown): Place | undefined
  /** Text of the file that an address names, which is relative to the file that names it. */
  file(values: Values, address: string): string | undefined
  /** One sentence about the references that could not be followed; undefined if there are none. */
  unresolved(): string | undefined
}

const maxHops = 20
const circular: Unfollowed = { reason: 'circular' }
const limit: Unfollowed = { reason: 'limit' }
/** Bounds the cost of a document whose references lead to references. */
const maxFollowed = 5_000_000
const maxNamed = 10
const maxNameLength = 200

const reasons: Record<Reason, string> = {
  absent: 'not found',
  outside: 'not in the repository',
  broken: 'not readable',
  circular: 'circular',
  limit: 'more than is read for one document',
}

export type Document = { root: unknown; references: References }

/** Parses an OpenAPI document. Throws if it is broken. */
export function openDocument(text: string, { path, readFile }: ReaderContext): Document {
  const places = new WeakMap<object, Place>()
  const parse = (source: string, file: string) => parseSource(source, file, (value, line) => places.set(value, { file, line }))
  const root = parse(text, path)
  const files = sourceFiles(readFile, parse)
  /** References that lead nowhere are followed once. */
  const dead = new WeakSet<Values>()
  const failed = new Map<string, Reason>()
  let depth = 0
  let followed = 0

  const fileOf = (values: Values): string => places.get(values)?.file ?? path

  const find = (values: Values): { value: unknown } | Unfollowed => {
    const [address = '', pointer = ''] = textOf(values.$ref).split('#', 2)
    const from = fileOf(values)
    const file = address === '' ? from : pathOf(address, from)
    if (file === undefined) return { reason: 'outside' }
    const source = file === path ? { value: root } : files.read(file)
    if ('reason' in source) return source
    const value = lookUp(source.value, pointer)
    if (value !== undefined) return { value }
    // Fragments are often written as if they were in the document that includes them.
    const inRoot = address === '' ? lookUp(root, pointer) : undefined
    return inRoot === undefined ? { reason: 'absent' } : { value: inRoot }
  }

  const lookUp = (source: unknown, pointer: string): unknown => {
    if (pointer !== '' && !pointer.startsWith('/')) return undefined
    let target = source
    for (const key of pointer.length > 1 ? pointer.slice(1).split('/').map(pointerKey) : []) {
      if (isValues(target) && !Object.hasOwn(target, key)) target = resolve(target)
      if (Array.isArray(target)) target = target[Number(key)]
      else target = isValues(target) && Object.hasOwn(target, key) ? target[key] : undefined
    }
    return target
  }

  const fail = (values: Values, reason: Reason) => {
    dead.add(values)
    failed.set(textOf(values.$ref).slice(0, maxNameLength), reason)
  }

  /** Returns undefined for a value that is no reference, or one that leads nowhere. */
  const follow = (values: Values): { value: unknown } | undefined => {
    if (typeof values.$ref !== 'string' || dead.has(values)) return undefined
    depth += 1
    followed += 1
    const target = depth > maxHops ? circular : followed > maxFollowed ? limit : find(values)
    depth -= 1
    if ('value' in target) return { value: withSiblings(values, target.value) }
    fail(values, target.reason)
    return undefined
  }

  const withSiblings = ({ $ref: _, ...own }: Values, target: unknown): unknown => {
    if (!isValues(target) || Object.keys(own).length === 0) return target
    const both = { ...target, ...own }
    places.set(both, places.get(target) ?? { file: path, line: 0 })
    return both
  }

  const resolve = (value: unknown): Values => {
    let values = valuesOf(value)
    for (let hop = 0; hop < maxHops; hop += 1) {
      const target = follow(values)?.value
      if (!isValues(target)) return values
      values = target
    }
    fail(values, 'circular')
    return values
  }

  const references: References = {
    resolve,
    text: (value) => textOf(isValues(value) ? follow(value)?.value : value),
    list(value) {
      const target = isValues(value) ? follow(value)?.value : value
      return Array.isArray(target) ? target : []
    },
    place: (values) => places.get(values) ?? { file: path, line: 0 },
    placedLike(original, made) {
      places.set(made, references.place(original))
      return made
    },
    textPlace(value) {
      const values = valuesOf(value)
      const [address = ''] = textOf(values.$ref).split('#', 1)
      const file = address === '' || references.text(values) === '' ? undefined : pathOf(address, fileOf(values))
      return file === undefined ? undefined : { file, line: 0 }
    },
    file(values, address) {
      const file = pathOf(address, fileOf(values))
      return file === undefined ? undefined : files.text(file)
    },
    unresolved: () => (failed.size === 0 ? undefined : sentence(failed)),
  }
  return { root, references }
}

function sentence(failed: Map<string, Reason>): string {
  const named = [...failed].slice(0, maxNamed).map(([ref, reason]) => `${ref} (${reasons[reason]})`)
  const more = failed.size - named.length
  return `it has references that cannot be followed: ${[...named, ...(more > 0 ? [`and ${more} more`] : [])].join(', ')}`
}
