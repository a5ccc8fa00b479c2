import { z } from 'zod/mini'

/** The code that a command line shows, if its address has it. */
export const deviceSearch = z.object({ code: z.catch(z._default(z.string(), ''), '') })
