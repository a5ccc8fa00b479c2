import { z } from 'zod/mini'

/** A path of this server. Browsers read "//" and "/\" as the start of another host. */
const ownPath = z.string().check(z.regex(/^\/(?![/\\])/))

/** `next` is the page to open after the sign-in. A link of a stranger must not lead to another site from here. */
export const signInSearch = z.object({ next: z.catch(z._default(ownPath, '/'), '/') })
