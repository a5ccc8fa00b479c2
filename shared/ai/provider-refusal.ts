import { AppError, type ErrorCode } from '../errors.ts'
import { retryAfterMs } from '../network/retry-after-ms.ts'
import { redactSecrets } from '../text/redact-secrets.ts'
import type { ProviderAnswer } from './ask-provider.ts'
import type { ProviderInfo } from './provider-info.ts'

const tooLong =
  /context.{0,20}(length|window|size)|maximum.{0,30}(tokens|length|input)|too (long|large|many (input )?tokens|many inputs)|token limit|max(imum)?[_ ](allowed )?(batch|tokens|input)|batch size|expected maxLength/i
/** Excludes Gemini's message for too many requests per minute: "You exceeded your current quota". */
const quota = /insufficient_quota|billing_hard_limit|credit balance/i
const unknownModel =
  /model.{0,60}(not (found|exist|supported)|does not exist|identifier is invalid|unknown)|(unknown|invalid|no such) model|not_found_error/i

/** Bedrock offers the model, but only by an inference profile. */
const needsProfile = /on-demand throughput/

const unknownModels = new WeakSet<AppError>()

/** True for the error of a provider that does not have the model. */
export const isUnknownModel = (error: unknown): error is AppError => error instanceof AppError && unknownModels.has(error)

/**
 * The error for a response with an error status, in one sentence. `payload_too_large` if a text or a batch is too large for the model and a
 * smaller one may succeed. `validation_error` if the model does not accept this form of request.
 */
export function providerRefusal(info: ProviderInfo, { status, headers, body }: ProviderAnswer): AppError {
  const { name, model, settings, secrets } = info
  const text = body.toString('utf8')
  const message = providerMessage(text, secrets)
  const quoted = message === '' ? '' : `: ${message}`
  const requestedPauseMs = retryAfterMs(headers['retry-after'], new Date()) ?? retryDelayMs(text)
  const refusal = (code: ErrorCode, sentence: string, more: { transient?: boolean; retryAfterMs?: number | undefined } = {}) =>
    new AppError(code, sentence, { shown: true, ...more })
  if (status === 401 || status === 403) {
    return refusal(
      'internal_error',
      `${name} rejected the key or its permissions (${status})${quoted}. ${permissionAdvice(text) ?? `Check ${settings}.apiKey`}.`,
    )
  }
  if (status === 413 || ((status === 400 || status === 422) && tooLong.test(text))) {
    return refusal('payload_too_large', `${name} does not accept a text of this length (${status})${quoted}.`)
  }
  if (status === 402 || ((status === 400 || status === 429) && quota.test(text))) {
    return refusal('spending_limit_exceeded', `The account at ${name} has reached its quota (${status})${quoted}.`)
  }
  if (status === 429) {
    const retry = { transient: true, retryAfterMs: requestedPauseMs }
    return refusal('rate_limit_exceeded', `${name} received too many requests (429)${quoted}.`, retry)
  }
  if (status >= 500 || status === 408 || status === 409 || status === 425) {
    const retry = { transient: true, retryAfterMs: requestedPauseMs }
    return refusal('internal_error', `${name} failed (${status})${quoted}.`, retry)
  }
  if (status === 404 || unknownModel.test(text) || needsProfile.test(text)) {
    const error = refusal('internal_error', `${name} has no model "${model}" here (${status})${quoted}. Check ${settings}.model.`)
    unknownModels.add(error)
    return error
  }
  if (status < 400) {
    return refusal(
      'internal_error',
      `${name} responds with a redirect (${status}), which is not followed. Check ${settings}.baseUrl.`,
    )
  }
  return refusal('validation_error', `${name} rejected the request (${status})${quoted}.`)
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
  new AppError('internal_error', `${name} returned ${what}.`, { cause, shown: true, transient: true })

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
