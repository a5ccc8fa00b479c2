import type { Context, MiddlewareHandler } from 'hono'
import type { LibraryId } from '../library.ts'

type Known = (id: LibraryId) => LibraryId | Promise<LibraryId>

/** Replaces ids in requests by those of the libraries that they mean, as `known` does, wherever `input` or `/mcp` reads them. */
export const knownIds =
  (known: (id: LibraryId, c: Context) => LibraryId | Promise<LibraryId>): MiddlewareHandler =>
  (c, next) => {
    c.set('knownId', ((id) => known(id, c)) satisfies Known)
    return next()
  }

const knownOf = (c: Context): Known => c.get('knownId') ?? ((id) => id)

/** The id of the library that an id of a request means. */
export const knownIdOf = async (c: Context, id: LibraryId): Promise<LibraryId> => knownOf(c)(id)

/** A part of a request in which each id names its library. */
export const withKnownIds = <T>(c: Context, value: T): Promise<T> => replaceIds(value, knownOf(c))

/** Replaces the ids in a value: what has `owner` and `repo`, also as `repo@version`. */
export const replaceIds = async <T>(value: T, known: Known): Promise<T> => (await replaced(value, known)) as T

async function replaced(value: unknown, known: Known): Promise<unknown> {
  if (Array.isArray(value)) return Promise.all(value.map((each) => replaced(each, known)))
  if (typeof value !== 'object' || value === null || Object.getPrototypeOf(value) !== Object.prototype) return value
  if ('owner' in value && 'repo' in value && typeof value.owner === 'string' && typeof value.repo === 'string') {
    const [, name = '', version = ''] = /^([^@]*)(.*)$/s.exec(value.repo) ?? []
    const { owner, repo } = await known({ owner: value.owner, repo: name })
    return { ...value, owner, repo: repo + version }
  }
  const entries = Object.entries(value).map(async ([name, each]) => [name, await replaced(each, known)] as const)
  return Object.fromEntries(await Promise.all(entries))
}
