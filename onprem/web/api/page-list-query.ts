import { infiniteQueryOptions, queryOptions } from '@tanstack/react-query'
import { answerOf } from '../../../shared/web/api/answer-of.ts'
import { api } from './api.ts'

const library = api.projects[':owner'][':repo']
const listSize = 1000
/** The most that one answer holds. */
const snippetsAtOnce = 200

/** The pages of a version of a library, the first thousand that match. */
export const pageListQuery = (id: string, { version, q }: { version: string; q: string }) =>
  queryOptions({
    queryKey: ['libraries', 'pages', id, version, q],
    queryFn: () =>
      answerOf(
        library.pages.$get({ param: paramOf(id), query: { ...versionOf(version), ...(q && { q }), pageSize: String(listSize) } }),
      ),
    // While one types, not while another version loads.
    placeholderData: (data, query) => (query?.queryKey[3] === version ? data : undefined),
  })

/** A page with its snippets, two hundred at a time. */
export const pageSnippetsQuery = (id: string, { version, path }: { version: string; path: string }) =>
  infiniteQueryOptions({
    queryKey: ['libraries', 'snippets', id, version, path],
    queryFn: async ({ pageParam }) => {
      const call = library.pages[':path{.+}'].$get({
        param: { ...paramOf(id), path: encodeURIComponent(path) },
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
export const flaggedQuery = (id: string) =>
  queryOptions({
    queryKey: ['libraries', 'flagged', id],
    queryFn: () => answerOf(library.flagged.$get({ param: paramOf(id), query: { pageSize: '200' } })),
  })

/** The first thousand pages that differ between two versions. */
export const changesQuery = (id: string, { from, to }: { from: string; to: string }) =>
  queryOptions({
    queryKey: ['libraries', 'changes', id, from, to],
    queryFn: () => answerOf(library.changes.$get({ param: paramOf(id), query: { ...(from && { from }), ...(to && { to }) } })),
  })

export const paramOf = (id: string) => {
  const [owner = '', repo = ''] = id.split('/')
  return { owner, repo }
}

const versionOf = (version: string) => (version === '' ? {} : { version })
