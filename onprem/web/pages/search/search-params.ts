import { z } from 'zod/mini'

/** The parameters in the address of the search. `library` is the id of the only library that is searched. */
export const searchParams = z.object({
  q: z.catch(z._default(z.string(), ''), ''),
  library: z.catch(z._default(z.string(), ''), ''),
})
