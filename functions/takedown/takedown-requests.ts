import { z } from 'zod'
import { LibraryIdParam } from '../../shared/schemas/library-id-param.ts'
import { visibleText } from '../../shared/text/visible-text.ts'

export const maxReasonChars = 4_000
/** The most bytes of a request as JSON or as a form. */
export const maxRequestBytes = 32 * 1024

/** A request to the operator, from somebody who does not own the repository. */
export const TakedownRequest = z.strictObject({
  library: LibraryIdParam.describe('The library that should be removed, as /owner/repo'),
  reason: z
    .string()
    .max(maxReasonChars)
    .overwrite((text) => visibleText(text).trim())
    .min(1)
    .describe('Why it should be removed, and your right to ask for that'),
  contact: z.email().max(254).describe('Your e-mail address, for the operator only'),
})
export type TakedownRequest = z.infer<typeof TakedownRequest>

/** `library` is its id. */
export type StoredRequest = Omit<TakedownRequest, 'library'> & {
  id: string
  at: string
  library: string
  state: 'open' | 'accepted' | 'rejected'
  decidedAt?: string
}

/** Requests are kept for a year. */
export type TakedownRequests = {
  /** Returns the id. */
  add(request: Pick<StoredRequest, 'library' | 'reason' | 'contact'>): Promise<string>
  /** Oldest first. */
  list(): Promise<StoredRequest[]>
  /** Throws not_found. */
  get(id: string): Promise<StoredRequest>
  /** A decision may be changed. Throws not_found. */
  decide(id: string, state: 'accepted' | 'rejected'): Promise<void>
}
