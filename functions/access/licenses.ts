import type { License } from '../../shared/keys/license.ts'
import type { Policy } from '../../shared/policy/policy.ts'
import type { PolicyChange } from '../../shared/policy/policy-change.ts'

/** The stored facts of a license that was issued here. */
export type LicenseRecord = Pick<License, 'id' | 'customer' | 'kind' | 'expiresAt' | 'teamspace'> & { revoked: boolean }

/** The issued licenses, the trusted license keys, and the policy of each license. */
export type Licenses = {
  /** Stores an issued license, so that it can be revoked. A revoked license stays revoked. */
  record(license: License): Promise<void>
  find(id: string): Promise<LicenseRecord | undefined>
  /** False if no license with this id was issued here. */
  revoke(id: string): Promise<boolean>
  /** Accepts licenses that are signed with this key. Throws validation_error if it is not a public key. */
  trust(publicPem: string): Promise<void>
  trustedKeys(): Promise<string[]>
  /** Allows everything if no policy is set. */
  policy(id: string): Promise<Policy>
  /** Changes the policy atomically; `check` gets the policy before and may throw. Throws validation_error if it becomes too large. */
  changePolicy(id: string, change: PolicyChange, check?: (policy: Policy) => void): Promise<Policy>
}
