import { keepPreviousData, queryOptions } from '@tanstack/react-query'
import type { InferResponseType } from 'hono/client'
import { answerOf } from '../../../../shared/web/api/answer-of.ts'
import type { Period } from '../../../../shared/web/usage/usage-search.ts'
import { api } from '../../api/api.ts'

type Format = 'json' | 'csv'
/** `version` is empty for all requests of a library. */
export type LibraryUsageRequest = { team: string; owner: string; repo: string; days: Period; version: string }
export type TeamUsageRequest = { team: string; days: Period }

const ofTeam = api.teamspaces[':team'].usage
const ofLibrary = api.teamspaces[':team'].libraries[':owner'][':repo'].usage
export type TeamUsage = Exclude<InferResponseType<typeof ofTeam.$get, 200>, string>
export type LibraryUsageAnswer = Exclude<InferResponseType<typeof ofLibrary.$get, 200>, string>

const callOfTeam = ({ team, days }: TeamUsageRequest, format: Format) =>
  ofTeam.$get({ param: { team }, query: { days: String(days), format } })

const callOfLibrary = ({ days, version, ...param }: LibraryUsageRequest, format: Format) =>
  ofLibrary.$get({ param, query: { days: String(days), format, ...(version !== '' && { version }) } })

/** The usage of all libraries that a teamspace owns. */
export const teamUsageQuery = (request: TeamUsageRequest) =>
  queryOptions({
    queryKey: ['teamspaces', request.team, 'usage', request.days],
    queryFn: async () => {
      const answer: unknown = await answerOf(callOfTeam(request, 'json'))
      return answer as TeamUsage
    },
    placeholderData: keepPreviousData,
  })

/** The usage of one library, or of a version of it. */
export const libraryUsageQuery = (request: LibraryUsageRequest) =>
  queryOptions({
    queryKey: ['teamspaces', request.team, 'usage', 'library', request],
    queryFn: async () => {
      const answer: unknown = await answerOf(callOfLibrary(request, 'json'))
      return answer as LibraryUsageAnswer
    },
    placeholderData: keepPreviousData,
  })

export const teamUsageCsv = (request: TeamUsageRequest) => callOfTeam(request, 'csv')
export const libraryUsageCsv = (request: LibraryUsageRequest) => callOfLibrary(request, 'csv')
