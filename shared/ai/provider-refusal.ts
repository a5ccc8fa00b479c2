import { AppError, type ErrorCode } from '../errors.ts'
import { retryAfterMs } from '../network/retry-after-ms.ts'
import { redactSecrets } from '../text/redact-secrets.ts'
import type { ProviderAnswer } from './ask-provider.ts'
import type { ProviderInfo } from './provider-info.ts'

const statuses = new WeakMap<AppError, number>()

/** The status of the response that an error is about. */
export const providerStatus = (error: unknown): number | undefined =>
  error instanceof AppError ? statuses.get(error) : undefined

/** True for the error of a provider that does not have the model. */
export const isUnknownModel = (error: unknown): error is AppError => providerStatus(error) === 404

/** True for the error of a provider that rejects the content of a request: it may accept another. */
export const isRefusal = (error: unknown): boolean =>
  error instanceof AppError && error.code === 'validation_error' && statuses.has(error)

/** True if the provider may take another text: firewalls answer 403 to a text that looks like an attack. */
export const mayTakeOthers = (error: unknown): boolean => isRefusal(error) || providerStatus(error) === 403

/**
 * The error for a response with an error status, in one sentence. The status decides its kind, not the words of the provider: a refusal, a failure that a retry may pass, or one that needs other settings.
 */
export function providerRefusal(info: ProviderInfo, answer: ProviderAnswer, url?: string): AppError {
  const text = answer.body.toString('utf8')
  const message = providerMessage(text, info.secrets)
  const error = errorOf(info, answer, { text, quoted: message === '' ? '' : `: ${message}`, url })
  statuses.set(error, answer.status)
  return error
}

type Said = { text: string; quoted: string; url: string | undefined }

function errorOf(info: ProviderInfo, { status, headers }: ProviderAnswer, said: Said): AppError {
  const { name, settings } = info
  const { text, quoted } = said
  const lasting = (code: ErrorCode, sentence: string) => new AppError(code, sentence)
  const passing = (code: ErrorCode, sentence: string) => {
    const requestedMs = retryAfterMs(headers['retry-after'], new Date()) ?? retryDelayMs(text)
    return new AppError(code, sentence, { retry: 'limited', retryAfterMs: requestedMs })
  }
  if (status === 401 || status === 403) {
    const advice = permissionAdvice(text) ?? `Check ${settings}.apiKey`
    return lasting('not_configured', `${name} rejected the key or its permissions (${status})${quoted}. ${advice}.`)
  }
  if (status === 402 || (status === 429 && hasNoQuota(text)))
    return lasting('spending_limit_exceeded', `The account at ${name} has reached its quota (${status})${quoted}.`)
  if (status === 429) return passing('rate_limit_exceeded', `${name} received too many requests (429)${quoted}.`)
  if (status === 408 || status === 424 || status === 425)
    return passing('rate_limit_exceeded', `${name} is not ready (${status})${quoted}.`)
  if (status >= 500 || status === 409) return passing('provider_unavailable', `${name} failed (${status})${quoted}.`)
  if (status === 404 || status === 405) return lasting('not_configured', nothingThere(info, status, said))
  if (status < 400) {
    const sentence = `${name} responds with a redirect (${status}), which is not followed. Check ${settings}.baseUrl.`
    return lasting('not_configured', sentence)
  }
  return lasting('validation_error', `${name} rejected the request (${status})${quoted}.`)
}

/** OpenAI's identifier, which compatible endpoints share. */
const hasNoQuota = (text: string): boolean => field(field(parse(text), 'error'), 'code') === 'insufficient_quota'

/** Many servers answer 404 for a wrong path and for an unknown model. A path without a version is most likely wrong. */
function nothingThere({ name, model, settings }: ProviderInfo, status: number, { quoted, url }: Said): string {
  const missing = `${name} has no model "${model}" here (${status})${quoted}.`
  if (url === undefined) return `${missing} Check ${settings}.model.`
  if (status === 404 && /\/v\d/.test(new URL(url).pathname))
    return `${missing} Check ${settings}.model, and ${settings}.baseUrl: ${url} was asked.`
  return `There is no model at ${url} (${status})${quoted}. Check ${settings}.baseUrl: most such addresses end with /v1.`
}

/** AWS names the action that no policy allows. Access to a model is another thing that an account can lack. */
function permissionAdvice(text: string): string | undefined {
  const [, action] = /not authorized to perform:? (bedrock:[A-Za-z]{1,60})/.exec(text) ?? []
  if (action !== undefined) return `Allow ${action} on the model and on its inference profile`
  return /access to the model/i.test(text)
    ? 'Request access to the model in the console of Bedrock, and allow bedrock:InvokeModel'
    : undefined
}

/** Gemini sends it in the body. */
function retryDelayMs(text: string): number | undefined {
  const [, seconds] = /"retryDelay":\s*"(\d{1,6}(?:\.\d+)?)s"/.exec(text) ?? []
  return seconds === undefined ? undefined : Number(seconds) * 1000
}

/** The error for a response that cannot be understood. Transient: the next one may be complete. */
export const unreadable = ({ name }: Pick<ProviderInfo, 'name'>, what: string, cause?: unknown): AppError =>
  new AppError('provider_unavailable', `${name} returned ${what}.`, { cause, retry: 'limited' })

/** The error in a response that has another status, after a colon. Empty if there is none. */
export function quotedError({ secrets }: Pick<ProviderInfo, 'secrets'>, answer: unknown): string {
  const message = field(answer, 'error') === undefined ? '' : providerMessage(JSON.stringify(answer), secrets)
  return message === '' ? '' : `: ${message}`
}

/** The provider's error message, as one line without control characters, secrets and its final dot. */
function providerMessage(text: string, secrets: string[]): string {
  const line = sentenceOf(text)
    .replace(/[\p{Cc}\p{Cf}\s]+/gu, ' ')
    .trim()
  return redactSecrets(line, secrets).slice(0, 300).replace(/\.$/, '')
}

function sentenceOf(text: string): string {
  const parsed = parse(text)
  const first: unknown = Array.isArray(parsed) ? parsed[0] : parsed
  const inner = field(first, 'error') ?? first
  const message =
    typeof inner === 'string' ? inner : (field(inner, 'message') ?? field(inner, 'Message') ?? field(inner, 'detail'))
  if (typeof message === 'string') return message
  return /^\s*</.test(text) ? '' : text.slice(0, 1000)
}

const field = (value: unknown, name: string): unknown =>
  typeof value === 'object' && value !== null && name in value ? (value as Record<string, unknown>)[name] : undefined

function parse(text: string): unknown {
  try {
    return JSON.parse(text)
  } catch {
    return undefined
  }
}
