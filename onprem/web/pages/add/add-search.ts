import { z } from 'zod/mini'

const text = () => z.catch(z._default(z.string(), ''), '')

/** `q` and `group` filter the popular libraries. */
export const addSearch = z.object({
  from: z.catch(
    z._default(z.enum(['git', 'popular', 'website', 'llmstxt', 'openapi', 'confluence', 'files', 'bundle']), 'git'),
    'git',
  ),
  q: text(),
  group: text(),
})
export type AddSearch = z.infer<typeof addSearch>
