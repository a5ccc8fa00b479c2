import { infiniteQueryOptions, queryOptions } from '@tanstack/react-query'
import type { InferRequestType, InferResponseType } from 'hono/client'
import { answerOf, ifMatch, stateOf } from '../../../shared/web/api/answer-of.ts'
import { changeState } from '../../../shared/web/api/change-state.ts'
import type { Setting } from '../../../shared/web/playground/playground-search.ts'
import { shownAnswer } from '../../../shared/web/playground/shown-answer.ts'
import { api } from './api.ts'
import { deleteLater, isHidden } from './delete-later.ts'
import { pollInterval } from './poll-interval.ts'

const libraries = api.teamspaces[':team'].libraries
const library = libraries[':owner'][':repo']
const jobs = api.teamspaces[':team'].jobs

/** The path parameters of a library of a teamspace. */
export type LibraryPath = { team: string; owner: string; repo: string }
export type TeamLibrary = InferResponseType<typeof libraries.$get, 200>['libraries'][number]
export type LibraryDetails = InferResponseType<typeof library.$get, 200>
export type TeamJob = NonNullable<TeamLibrary['job']>

/** The key of everything about the libraries of a teamspace, and about one of them. */
export const librariesKey = (team: string) => ['teamspaces', team, 'libraries']
export const libraryKey = ({ team, owner, repo }: LibraryPath) => [...librariesKey(team), owner, repo]

/** The name under which a library or a version is hidden before it is deleted. */
const itemOf = (team: string, id: string) => `${team} ${id}`

/** A library, or a version of it. A library of others is only taken from the list of the teamspace. */
type Deleted = { id: string; version?: string; owned: boolean }

/** Deletes a library or a version. It can be undone for ten seconds. */
export function deleteLibrary(path: LibraryPath, { id, version = '', owned }: Deleted): Promise<void> {
  const name = version === '' ? id : `${id}@${version}`
  const repo = version === '' ? path.repo : `${path.repo}@${encodeURIComponent(version)}`
  return deleteLater({
    item: itemOf(path.team, name),
    name,
    becomes: owned ? 'deleted' : 'removed from the list',
    shown: librariesKey(path.team),
    send: (init) => answerOf(library.$delete({ param: { ...path, repo } }, { init })),
  })
}

export const librariesQuery = (team: string) =>
  queryOptions({
    queryKey: [...librariesKey(team), 'list'],
    queryFn: async () => {
      const answer = await answerOf(libraries.$get({ param: { team } }))
      return answer.libraries.filter(({ id }) => !isHidden(itemOf(team, id)))
    },
    refetchInterval: ({ state }) => pollInterval(state.data?.map(({ job }) => job) ?? [], Date.now()),
  })

export const libraryQuery = (path: LibraryPath) =>
  queryOptions({
    queryKey: [...libraryKey(path), 'details'],
    queryFn: async () => {
      const details = await answerOf(library.$get({ param: path }))
      const isShown = (version: string) => !isHidden(itemOf(path.team, `${details.id}@${version}`))
      return {
        ...details,
        tags: details.tags.filter(isShown),
        versions: details.versions.filter(({ version }) => isShown(version)),
      }
    },
    refetchInterval: ({ state }) => pollInterval([state.data?.job ?? null], Date.now()),
  })

export const jobsQuery = (team: string) =>
  queryOptions({
    queryKey: [...librariesKey(team), 'jobs'],
    queryFn: async () => (await answerOf(jobs.$get({ param: { team } }))).jobs,
    refetchInterval: ({ state }) => pollInterval(state.data ?? [], Date.now()),
  })

const listSize = 1000
/** The most that one answer holds. */
const snippetsAtOnce = 200
const versionOf = (version: string) => (version === '' ? {} : { version })

/** The pages of a version of a library, the first thousand that match. */
export const pageListQuery = (path: LibraryPath, { version, q }: { version: string; q: string }) =>
  queryOptions({
    queryKey: [...libraryKey(path), 'pages', version, q],
    queryFn: () =>
      answerOf(
        library.pages.$get({ param: path, query: { ...versionOf(version), ...(q && { q }), pageSize: String(listSize) } }),
      ),
    // While one types, not while another version loads.
    placeholderData: (data, query) => (query?.queryKey.at(-2) === version ? data : undefined),
  })

/** A page with its snippets, two hundred at a time. */
export const pageSnippetsQuery = (at: LibraryPath, { version, path }: { version: string; path: string }) =>
  infiniteQueryOptions({
    queryKey: [...libraryKey(at), 'snippets', version, path],
    queryFn: async ({ pageParam }) => {
      const call = library.pages[':path{.+}'].$get({
        param: { ...at, path: encodeURIComponent(path) },
        query: { ...versionOf(version), page: String(pageParam), pageSize: String(snippetsAtOnce) },
      })
      const answer = await answerOf(call)
      // The route returns text only on request.
      if (typeof answer === 'string') throw new TypeError('The page was answered as text.')
      return answer
    },
    initialPageParam: 1,
    getNextPageParam: ({ page, total }) => (page * snippetsAtOnce < total ? page + 1 : undefined),
  })

/** The first passages of a library that may attack agents. */
export const flaggedQuery = (path: LibraryPath) =>
  queryOptions({
    queryKey: [...libraryKey(path), 'flagged'],
    queryFn: () => answerOf(library.flagged.$get({ param: path, query: { pageSize: '200' } })),
  })

/** The first thousand pages that differ between two versions. */
export const changesQuery = (path: LibraryPath, { from, to }: { from: string; to: string }) =>
  queryOptions({
    queryKey: [...libraryKey(path), 'changes', from, to],
    queryFn: () => answerOf(library.changes.$get({ param: path, query: { ...(from && { from }), ...(to && { to }) } })),
  })

type Asked = { library: string; question: string }

/** The answer with its explanations, asked once: it counts as one use of the surface `page`. */
export const askQuery = (team: string, { library: id, question }: Asked, { tokens }: Setting) => {
  const [, owner = '', repo = '', version = ''] = /^\/([^/]+)\/([^/@]+)(?:@(.+))?$/s.exec(id) ?? []
  const path = { team, owner, repo }
  return queryOptions({
    queryKey: [...libraryKey(path), 'ask', version, question, tokens],
    queryFn: async () => {
      const began = performance.now()
      const answer = await answerOf(
        library.ask.$get({ param: path, query: { query: question, tokens: String(tokens), ...versionOf(version) } }),
      )
      return { ...shownAnswer(answer), isHybrid: false, ms: performance.now() - began }
    },
    staleTime: Number.POSITIVE_INFINITY,
    retry: false,
  })
}

const readSource = (path: LibraryPath) => stateOf(library.source.$get({ param: path }))
type SourceChange = InferRequestType<typeof library.source.$patch>['json']

/** The source settings of a library that the teamspace owns. */
export const sourceQuery = (path: LibraryPath) =>
  queryOptions({ queryKey: [...libraryKey(path), 'source'], queryFn: () => readSource(path), retry: false })

/** Changes source settings that were read with this ETag. Throws Conflict if one of them has changed since. */
export const changeSource = (path: LibraryPath, etag: string, json: SourceChange) =>
  changeState(
    etag,
    (names) => names.filter((name) => name in json),
    (based) => stateOf(library.source.$patch({ param: path, json }, ifMatch(based))),
  )
