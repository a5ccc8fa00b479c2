import type { OpenAI } from 'openai'
import { AppError } from '../errors.ts'
import type { AskProvider } from './ask-provider.ts'
import type { ProviderInfo } from './provider-info.ts'
import { providerRefusal, unreadable } from './provider-refusal.ts'

/** Where requests go, and with what; `headers` carry the key. */
export type Address = { baseUrl: string; headers: Record<string, string> }

/**
 * The client of the `openai` package, which also speaks to Gemini and to every endpoint of that kind. It encodes and decodes; the key, the way
 * there and all errors are ours, so that nothing of its environment, its retries and its logging has a say.
 */
export async function openaiClient({ baseUrl, headers }: Address, info: ProviderInfo, ask: AskProvider): Promise<OpenAI> {
  const { OpenAI } = await import('openai')
  return new OpenAI({
    baseURL: baseUrl,
    apiKey: 'sent by fetch below',
    adminAPIKey: null,
    organization: null,
    project: null,
    webhookSecret: null,
    maxRetries: 0,
    // Longer than an attempt of ours lasts.
    timeout: 120_000,
    logLevel: 'off',
    fetch: providerFetch(ask, info, headers),
  })
}

/** What an SDK takes for `fetch`. Of the headers that it sets none is sent but the content's type. */
export const providerFetch =
  (ask: AskProvider, info: ProviderInfo, headers: Record<string, string>) =>
  async (url: string | URL | Request, init?: RequestInit): Promise<Response> => {
    const answer = await ask({
      url: String(url),
      method: init?.method ?? 'GET',
      headers: { accept: 'application/json', 'content-type': 'application/json', ...headers },
      body: typeof init?.body === 'string' ? init.body : undefined,
      signal: init?.signal ?? undefined,
    })
    if (answer.status < 200 || answer.status > 299) throw providerRefusal(info, answer)
    return new Response(new Uint8Array(answer.body), { status: 200, headers: { 'content-type': 'application/json' } })
  }

/** The result of a call of an SDK, whose own errors wrap ours or mean that the answer was not what it should be. */
export async function decodedResult<T>(info: ProviderInfo, call: Promise<T>, signal: AbortSignal | undefined): Promise<T> {
  try {
    return await call
  } catch (error) {
    signal?.throwIfAborted()
    throw ownError(error) ?? unreadable(info, 'something that cannot be read', error)
  }
}

function ownError(error: unknown): AppError | undefined {
  if (error instanceof AppError) return error
  return error instanceof Error ? ownError(error.cause) : undefined
}

export const bearerHeaders = (key: string | undefined): Record<string, string> =>
  key === undefined ? {} : { authorization: `Bearer ${key}` }
