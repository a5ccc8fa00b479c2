import { queryOptions } from '@tanstack/react-query'
import { answerOf } from '../../../shared/web/api/answer-of.ts'
import { api } from './api.ts'

/** The public libraries that the teamspace has opted out. */
export const optOutsQuery = (team: string) =>
  queryOptions({
    queryKey: ['teamspaces', team, 'opt-outs'],
    queryFn: async () => (await answerOf(api.teamspaces[':team']['opt-outs'].$get({ param: { team } }))).optOuts,
  })
