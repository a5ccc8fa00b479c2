import { queryOptions } from '@tanstack/react-query'
import { answerOf } from '../../../shared/web/api/answer-of.ts'
import { api } from './api.ts'

/** The hosts for which the teamspace has stored a token, with its end. */
export const gitTokensQuery = (team: string) =>
  queryOptions({
    queryKey: ['teamspaces', team, 'git-tokens'],
    queryFn: async () => (await answerOf(api.teamspaces[':team']['git-tokens'].$get({ param: { team } }))).gitTokens,
  })
