import { LRUCache } from 'lru-cache'
import { type ReadableLibraries, readableLibraries } from '../store/catalog/readable-libraries.ts'
import type { Reader } from './reader.ts'

/** The stores as a reader sees them. Those of the last readers are kept, because lists and indexes are cached for each. */
export type ReadableBy = (reader: Reader) => ReadableLibraries

/** The index of the names of 10,000 libraries needs some megabytes. */
const maxReaders = 30
/** Anybody can make these, so they do not take the place of others. */
const maxNarrowed = 5

export function readableBy(stores: ReadableLibraries): ReadableBy {
  const [usual, narrowed] = [maxReaders, maxNarrowed].map((max) => new LRUCache<string, ReadableLibraries>({ max }))
  return ({ name, sees, isNarrowed }) => {
    const known = isNarrowed ? narrowed : usual
    const readable = known?.get(name) ?? readableLibraries(stores, sees)
    known?.set(name, readable)
    return readable
  }
}
