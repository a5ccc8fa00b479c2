import { z } from 'zod'
import { libraryKey, parseLibraryId, readSourceId } from '../../shared/library.ts'

/** At most one `*`, and no white space. */
const isPart = (text: string): boolean => text !== '' && !/\s/.test(text) && text.split('*').length <= 2

/** Selects libraries by their id. In each of its two parts, one `*` stands for any characters. Case is ignored. */
export const LibraryPattern = z
  .string()
  .max(500)
  .transform((text) => text.toLowerCase())
  .refine((text) => {
    const [before, owner = '', repo = '', ...more] = text.split('/')
    return before === '' && more.length === 0 && [owner, repo].every(isPart)
  }, 'must be /owner/repo, in which one * in each part can stand for any characters, such as /acme/* or /acme/docs-*')
  .describe('`/owner/repo`; one `*` in each part stands for any characters, such as `/acme/*`')

/**
 * Returns whether patterns select a library. One with the longer id of a second git host, `/gitlab/acme~kit`, is also selected by what selects
 * `/acme/kit`: its rights must not depend on which of the two was added first.
 */
export function patternTest(id: string): (pattern: string) => boolean {
  const tests = keysOf(id).map(keyTest)
  return (pattern) => tests.some((test) => test(pattern))
}

/** The keys of a library: that of the shorter id first, if its own is the longer one. */
export function keysOf(id: string): string[] {
  const parsed = parseLibraryId(id)
  const other = readSourceId(parsed)
  return [...(other ? [libraryKey(other.id)] : []), libraryKey(parsed)]
}

/** The owner and the repository of a key or pattern. */
export function partsOf(key: string): { owner: string; repo: string } {
  const [, owner = '', repo = ''] = key.split('/')
  return { owner, repo }
}

/** Returns whether patterns select this very key. */
export function keyTest(key: string): (pattern: string) => boolean {
  const { owner, repo } = partsOf(key)
  return (pattern) => {
    const of = partsOf(pattern)
    return matches(of.owner, owner) && matches(of.repo, repo)
  }
}

/** Orders patterns: the most specific first. */
export const bySpecificity = (a: string, b: string): number =>
  Number(a.includes('*')) - Number(b.includes('*')) || b.length - a.length || (a < b ? -1 : 1)

/** True if a part of a pattern, with at most one `*`, selects this text. */
export function matches(pattern: string, text: string): boolean {
  const star = pattern.indexOf('*')
  if (star < 0) return pattern === text
  return text.length >= pattern.length - 1 && text.startsWith(pattern.slice(0, star)) && text.endsWith(pattern.slice(star + 1))
}
