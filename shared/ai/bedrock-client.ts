import type { BedrockRuntimeClient } from '@aws-sdk/client-bedrock-runtime'
import { AppError } from '../errors.ts'
import type { AskProvider, ProviderAnswer } from './ask-provider.ts'
import { decodedResult } from './openai-client.ts'
import type { ProviderInfo } from './provider-info.ts'
import { providerRefusal } from './provider-refusal.ts'

export type BedrockAddress = {
  baseUrl: string
  region: string
  /** A Bedrock API key. Without one, requests are signed with the credentials of the machine. */
  key: string | undefined
}

/** A request of the AWS SDK. */
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
 * A client of the Bedrock runtime that sends its requests through `ask`. Of the environment it uses only the default credential chain, no
 * endpoints or tokens.
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

/** The SDK also fetches credentials from other hosts through this handler. It handles their errors itself. */
function requestHandler(ask: AskProvider, info: ProviderInfo, runtimeHost: string) {
  return {
    metadata: { handlerProtocol: 'http/1.1' },
    async handle(request: unknown, { abortSignal }: { abortSignal?: unknown } = {}) {
      const { method, headers, body, ...rest } = request as SdkRequest
      const url = urlOf(rest)
      const signal = abortSignal instanceof AbortSignal ? abortSignal : undefined
      const answer = await ask({ url: url.href, method, headers, body, signal })
      const isRuntime = url.host === runtimeHost
      if (isRuntime && (answer.status < 200 || answer.status > 299)) throw providerRefusal(info, withMissingModel(answer))
      return { response: { statusCode: answer.status, headers: answer.headers, body: new Uint8Array(answer.body) } }
    },
  }
}

/** Bedrock answers 400 for a model that it does not have, or only by an inference profile. */
const withMissingModel = (answer: ProviderAnswer): ProviderAnswer =>
  answer.status === 400 && /on-demand throughput|model identifier is invalid/.test(answer.body.toString('utf8'))
    ? { ...answer, status: 404 }
    : answer

function urlOf({ protocol, hostname, port, path, query }: Omit<SdkRequest, 'method' | 'headers' | 'body'>): URL {
  const url = new URL(`${protocol}//${hostname}${port === undefined ? '' : `:${port}`}${path}`)
  for (const [name, value] of Object.entries(query ?? {}))
    for (const each of [value].flat()) url.searchParams.append(name, each ?? '')
  return url
}

/** The result of an SDK call. Throws not_configured if there are no credentials. */
export async function sdkResult<T>(info: ProviderInfo, call: Promise<T>, signal: AbortSignal | undefined): Promise<T> {
  const missingCredentials = (error: unknown): never => {
    if (!(error instanceof Error) || !/Credentials|TokenProvider/.test(error.name)) throw error
    const sentence = `${info.name} needs ${info.settings}.apiKey, or AWS credentials on this machine (role, profile or environment).`
    throw new AppError('not_configured', sentence, { cause: error })
  }
  return decodedResult(info, call.catch(missingCredentials), signal)
}
