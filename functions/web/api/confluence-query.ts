import { queryOptions } from '@tanstack/react-query'
import { answerOf } from '../../../shared/web/api/answer-of.ts'
import { api } from './api.ts'

/** The Confluence site of the teamspace, with the end of its token; null if none is stored. */
export const confluenceQuery = (team: string) =>
  queryOptions({
    queryKey: ['teamspaces', team, 'confluence'],
    queryFn: async () => (await answerOf(api.teamspaces[':team'].confluence.$get({ param: { team } }))).confluence,
  })
