import type { License } from '../../shared/keys/license.ts'
import type { Policy } from '../../shared/policy/policy.ts'
import type { PolicyChange } from '../../shared/policy/policy-change.ts'

/** What is kept of a license that was issued here. */
export type LicenseRecord = Pick<License, 'id' | 'customer' | 'kind' | 'expiresAt' | 'teamspace'> & { revoked: boolean }

/** What the hosted service knows of licenses, and the policy of each. */
export type Licenses = {
  /** Keeps what was issued here, so that it can be revoked. A license that was revoked stays so. */
  record(license: License): Promise<void>
  find(id: string): Promise<LicenseRecord | undefined>
  /** False where no license with this id was issued here. */
  revoke(id: string): Promise<boolean>
  /** Takes licenses of another development install for good. Throws validation_error for what is no public key. */
  trust(publicPem: string): Promise<void>
  trustedKeys(): Promise<string[]>
  /** Open where nobody has set one. */
  policy(id: string): Promise<Policy>
  /** Changes the policy in one piece, whoever else does at the same time. Throws validation_error where it becomes too large. */
  changePolicy(id: string, change: PolicyChange): Promise<Policy>
}
