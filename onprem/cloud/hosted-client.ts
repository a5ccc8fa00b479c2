import type { AskProvider } from '../../shared/ai/ask-provider.ts'
import type { PolicyAnswer } from '../../shared/api/policies.ts'
import { AppError } from '../../shared/errors.ts'
import type { PolicyChange } from '../../shared/policy/policy-change.ts'
import type { ListedLibrary } from '../../shared/search/catalog.ts'
import type { RenderedContext } from '../../shared/search/context.ts'
import { visibleText } from '../../shared/text/visible-text.ts'
import { readContext, readFound, readPolicy, readRefusal } from './read-hosted.ts'

/** The root of the hosted service, and the license that opens it. */
export type HostedAccess = { cloudUrl: string; key: string }

export type ContextQuestion = { libraryId: string; query: string; type: 'txt' | 'json'; tokens: number; fast: 'true' | 'false' }
export type SearchQuestion = { libraryName: string; query?: string; fast: 'true' | 'false' }
/** On which surface our own caller asked. */
export type Surface = { source?: string; client?: string }

/** The hosted service under the license of an install. Throws what it refuses with, search_failed and timeout. */
export type HostedClient = {
  search(
    question: SearchQuestion,
    surface: Surface,
    signal: AbortSignal,
  ): Promise<{ libraries: ListedLibrary[]; searchFilterApplied: boolean }>
  context(question: ContextQuestion, surface: Surface, signal: AbortSignal): Promise<RenderedContext>
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
      Promise.reject(noAnswer(error, signal)),
    )
    const text = answer.body.toString('utf8')
    if (answer.status !== 200) throw readRefusal(answer.status, text, answer.headers)
    return { text, headers: answer.headers }
  }
  return {
    async search({ query, ...question }, surface, signal) {
      const asked = { ...question, ...(query === undefined ? {} : { query }) }
      const { text } = await call('GET', '/v2/libs/search', { query: asked, surface, signal })
      return understood(() => readFound(text))
    },
    async context({ tokens, ...question }, surface, signal) {
      const asked = { ...question, tokens: String(tokens) }
      const { text, headers } = await call('GET', '/v2/context', { query: asked, surface, signal })
      const rendered =
        question.type === 'json' ? understood(() => readContext(text)) : text.trim() === '' ? undefined : visibleText(text)
      if (rendered === undefined) {
        throw new AppError(
          'no_snippets_found',
          `The hosted service has nothing in ${question.libraryId} that matches this question.`,
        )
      }
      return { rendered, search: headers['x-carrel-search'] === 'hybrid' ? 'hybrid' : 'text' }
    },
    async policy(signal) {
      const { text } = await call('GET', '/v2/policies', { signal })
      return understood(() => readPolicy(text))
    },
    async changePolicy(change, signal) {
      const { text } = await call('PATCH', '/v2/policies', { body: JSON.stringify(change), signal })
      return understood(() => readPolicy(text))
    },
  }
}

const noAnswer = (cause: unknown, signal: AbortSignal): AppError =>
  signal.aborted
    ? new AppError('timeout', 'The hosted service did not answer in time. Ask again in a moment.', { cause, transient: true })
    : new AppError(
        'search_failed',
        'The hosted service cannot be reached now. Libraries of this install answer; ask again later.',
        {
          cause,
          transient: true,
        },
      )

function understood<T>(read: () => T): T {
  try {
    return read()
  } catch (cause) {
    throw new AppError('search_failed', 'The hosted service answered in a form that is not known here.', { cause })
  }
}
