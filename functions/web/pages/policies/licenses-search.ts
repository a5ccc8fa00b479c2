import { z } from 'zod/mini'

/** The license whose policy the page shows; the list of licenses if it is empty. */
export const licensesSearch = z.object({ license: z.catch(z._default(z.string(), ''), '') })
