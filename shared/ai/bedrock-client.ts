import type { BedrockRuntimeClient } from '@aws-sdk/client-bedrock-runtime'
import { AppError } from '../errors.ts'
import type { AskProvider } from './ask-provider.ts'
import { decodedResult } from './openai-client.ts'
import type { ProviderInfo } from './provider-info.ts'
import { providerRefusal } from './provider-refusal.ts'

export type BedrockAddress = {
  baseUrl: string
  region: string
  /** A Bedrock API key; without one the machine's own credentials sign. */
  key: string | undefined
}

/** What the client asks its handler for. */
type SdkRequest = {
  method: string
  protocol: string
  hostname: string
  port?: number
  path: string
  query?: Record<string, string | string[] | null>
  headers: Record<string, string>
  body?: string | Uint8Array
}

/**
 * The client of Bedrock's runtime, whose requests go our way. What its environment says of endpoints and tokens does not count, only the
 * credentials of the default chain do.
 */
export async function bedrockClient(
  address: BedrockAddress,
  info: ProviderInfo,
  ask: AskProvider,
): Promise<BedrockRuntimeClient> {
  const { BedrockRuntimeClient } = await import('@aws-sdk/client-bedrock-runtime')
  const { baseUrl, region, key } = address
  return new BedrockRuntimeClient({
    region,
    endpoint: baseUrl,
    maxAttempts: 1,
    useFipsEndpoint: false,
    useDualstackEndpoint: false,
    userAgentAppId: '',
    requestHandler: requestHandler(ask, info, new URL(baseUrl).host),
    ...(key === undefined
      ? { authSchemePreference: ['sigv4'] }
      : { authSchemePreference: ['httpBearerAuth'], token: { token: key } }),
  })
}

/** Credentials are asked for of other hosts by the same handler, in the SDK's own words. */
function requestHandler(ask: AskProvider, info: ProviderInfo, runtimeHost: string) {
  return {
    metadata: { handlerProtocol: 'http/1.1' },
    async handle(request: unknown, { abortSignal }: { abortSignal?: unknown } = {}) {
      const { method, headers, body, ...rest } = request as SdkRequest
      const url = urlOf(rest)
      const signal = abortSignal instanceof AbortSignal ? abortSignal : undefined
      const answer = await ask({ url: url.href, method, headers, body, signal })
      const isOurs = url.host === runtimeHost
      if (isOurs && (answer.status < 200 || answer.status > 299)) throw providerRefusal(info, answer)
      return { response: { statusCode: answer.status, headers: answer.headers, body: new Uint8Array(answer.body) } }
    },
  }
}

function urlOf({ protocol, hostname, port, path, query }: Omit<SdkRequest, 'method' | 'headers' | 'body'>): URL {
  const url = new URL(`${protocol}//${hostname}${port === undefined ? '' : `:${port}`}${path}`)
  for (const [name, value] of Object.entries(query ?? {}))
    for (const each of [value].flat()) url.searchParams.append(name, each ?? '')
  return url
}

/** The result of a call; without credentials it has none. */
export async function sdkResult<T>(info: ProviderInfo, call: Promise<T>, signal: AbortSignal | undefined): Promise<T> {
  const lacking = (error: unknown): never => {
    if (!(error instanceof Error) || !/Credentials|TokenProvider/.test(error.name)) throw error
    const sentence = `${info.name} needs ${info.settings}.apiKey, or credentials of this machine (role, profile or environment of AWS).`
    throw new AppError('internal_error', sentence, { cause: error, shown: true })
  }
  return decodedResult(info, call.catch(lacking), signal)
}
