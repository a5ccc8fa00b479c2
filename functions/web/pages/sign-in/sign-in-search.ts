import { z } from 'zod/mini'

/** A path of this server. Browsers read "//" and "/\" as the start of another host. */
const ownPath = z.string().check(z.regex(/^\/(?![/\\])/))

/** `next` is the page to open after the sign-in; `ended` is what ended the session. */
export const signInSearch = z.object({
  next: z.catch(z.optional(ownPath), undefined),
  ended: z.catch(z.optional(z.enum(['sign-out', 'all-sessions', 'deletion'])), undefined),
})
