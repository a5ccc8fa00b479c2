import type { License } from '../../shared/keys/license.ts'
import type { Policy } from '../../shared/policy/policy.ts'
import type { PolicyChange } from '../../shared/policy/policy-change.ts'

/** The stored facts of a license that was issued here. */
export type LicenseRecord = Pick<License, 'id' | 'customer' | 'kind' | 'expiresAt' | 'teamspace'>

/** The issued licenses, the revoked ones, the trusted license keys, and the policy of each license. */
export type Licenses = {
  /** Stores an issued license. `team` is the id of the teamspace that it was issued to. A revoked license stays revoked. */
  record(license: License, team?: string): Promise<void>
  find(id: string): Promise<LicenseRecord | undefined>
  /** Also for a license that was not issued here. */
  revoke(id: string): Promise<void>
  isRevoked(id: string): Promise<boolean>
  /** Ids of the recorded licenses of a teamspace. */
  issuedTo(team: string): Promise<string[]>
  /** Removes the policy and the record of a license of a teamspace. A revoked license stays revoked. */
  forget(id: string, team: string): Promise<void>
  /** Accepts licenses that are signed with this key. Throws validation_error if it is not a public key. */
  trust(publicPem: string): Promise<void>
  trustedKeys(): Promise<string[]>
  /** Allows everything if no policy is set. */
  policy(id: string): Promise<Policy>
  /** Changes the policy atomically; `check` gets the policy before and may throw. Throws validation_error if it becomes too large. */
  changePolicy(id: string, change: PolicyChange, check?: (policy: Policy) => void): Promise<Policy>
}
