import { z } from 'zod'
import { PolicyAnswer } from '../../shared/api/policies.ts'
import { AppError, type ErrorCode, errorCodes } from '../../shared/errors.ts'
import { isLibraryId, parseLibraryId } from '../../shared/library.ts'
import { retryAfterMs } from '../../shared/network/retry-after-ms.ts'
import type { FoundLibrary } from '../../shared/search/libraries/rank-libraries.ts'
import { excerpt } from '../../shared/text/excerpt.ts'
import { visible, visibleText } from '../../shared/text/visible-text.ts'

const maxMessageLength = 1_000

const text = z.string().overwrite(visibleText).catch('')
const integer = (unknown: number) => z.int().catch(unknown)
const score = (unknown: number) => z.number().catch(unknown)
/** An unknown date is the oldest, as in the catalog of an install. */
const date = z.iso.datetime().catch(new Date(0).toISOString())
const HostedLibrary = z.object({
  id: z.string().refine((id) => isLibraryId(id) && parseLibraryId(id).version === undefined),
  title: text,
  description: text,
  branch: text,
  version: text.optional(),
  commitDate: z.iso.datetime().optional().catch(undefined),
  lastUpdateDate: date,
  state: z.enum(['initial', 'processing', 'finalized', 'error']).catch('finalized'),
  totalTokens: integer(-1),
  totalSnippets: integer(-1),
  codeSnippets: z.int().optional().catch(undefined),
  stars: integer(-1),
  license: text.optional().catch(undefined),
  trustScore: score(-1),
  benchmarkScore: score(0),
  versions: z.array(z.string().overwrite(visibleText)).catch([]),
  source: text,
  exact: z.literal(false).optional().catch(undefined),
  sameOwner: z.literal(true).optional().catch(undefined),
})
const FoundAnswer = z.object({ results: z.array(z.unknown()), searchFilterApplied: z.boolean().catch(false) })
const Ranked = z.looseObject({ rank: z.int().optional() })
const ContextAnswer = z.looseObject({ codeSnippets: z.array(Ranked), infoSnippets: z.array(Ranked) })
const ErrorAnswer = z.object({ error: z.string(), message: z.string(), redirectUrl: z.string().optional() })
const Signals = PolicyAnswer.shape.unknownSignals.catch([])

/** The libraries that the hosted service found. Invalid entries are omitted. */
export function readFound(body: string): { libraries: FoundLibrary[]; searchFilterApplied: boolean } {
  const { results, searchFilterApplied } = FoundAnswer.parse(JSON.parse(body))
  const libraries = results.flatMap((each) => {
    const { data } = HostedLibrary.safeParse(each)
    if (data === undefined) return []
    const { license: codeLicense, ...found } = data
    return [{ ...found, ...(codeLicense && { codeLicense }), source: sourceOf(data.source), aliases: [] }]
  })
  return { libraries, searchFilterApplied }
}

/** The JSON of a context in the format of an install; undefined if it has no snippets. */
export function readContext(body: string): string | undefined {
  const answer = ContextAnswer.parse(JSON.parse(body))
  const { codeSnippets, infoSnippets } = answer
  if (codeSnippets.length + infoSnippets.length === 0) return undefined
  const ranked = (list: typeof codeSnippets, before: number) =>
    list.map((each, i) => ({ ...each, rank: each.rank ?? before + i + 1 }))
  return JSON.stringify(
    visible({
      ...answer,
      codeSnippets: ranked(codeSnippets, 0),
      infoSnippets: ranked(infoSnippets, codeSnippets.length),
    }),
  )
}

export function readPolicy(body: string): PolicyAnswer {
  const answer: unknown = JSON.parse(body)
  const { unknownSignals } = z.object({ unknownSignals: Signals }).parse(answer)
  return { ...PolicyAnswer.omit({ unknownSignals: true }).parse(answer), unknownSignals }
}

/** The error of the hosted service as an AppError. A rejected key is always the license, never the caller's key. */
export function readError(status: number, body: string, headers: Record<string, string>): AppError {
  const { data } = ErrorAnswer.safeParse(parseJson(body))
  const message = visibleText(excerpt(data?.message ?? '', maxMessageLength))
  if (data?.redirectUrl !== undefined)
    return new AppError('library_not_found', `This library has moved: use ${visibleText(excerpt(data.redirectUrl, 500))}.`)
  if (status === 401)
    return new AppError('forbidden', `The hosted service does not accept the license of this install. ${message}`.trim())
  const code = errorCodes.find((each) => each === data?.error)
  if (code !== undefined && status >= 400 && status < 500)
    return new AppError(code, message, { fields: fieldsOf(code, body), ...rateLimitOf(headers) })
  return new AppError('search_failed', `The hosted service failed with status ${status}. Try again in a moment.`, {
    retry: 'limited',
    retryAfterMs: rateLimitOf(headers).retryAfterMs,
  })
}

/** The rate limit headers of the hosted service, passed on to the caller. */
const rateLimitOf = (headers: Record<string, string>) => ({
  retryAfterMs: retryAfterMs(headers['retry-after'], new Date()),
  limitRequests: /^\d{1,9}$/.test(headers['ratelimit-limit'] ?? '') ? Number(headers['ratelimit-limit']) : undefined,
})

const fieldsOf = (code: ErrorCode, body: string): Record<string, unknown> =>
  code === 'no_libraries_found' && /"searchFilterApplied":\s*true/.test(body) ? { searchFilterApplied: true } : {}

/** The prefix prevents that a hosted library looks like local content. */
const sourceOf = (source: string): string => (source === '' ? 'Hosted' : `Hosted: ${source}`)

function parseJson(body: string): unknown {
  try {
    return JSON.parse(body)
  } catch {
    return undefined
  }
}
