import { type Context, Hono, type MiddlewareHandler } from 'hono'
import { z } from 'zod'
import { callerSignal } from '../http/caller-signal.ts'
import type { ListedLibrary } from '../search/libraries/catalog.ts'
import type { FoundLibrary } from '../search/libraries/rank-libraries.ts'
import { type FoundLibraries, SearchQuery } from '../search/libraries/search-libraries.ts'
import { describeRoute, json, type RouteAdditions } from './describe-route.ts'
import { input } from './input.ts'

export const LibraryAnswer = z
  .object({
    id: z.string().describe('/owner/repo'),
    title: z.string(),
    description: z.string(),
    branch: z.string(),
    version: z.string().optional().describe('Tag or branch of the default content'),
    commitDate: z.iso.datetime().optional().describe('Date of its commit'),
    lastUpdateDate: z.iso.datetime().describe('Date of the content'),
    state: z.enum(['initial', 'processing', 'finalized', 'error']),
    totalTokens: z.int(),
    totalSnippets: z.int(),
    codeSnippets: z.int().optional().describe('Snippets with code; absent if they have not been counted'),
    stars: z.int().describe('-1 if unknown'),
    license: z.string().optional().describe('SPDX id of the license of its repository; absent if unknown'),
    trustScore: z.number().describe('0 to 10, -1 if unknown'),
    benchmarkScore: z.number().describe('0 to 100, 0 if unknown'),
    movedTo: z.string().optional().describe('Its new id, while its host redirects the old name of its repository'),
    versions: z.array(z.string()).describe('Tags and branches that can be requested'),
    source: z.string().describe('Origin of the library, as text for people'),
  })
  .meta({ id: 'Library' })

const exact = z.literal(false).optional()

const FoundAnswer = LibraryAnswer.extend({
  exact: exact.describe('false if the name only resembles or only the owner matches; absent if the library has the name'),
  sameOwner: z.literal(true).optional().describe('true if it is not exact, but of the owner that libraryName names'),
}).meta({ id: 'FoundLibrary' })

const SearchAnswer = z
  .object({
    results: z.array(FoundAnswer),
    searchFilterApplied: z.boolean(),
    exact: exact.describe('false if no result is exact'),
  })
  .meta({ id: 'SearchResponse' })

/** `signal` aborts when the caller disconnects. */
export type SearchRoutesPorts = { search(input: SearchQuery, c: Context, signal: AbortSignal): Promise<FoundLibraries> }

export const searchRoutes = ({ search }: SearchRoutesPorts, access: MiddlewareHandler, own: RouteAdditions = {}) =>
  new Hono().get(
    '/v2/libs/search',
    describeRoute({
      operationId: 'searchLibraries',
      tags: ['Search'],
      summary: 'Find libraries by name',
      description:
        'Lists libraries that match a name: exact names first, then other spellings, package names and typos. A result that is no exact match has exact: false. The question decides between equally good matches. If only libraries without content match, the message of the 404 says how far they have been added, or why that failed.',
      responses: { 200: json(SearchAnswer, 'Libraries, best match first', own.headers) },
      errors: [404, 503, ...(own.errors ?? [])],
    }),
    access,
    input('query', SearchQuery),
    async (c) => {
      const { results, searchFilterApplied, hosted } = await search(c.req.valid('query'), c, callerSignal(c.req.raw))
      if (hosted) c.header('x-carrel-hosted', hosted)
      const isExact = results[0]?.exact !== false
      return c.json({ results: results.map(foundAnswer), searchFilterApplied, ...(!isExact && { exact: false as const }) })
    },
  )

const foundAnswer = (library: FoundLibrary): z.infer<typeof FoundAnswer> => ({
  ...libraryAnswer(library),
  ...(library.exact === false && { exact: false, ...(library.sameOwner && { sameOwner: true }) }),
})

/** The answer has only the fields of the API: a catalog may keep more. */
export const libraryAnswer = (library: ListedLibrary): z.infer<typeof LibraryAnswer> => ({
  id: library.id,
  title: library.title,
  description: library.description,
  branch: library.branch,
  ...(library.version && { version: library.version }),
  ...(library.commitDate && { commitDate: library.commitDate }),
  lastUpdateDate: library.lastUpdateDate,
  state: library.state,
  totalTokens: library.totalTokens,
  totalSnippets: library.totalSnippets,
  codeSnippets: library.codeSnippets,
  stars: library.stars,
  ...(library.codeLicense && { license: library.codeLicense }),
  trustScore: library.trustScore,
  benchmarkScore: library.benchmarkScore,
  ...(library.movedTo && { movedTo: library.movedTo }),
  versions: library.versions,
  source: library.source,
})
