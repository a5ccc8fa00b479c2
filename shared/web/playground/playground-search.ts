import { z } from 'zod/mini'

/** The tokens that an answer may have. */
export const tokenRange = { min: 500, max: 50_000 }

/** One setting of a question: a column of the comparison. */
const Setting = z.object({
  tokens: z.catch(z._default(z.int().check(z.gte(tokenRange.min), z.lte(tokenRange.max)), 5000), 5000),
  fast: z.catch(z._default(z.boolean(), false), false),
  vectors: z.catch(z._default(z.boolean(), true), true),
})
export type Setting = z.infer<typeof Setting>
export const defaultSetting: Setting = Setting.parse({})

/** The second column of a comparison, which may ask another library or version. */
const ComparedSetting = z.extend(Setting, { library: z.catch(z.optional(z.string()), undefined) })
export type ComparedSetting = z.infer<typeof ComparedSetting>

export const views = ['rendered', 'text', 'json'] as const

/** The characters of a question, which is a part of the address. */
export const maxQuestion = 500

/** An answer of each is shown on one page. */
export const maxLibraries = 5

/** Stands for all libraries in a list of ids. */
export const allLibraries = 'all'

/** An address has one library as its id, and several as a list. */
const Libraries = z.pipe(
  z.union([z.string(), z.array(z.string())]),
  z.pipe(
    z.transform((value: string | string[]) => [value].flat()),
    z.array(z.string()).check(z.maxLength(maxLibraries)),
  ),
)

/** The parameters in the address of the page: a link shows a colleague the same answer. */
export const playgroundSearch = z.object({
  libraries: z.catch(z._default(Libraries, []), []),
  question: z.catch(z._default(z.string(), ''), ''),
  view: z.catch(z._default(z.enum(views), 'rendered'), 'rendered'),
  a: z.catch(z._default(Setting, defaultSetting), defaultSetting),
  /** The second column, if two are compared. */
  b: z.catch(z.optional(ComparedSetting), undefined),
})
export type PlaygroundSearch = z.infer<typeof playgroundSearch>

/** An address may have a question that is too long to ask. */
export const isAsked = ({ libraries, question }: Pick<PlaygroundSearch, 'libraries' | 'question'>): boolean =>
  libraries.length > 0 && question.trim() !== '' && question.length <= maxQuestion

/** The same parameters for an address: one library is its id, and a setting has only what differs from its default. */
export function shortSearch<Search extends Partial<PlaygroundSearch>>(search: Search): Search {
  const { libraries, a, b } = search
  const short = {
    ...search,
    ...(libraries?.length === 1 && { libraries: libraries[0] }),
    ...(a && { a: changesOf(a) }),
    ...(b && { b: changesOf(b) }),
  }
  // The schema of the page reads both forms.
  return short as Search
}

const changesOf = (setting: ComparedSetting): Partial<ComparedSetting> =>
  Object.fromEntries(
    Object.entries(setting).filter(([name, value]) => value !== undefined && value !== defaultSetting[name as keyof Setting]),
  )
