import { type ReadableLibraries, readableLibraries } from '../store/catalog/readable-libraries.ts'
import type { Reader } from './reader.ts'

/** The stores as a reader sees them. Those of the last readers are kept, because lists and indexes are cached for each. */
export type ReadableBy = (reader: Reader) => ReadableLibraries

/** The index of the names of 10,000 libraries needs some megabytes. */
const maxReaders = 30

export function readableBy(stores: ReadableLibraries): ReadableBy {
  const known = new Map<string, ReadableLibraries>()
  return ({ name, sees }) => {
    const readable = known.get(name) ?? readableLibraries(stores, sees)
    known.delete(name)
    known.set(name, readable)
    const [oldest] = known.keys()
    if (known.size > maxReaders && oldest !== undefined) known.delete(oldest)
    return readable
  }
}
