import { z } from 'zod/mini'

export const pageSize = 50

export const stateLabels = { '': 'All states', ready: 'Ready', running: 'Running', failed: 'Failed' } as const
export type StateFilter = keyof typeof stateLabels
const states = Object.keys(stateLabels) as StateFilter[]

/** The parameters in the address of the page. */
export const librariesSearch = z.object({
  q: z.catch(z._default(z.string(), ''), ''),
  state: z.catch(z._default(z.enum(states), ''), ''),
  page: z.catch(z._default(z.int().check(z.positive()), 1), 1),
})
export type LibrariesSearch = z.infer<typeof librariesSearch>
