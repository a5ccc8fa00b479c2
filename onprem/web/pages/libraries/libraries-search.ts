import { z } from 'zod/mini'

export const pageSize = 50

export const sortLabels = {
  'title-asc': 'Name',
  'title-desc': 'Name, from Z',
  'updated-desc': 'Last updated',
  'updated-asc': 'Oldest update',
  'snippets-desc': 'Most snippets',
  'snippets-asc': 'Fewest snippets',
  'tokens-desc': 'Most tokens',
  'tokens-asc': 'Fewest tokens',
} as const

export const originLabels = {
  '': 'All sources',
  parsed: 'From a repository',
  imported: 'Imported',
  private: 'Private',
  generated: 'Generated',
} as const
export const stateLabels = {
  '': 'All states',
  finalized: 'Ready',
  processing: 'Running',
  error: 'Failed',
  stale: 'Stale',
} as const

type Origin = keyof typeof originLabels
type State = keyof typeof stateLabels
export type Sort = keyof typeof sortLabels
const sorts = Object.keys(sortLabels) as Sort[]

/** The parameters in the address of the page. */
export const librariesSearch = z.object({
  q: z.catch(z._default(z.string(), ''), ''),
  origin: z.catch(z._default(z.enum(Object.keys(originLabels) as Origin[]), ''), ''),
  state: z.catch(z._default(z.enum(Object.keys(stateLabels) as State[]), ''), ''),
  tag: z.catch(z._default(z.string(), ''), ''),
  sort: z.catch(z._default(z.enum(sorts), 'title-asc'), 'title-asc'),
  page: z.catch(z._default(z.int().check(z.positive()), 1), 1),
})
export type LibrariesSearch = z.infer<typeof librariesSearch>
