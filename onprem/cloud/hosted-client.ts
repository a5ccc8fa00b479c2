import type { AskProvider } from '../../shared/ai/ask-provider.ts'
import type { PolicyAnswer } from '../../shared/api/policies.ts'
import { AppError } from '../../shared/errors.ts'
import type { PolicyChange } from '../../shared/policy/policy-change.ts'
import type { FoundLibrary } from '../../shared/search/libraries/rank-libraries.ts'
import type { RenderedAnswer } from '../../shared/search/render-answer.ts'
import { visibleText } from '../../shared/text/visible-text.ts'
import type { RequestUsage } from '../../shared/usage/record-usage.ts'
import { readContext, readError, readFound, readPolicy } from './read-hosted.ts'

/** The root URL of the hosted service, and the license key for it. */
type HostedAccess = { cloudUrl: string; key: string }

export type ContextQuestion = {
  libraryId: string
  query: string
  type: 'txt' | 'json'
  tokens: number
  fast: 'true' | 'false'
  docsLanguage?: string
}
export type SearchQuestion = { libraryName: string; query?: string; fast: 'true' | 'false' }
/** The surface and the client of the caller. */
export type Surface = { source?: string; client?: string }

/** A client of the hosted service with the license of this install. Throws the errors of the service, search_failed and timeout. */
export type HostedClient = {
  search(
    question: SearchQuestion,
    surface: Surface,
    signal: AbortSignal,
  ): Promise<{ libraries: FoundLibrary[]; searchFilterApplied: boolean }>
  context(question: ContextQuestion, surface: Surface, signal: AbortSignal): Promise<RenderedAnswer>
  policy(signal: AbortSignal): Promise<PolicyAnswer>
  changePolicy(change: PolicyChange, signal: AbortSignal): Promise<PolicyAnswer>
}

type Call = { query?: Record<string, string>; body?: string; surface?: Surface; signal: AbortSignal }

export function hostedClient(ask: AskProvider, { cloudUrl, key }: HostedAccess): HostedClient {
  async function call(method: string, path: string, { query, body, surface, signal }: Call) {
    const url = `${cloudUrl}/api${path}${query === undefined ? '' : `?${new URLSearchParams(query)}`}`
    const headers = {
      authorization: `Bearer ${key}`,
      ...(body === undefined ? {} : { 'content-type': 'application/json' }),
      ...(surface?.source === undefined ? {} : { 'x-carrel-source': surface.source }),
      ...(surface?.client === undefined ? {} : { 'x-carrel-client-ide': surface.client }),
    }
    const answer = await ask({ url, method, headers, body, signal }).catch((error: unknown) =>
      Promise.reject(asRequestError(error, signal)),
    )
    const text = answer.body.toString('utf8')
    if (answer.status !== 200) throw readError(answer.status, text, answer.headers)
    return { text, headers: answer.headers }
  }
  return {
    async search({ query, ...question }, surface, signal) {
      const params = { ...question, ...(query === undefined ? {} : { query }) }
      const { text } = await call('GET', '/v2/libs/search', { query: params, surface, signal })
      return orUnreadable(() => readFound(text))
    },
    async context({ tokens, ...question }, surface, signal) {
      const params = { ...question, tokens: String(tokens) }
      const { text, headers } = await call('GET', '/v2/context', { query: params, surface, signal })
      const rendered =
        question.type === 'json' ? orUnreadable(() => readContext(text)) : text.trim() === '' ? undefined : visibleText(text)
      if (rendered === undefined) {
        throw new AppError('no_snippets_found', `The hosted service found nothing in ${question.libraryId} for this question.`)
      }
      return { rendered, search: headers['x-carrel-search'] === 'hybrid' ? 'hybrid' : 'text' }
    },
    async policy(signal) {
      const { text } = await call('GET', '/v2/policies', { signal })
      return orUnreadable(() => readPolicy(text))
    },
    async changePolicy(change, signal) {
      const { text } = await call('PATCH', '/v2/policies', { body: JSON.stringify(change), signal })
      return orUnreadable(() => readPolicy(text))
    },
  }
}

const asRequestError = (cause: unknown, signal: AbortSignal): AppError =>
  signal.aborted
    ? new AppError('timeout', 'The hosted service did not respond in time. Try again in a moment.', { cause, retry: 'limited' })
    : new AppError(
        'search_failed',
        'The hosted service cannot be reached now. Libraries of this install are still available; try again later.',
        {
          cause,
          retry: 'limited',
        },
      )

function orUnreadable<T>(read: () => T): T {
  try {
    return read()
  } catch (cause) {
    throw new AppError('search_failed', 'The response of the hosted service has an unknown format.', { cause })
  }
}

/** The hosted service counts the use of its libraries by surface and client. It learns nothing else about the caller. */
export const hostedSurface = (usage: RequestUsage | undefined): Surface => {
  if (usage === undefined || usage.surface === 'txt') return {}
  const source = usage.surface === 'page' ? 'web' : usage.surface
  return usage.surface === 'mcp' && usage.client !== undefined ? { source, client: usage.client } : { source }
}
