import { z } from 'zod'
import { GitHostUrl } from '../../shared/schemas/git-host-list.ts'
import { LibraryIdParam } from '../../shared/schemas/library-id-param.ts'
import { shortText } from '../../shared/schemas/short-text.ts'

/** The senders of webhooks. `generic` is any program that signs as `X-Carrel-Signature` describes. */
export const hookKinds = ['github', 'gitlab', 'gitea', 'bitbucket', 'generic'] as const
export type HookKind = (typeof hookKinds)[number]

const secretRule = 'must be 16 to 200 plain ASCII characters, with no space at its ends'
/** Anything else would decode to a short key, or to none. */
const signingTokenRule = 'begins with whsec_, so it must be a signing token: base64 of at least 16 bytes after whsec_'

export const NewHook = z.strictObject({
  kind: z.enum(hookKinds).describe('The sender. gitea is also Forgejo, bitbucket is Cloud and Data Center'),
  name: shortText(100).optional().describe('Name in lists; by default the kind with the library or host'),
  library: LibraryIdParam.optional().describe('The only library that the webhook refreshes, such as /owner/repo'),
  host: GitHostUrl.optional().describe(
    'Without library: the address of the host whose libraries it refreshes, as the settings of git hosts name it. By default that of its kind; a generic webhook without both refreshes any library',
  ),
  secret: z
    .string()
    .regex(/^[\x21-\x7e][\x20-\x7e]{14,198}[\x21-\x7e]$/, secretRule)
    .regex(/^(?!whsec_)|^whsec_[A-Za-z0-9+/]{22,}={0,2}$/, signingTokenRule)
    .optional()
    .describe('The secret if the host has chosen one, such as a signing token of GitLab (whsec_…); otherwise Carrel makes one'),
})
export type NewHook = z.infer<typeof NewHook>

/** A webhook refreshes one `library` (its id), else the libraries of one `host`, else any library. */
export type Hook = { id: string; kind: HookKind; name: string; library: string | null; host: string | null; createdAt: string }

export const deliveryOutcomes = ['queued', 'joined', 'follows', 'ignored', 'repeated', 'rejected', 'failed'] as const
export type DeliveryOutcome = (typeof deliveryOutcomes)[number]

/**
 * A delivery and its effect. `joined`: a queued refresh serves it, too. `follows`: one refresh follows the running job.
 * Equal outcomes are one entry with a number.
 */
export type Delivery = {
  /** Such as `push`; empty if the sender is not proven. */
  event: string
  library: string | null
  outcome: DeliveryOutcome
  detail: string
  /** The job that refreshes, or that it waits for. */
  job: number | null
  times: number
  /** The time of the last of them. */
  at: string
}

/** The path at which a webhook receives deliveries. */
export const hookPath = (id: string): string => `/api/hooks/${id}`
