import { z } from 'zod/mini'

/** One setting of a question: a column of the comparison. */
const Setting = z.object({
  tokens: z.catch(z._default(z.int().check(z.gte(500), z.lte(50_000)), 5000), 5000),
  fast: z.catch(z._default(z.boolean(), false), false),
  vectors: z.catch(z._default(z.boolean(), true), true),
})
export type Setting = z.infer<typeof Setting>
export const defaultSetting: Setting = Setting.parse({})

export const views = ['rendered', 'text', 'json'] as const

/** An answer of each is shown on one page. */
export const maxLibraries = 5

/** The parameters in the address of the page: a link shows a colleague the same answer. */
export const playgroundSearch = z.object({
  libraries: z.catch(z._default(z.array(z.string()).check(z.maxLength(maxLibraries)), []), []),
  question: z.catch(z._default(z.string(), ''), ''),
  view: z.catch(z._default(z.enum(views), 'rendered'), 'rendered'),
  a: z.catch(z._default(Setting, defaultSetting), defaultSetting),
  /** The setting of the second column, if two are compared. */
  b: z.catch(z.optional(Setting), undefined),
})
export type PlaygroundSearch = z.infer<typeof playgroundSearch>
