import { queryOptions } from '@tanstack/react-query'
import { ifMatch, stateOf } from '../../../../shared/web/api/answer-of.ts'
import { changeState } from '../../../../shared/web/api/change-state.ts'
import { api } from '../../api/api.ts'

const ofTeam = api.teamspaces[':team'].rules
const ofLibrary = ofTeam[':owner'][':repo']

/** It is not fetched again automatically, because a form would lose its input. */
export const rulesQuery = (team: string) =>
  queryOptions({
    queryKey: ['teamspaces', team, 'rules'],
    queryFn: () => stateOf(ofTeam.$get({ param: { team } })),
    staleTime: 0,
    refetchOnWindowFocus: false,
    refetchOnReconnect: false,
  })

/** Replaces the rules for all libraries, or for the one with this id. Throws Conflict if they have changed since. */
export function saveRules(team: string, etag: string, library: string | undefined, rules: string[]) {
  const own = library?.toLowerCase() ?? 'global'
  const [, owner = '', repo = ''] = library?.split('/') ?? []
  return changeState(
    etag,
    (names) => (names.includes(own) ? [library === undefined ? 'The rules for all libraries' : `The rules for ${library}`] : []),
    (based) =>
      stateOf(
        library === undefined
          ? ofTeam.$put({ param: { team }, json: { rules } }, ifMatch(based))
          : ofLibrary.$put({ param: { team, owner, repo }, json: { rules } }, ifMatch(based)),
      ),
  )
}
