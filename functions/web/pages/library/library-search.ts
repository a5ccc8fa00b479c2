import { z } from 'zod/mini'
import { playgroundSearch } from '../../../../shared/web/playground/playground-search.ts'
import { Days } from '../../../../shared/web/usage/usage-search.ts'

const libraryTabs = ['content', 'ask', 'versions', 'jobs', 'usage', 'ownership', 'settings'] as const

/** The parameters in the address of the page. */
export const librarySearch = z.object({
  tab: z.catch(z._default(z.enum(libraryTabs), 'content'), 'content'),
  version: z.catch(z._default(z.string(), ''), ''),
  /** The path of the chosen page; the overview if it is empty. */
  page: z.catch(z._default(z.string(), ''), ''),
  q: z.catch(z._default(z.string(), ''), ''),
  /** The days that the usage shows. */
  days: Days,
  /** Where snippets begin and end is shown. */
  snippets: z.catch(z._default(z.boolean(), false), false),
  raw: z.catch(z._default(z.boolean(), false), false),
  /** The version that the shown one is compared with, if two are compared. */
  compare: z.catch(z.optional(z.string()), undefined),
  ...z.pick(playgroundSearch, { question: true, view: true, a: true, b: true }).shape,
})
export type LibrarySearch = z.infer<typeof librarySearch>
/** Changes parameters and keeps the others. */
export type ChangeSearch = (changes: Partial<LibrarySearch>) => void
