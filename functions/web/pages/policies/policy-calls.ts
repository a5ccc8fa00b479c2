import type { PolicyChange } from '../../../../shared/policy/policy-change.ts'
import { answerOf, ifMatch, stateOf } from '../../../../shared/web/api/answer-of.ts'
import { api } from '../../api/api.ts'

const ofTeam = api.teamspaces[':team'].policy
const ofLicense = api.teamspaces[':team'].licenses[':id'].policy

/** The policy of a teamspace, which its keys have. */
export const teamPolicy = (team: string) => ({
  key: ['teamspaces', team, 'policy'],
  read: () => stateOf(ofTeam.$get({ param: { team } })),
  change: (json: PolicyChange, etag: string) => stateOf(ofTeam.$patch({ param: { team }, json }, ifMatch(etag))),
  preview: (json: PolicyChange) => answerOf(ofTeam.preview.$post({ param: { team }, json })),
})

export type PolicyCalls = ReturnType<typeof teamPolicy>

/** The policy of an install with this license. */
export const licensePolicy = (team: string, id: string): PolicyCalls => ({
  key: ['teamspaces', team, 'licenses', id, 'policy'],
  read: () => stateOf(ofLicense.$get({ param: { team, id } })),
  change: (json, etag) => stateOf(ofLicense.$patch({ param: { team, id }, json }, ifMatch(etag))),
  preview: (json) => answerOf(ofLicense.preview.$post({ param: { team, id }, json })),
})
