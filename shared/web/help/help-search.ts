import { z } from 'zod/mini'

/** The parameter in the address of the documentation. */
export const helpSearch = z.object({ q: z.catch(z._default(z.string(), ''), '') })
