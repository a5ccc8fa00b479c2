import { Readable } from 'node:stream'
import { z } from 'zod'
import { AppError, type ErrorCode, errorCodes } from '../../../shared/errors.ts'
import { visibleText } from '../../../shared/text/visible-text.ts'
import { exportAddress } from './export-address.ts'

/** Calls the API of a stage as its callers do. */
export type SmokeApi = {
  /** The body of a successful response, as text. Throws the AppError of any other one. */
  ask(path: string, request?: Request): Promise<string>
  /** The same, as JSON of this schema. */
  read<T>(path: string, schema: z.ZodType<T>, request?: Request): Promise<T>
  /** The body of an export, from the stage or from the file that it redirects to, whose host gets no key. */
  download(path: string, request: Request): Promise<AsyncIterable<Uint8Array>>
}

type Request = { signal: AbortSignal; key?: string; body?: unknown }

const ErrorAnswer = z.object({ error: z.enum(errorCodes), message: z.string() })
const maxExcerptChars = 200

export function smokeApi(baseUrl: string, key: string): SmokeApi {
  const ask: SmokeApi['ask'] = async (path, request) => {
    const response = await send(baseUrl + path, request)
    const text = await response.text()
    if (!response.ok) throw asError(response.status, text)
    return text
  }
  const send = (
    url: string,
    { signal, key: otherKey = key, body }: Partial<Request> = {},
    redirect: 'error' | 'manual' = 'error',
  ) =>
    fetch(url, {
      headers: { authorization: `Bearer ${otherKey}`, 'content-type': 'application/json' },
      redirect,
      ...(signal && { signal }),
      ...(body !== undefined && { method: 'POST', body: JSON.stringify(body) }),
    }).catch((error: unknown) => Promise.reject(unreachable(url, error, signal)))
  return {
    ask,
    async read(path, schema, request) {
      const text = await ask(path, request)
      const read = schema.safeParse(jsonOf(text))
      if (read.success) return read.data
      throw new AppError('command_failed', `The response is not one of Carrel: ${excerpt(text)}`)
    },
    async download(path, request) {
      const response = await send(baseUrl + path, request, 'manual')
      if (response.ok) return response.body ?? Readable.from([])
      if (response.status !== 303) throw asError(response.status, await response.text())
      const file = exportAddress(baseUrl, response.headers.get('location'))
      await response.body?.cancel()
      return fetchFile(file, request.signal)
    },
  }
}

/** No message shows the whole address, with which everybody could download the file. */
async function fetchFile({ href, host }: URL, signal: AbortSignal): Promise<AsyncIterable<Uint8Array>> {
  const response = await fetch(href, { redirect: 'error', signal }).catch((error: unknown) =>
    Promise.reject(unreachable(href, error, signal)),
  )
  if (response.ok) return response.body ?? Readable.from([])
  await response.body?.cancel()
  throw new AppError('command_failed', `${host} returned the status ${response.status} instead of the export.`)
}

function unreachable(url: string, cause: unknown, signal: AbortSignal | undefined): unknown {
  if (signal?.aborted) return signal.reason
  return new AppError('command_failed', `${new URL(url).origin} cannot be reached (${whyUnreachable(cause)}).`, { cause })
}

function asError(status: number, text: string): AppError {
  const answer = ErrorAnswer.safeParse(jsonOf(text)).data
  if (answer) return new AppError(answer.error satisfies ErrorCode, answer.message)
  return new AppError('command_failed', `The response has the status ${status}: ${excerpt(text)}`)
}

function jsonOf(text: string): unknown {
  try {
    return JSON.parse(text)
  } catch {
    return undefined
  }
}

const excerpt = (text: string): string => visibleText(text).slice(0, maxExcerptChars) || 'it is empty'

function whyUnreachable(error: unknown): string {
  const cause = error instanceof Error ? (error.cause ?? error) : error
  if (cause instanceof Error) return 'code' in cause ? String(cause.code) : cause.message
  return String(cause)
}
