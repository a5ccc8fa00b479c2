import type { Actor } from '../accounts/audit-log.ts'

/** The issuer that sends a request. */
export type ScimIssuer = {
  /** Its name in the settings. */
  name: string
  /** The name that it has in its tokens. */
  address: string
  /** The claim that equals an externalId. */
  claim: string
  actor: Actor
}
