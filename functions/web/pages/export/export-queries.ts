import { keepPreviousData, type Query, queryOptions } from '@tanstack/react-query'
import { answerOf, stateOf } from '../../../../shared/web/api/answer-of.ts'
import { ApiError } from '../../../../shared/web/api/api-error.ts'
import { api } from '../../api/api.ts'
import { isHidden } from '../../api/delete-later.ts'

const routes = api.teamspaces[':team']

export const currentId = 'current'

const readExports = (team: string) => answerOf(routes.exports.$get({ param: { team } }))
export type TeamExports = Awaited<ReturnType<typeof readExports>>

export const exportsQuery = (team: string) =>
  queryOptions({ queryKey: ['exports', team, 'list'], queryFn: () => readExports(team) })

export const readExport = (team: string, id: string) => answerOf(routes.exports[':id'].$get({ param: { team, id } }))
export type TeamExport = Awaited<ReturnType<typeof readExport>>

/** One export with its download address. It is polled while it is built, less often the longer that takes. */
export const exportQuery = (team: string, id: string) =>
  queryOptions({
    queryKey: ['exports', team, 'one', id],
    queryFn: () => readExport(team, id),
    refetchInterval: (query: Query<TeamExport>) => pauseMs(query.state),
  })

const firstPauseMs = 400
const maxPauseMs = 5_000

function pauseMs({ data, error, dataUpdateCount }: Query<TeamExport>['state']): number | false {
  if (data && data.state !== 'building') return false
  if (error instanceof ApiError && error.status >= 400 && error.status < 500) return false
  return Math.min(maxPauseMs, firstPauseMs * 1.3 ** dataUpdateCount)
}

const searchExportable = (team: string, q: string) => answerOf(routes.exports.libraries.$get({ param: { team }, query: { q } }))
export type ExportableLibrary = Awaited<ReturnType<typeof searchExportable>>['libraries'][number]

/** Public libraries that a name may mean. */
export const exportableQuery = (team: string, q: string) =>
  queryOptions({
    queryKey: ['exportable', team, q],
    queryFn: () => searchExportable(team, q),
    enabled: q !== '',
    placeholderData: keepPreviousData,
  })

async function readSelections(team: string) {
  const { selections } = await answerOf(routes.selections.$get({ param: { team } }))
  return { selections: selections.filter(({ id }) => !isHidden(selectionItem(team, id))) }
}
export type ListedSelection = Awaited<ReturnType<typeof readSelections>>['selections'][number]

/** The beginning of the keys of all queries of selections. */
export const selectionsKey = (team: string) => ['selections', team] as const

/** The name under which a selection is hidden before it is deleted. */
export const selectionItem = (team: string, id: string) => `${team} selection ${id}`

/** The saved selections. */
export const selectionsQuery = (team: string) =>
  queryOptions({
    queryKey: [...selectionsKey(team), 'list'],
    queryFn: () => readSelections(team),
    select: ({ selections }) => selections.filter(({ id }) => id !== currentId),
  })

export const readSelection = (team: string, id: string) => stateOf(routes.selections[':id'].$get({ param: { team, id } }))
export type Selection = Awaited<ReturnType<typeof readSelection>>

export const selectionQuery = (team: string, id: string) =>
  queryOptions({ queryKey: [...selectionsKey(team), 'one', id], queryFn: () => readSelection(team, id), staleTime: 0 })
