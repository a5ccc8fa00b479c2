import { queryOptions } from '@tanstack/react-query'
import type { InferResponseType } from 'hono/client'
import { answerOf } from '../../../shared/web/api/answer-of.ts'
import { api } from './api.ts'
import { paramOf } from './page-list-query.ts'

const library = api.projects[':owner'][':repo']
export type VersionFacts = InferResponseType<typeof library.versions.$get, 200>['versions'][number]

/** The default content and the versions of a library, by its id without the first slash. */
export const versionsQuery = (id: string) =>
  queryOptions({
    queryKey: ['libraries', 'versions', id],
    queryFn: async () => (await answerOf(library.versions.$get({ param: paramOf(id) }))).versions,
  })

/** The tags and branches at the git host, which is asked once a minute at most. */
export const remoteNamesQuery = (id: string) =>
  queryOptions({
    queryKey: ['libraries', 'remote-names', id],
    queryFn: () => answerOf(library['remote-names'].$get({ param: paramOf(id) })),
    staleTime: 60_000,
    retry: false,
  })
