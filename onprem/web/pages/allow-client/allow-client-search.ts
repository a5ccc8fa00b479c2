import { z } from 'zod/mini'

/** The request of a client, which the server knows by this id. */
export const allowClientSearch = z.object({ request: z.catch(z._default(z.string(), ''), '') })
