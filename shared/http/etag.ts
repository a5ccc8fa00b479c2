import { createHash } from 'node:crypto'
import { AppError } from '../errors.ts'

/** The named values of each part of a state, such as of each user. A state of one part has the key ''. */
export type State = Record<string, Record<string, unknown>>

const hashChars = 4
const shortHashes = /.{4}/g
/** Proxies limit the length of a header. */
const maxHashes = 450

/** An ETag that holds a short hash of each value, so that a later request can tell which of them changed. A large state has one hash. */
export function etagOf(state: State): string {
  const hashes = Object.entries(state).flatMap(([part, values]) => hashesOf(part, values))
  return `"${hashes.length > maxHashes ? hashOf(hashes) : hashes.map((hash) => hash.slice(0, hashChars)).join('')}"`
}

/** Throws precondition_failed with the names of the values of a part that differ from those in the header If-Match, if there is one. */
export function requireMatch(ifMatch: string | undefined, state: State, part = ''): void {
  if (ifMatch === undefined || ifMatch.trim() === '*') return
  const current = etagOf(state)
  // A proxy that compresses responses makes their ETags weak.
  const tags = ifMatch.split(',').map((tag) => tag.trim().replace(/^W\//, ''))
  if (tags.includes(current)) return
  const names = Object.keys(state[part] ?? {})
  const hashes = hashesOf(part, state[part] ?? {}).map((hash) => hash.slice(0, hashChars))
  const [fewest = names] = tags
    .map((tag) => new Set(tag.replaceAll('"', '').match(shortHashes)))
    .map((knownHashes) => names.filter((_, i) => !knownHashes.has(hashes[i] ?? '')))
    .sort((a, b) => a.length - b.length)
  if (fewest.length === 0) return
  const message = `${fewest.join(', ')} changed since this state was read. Read it again, then repeat the change if it is still wanted.`
  throw new AppError('precondition_failed', message, { fields: { names: fewest, etag: current } })
}

const hashesOf = (part: string, values: Record<string, unknown>): string[] =>
  Object.entries(values).map(([name, value]) => hashOf([part, name, value]))

const hashOf = (value: unknown): string => createHash('sha256').update(JSON.stringify(value)).digest('base64url')
