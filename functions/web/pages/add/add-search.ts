import { z } from 'zod/mini'

export const addSearch = z.object({
  from: z.catch(z._default(z.enum(['git', 'website', 'llmstxt', 'openapi', 'confluence']), 'git'), 'git'),
})
export type AddSearch = z.infer<typeof addSearch>
