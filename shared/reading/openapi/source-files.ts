import { dirname, join } from 'node:path/posix'
import type { ReaderContext } from '../page/page.ts'
import { decoded } from './values.ts'

/** Limits of all other files of a document. Parsing takes about a second per million characters. */
const maxFiles = 20_000
const maxChars = 12_000_000
/** Parsed files that stay in memory. */
const maxCachedChars = 4_000_000

/** The reason why a reference leads nowhere. */
export type Reason = 'absent' | 'outside' | 'broken' | 'circular' | 'limit'
export type Unfollowed = { reason: Reason }

type SourceFiles = { read(file: string): { value: unknown } | Unfollowed; text(file: string): string | undefined }

/** Reads files once while they are in the cache, which forgets the one that was used longest ago. */
export function sourceFiles(readFile: ReaderContext['readFile'], parse: (text: string, file: string) => unknown): SourceFiles {
  const cache = new Map<string, { result: { value: unknown } | Unfollowed; chars: number }>()
  let cachedChars = 0
  let charsLeft = maxChars
  let filesLeft = maxFiles
  const take = (file: string): string | Unfollowed => {
    if (charsLeft <= 0 || filesLeft-- <= 0) return { reason: 'limit' }
    const text = readFile(file)
    charsLeft -= text?.length ?? 0
    return text ?? { reason: 'absent' }
  }
  const load = (file: string) => {
    const text = take(file)
    if (typeof text !== 'string') return { result: text, chars: 0 }
    try {
      return { result: { value: parse(text, file) }, chars: text.length }
    } catch {
      return { result: { reason: 'broken' as const }, chars: 0 }
    }
  }
  const forgetOldest = (current: string) => {
    for (const [file, { chars }] of cache) {
      if (cachedChars <= maxCachedChars || file === current) break
      cache.delete(file)
      cachedChars -= chars
    }
  }
  return {
    read(file) {
      const entry = cache.get(file) ?? load(file)
      if (!cache.delete(file)) cachedChars += entry.chars
      cache.set(file, entry)
      if (cachedChars > maxCachedChars) forgetOldest(file)
      return entry.result
    },
    text(file) {
      const text = take(file)
      return typeof text === 'string' ? text : undefined
    },
  }
}

/** Path of a relative address from the root of the repository. Undefined for URLs, absolute paths and paths outside the repository. */
export function pathOf(address: string, from: string): string | undefined {
  if (/^(?:[a-z][\w+.-]*:|\/)|[\\\0]/i.test(address)) return undefined
  const path = join(dirname(from), decoded(address))
  return path === '..' || path.startsWith('../') || path.startsWith('/') ? undefined : path
}
