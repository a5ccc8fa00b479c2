import type { OpenAI } from 'openai'
import { AppError } from '../errors.ts'
import type { AskProvider } from './ask-provider.ts'
import type { ProviderInfo } from './provider-info.ts'
import { providerRefusal, unreadable } from './provider-refusal.ts'

/** The endpoint. `headers` contain the key. */
export type Address = { baseUrl: string; headers: Record<string, string> }

/**
 * A client of the `openai` package, for OpenAI, Gemini and compatible endpoints. The package only encodes and decodes: the key, the connection
 * and the errors are ours, so its environment variables, retries and logging have no effect.
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
    // The limit is longer than one of our attempts.
    timeout: 120_000,
    logLevel: 'off',
    fetch: providerFetch(ask, info, headers),
  })
}

/** A `fetch` for SDKs. Replaces their headers with ours. */
const providerFetch =
  (ask: AskProvider, info: ProviderInfo, headers: Record<string, string>) =>
  async (url: string | URL | Request, init?: RequestInit): Promise<Response> => {
    const answer = await ask({
      url: String(url),
      method: init?.method ?? 'GET',
      headers: { accept: 'application/json', 'content-type': 'application/json', ...headers },
      body: typeof init?.body === 'string' ? init.body : undefined,
      signal: init?.signal ?? undefined,
    })
    if (answer.status < 200 || answer.status > 299) throw providerRefusal(info, answer, String(url))
    return new Response(new Uint8Array(answer.body), { status: 200, headers: { 'content-type': 'application/json' } })
  }

/** The result of an SDK call. The SDK's errors either wrap ours, or mean that it could not read the response. */
export async function decodedResult<T>(
  info: ProviderInfo,
  call: Promise<T>,
  signal: AbortSignal | undefined,
  unread = 'an unreadable response',
): Promise<T> {
  try {
    return await call
  } catch (error) {
    signal?.throwIfAborted()
    throw wrappedError(error) ?? unreadable(info, unread, error)
  }
}

function wrappedError(error: unknown): AppError | undefined {
  if (error instanceof AppError) return error
  return error instanceof Error ? wrappedError(error.cause) : undefined
}

export const bearerHeaders = (key: string | undefined): Record<string, string> =>
  key === undefined ? {} : { authorization: `Bearer ${key}` }
