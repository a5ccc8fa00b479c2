import type { hc } from 'hono/client'
import { AppError, errorCodes } from '../../../shared/errors.ts'
import type { ErrorBody } from '../../../shared/http/to-http.ts'
import { type LibraryId, printLibraryId } from '../../../shared/library.ts'
import type { AppType } from '../../server.ts'

type Api = ReturnType<typeof hc<AppType>>['api']

/** The API of the install in DATA_DIR: that of its running server, or of the same server in this process. */
export type Connection = {
  api: Api
  /** Sends a body that is too large for `api`. */
  send(path: string, init: RequestInit): Promise<Response>
  /** Runs these queued jobs and no others until `close`. Undefined if a server runs all jobs. */
  runJobs?(ids: readonly number[]): Promise<void>
  close(): Promise<void>
}

/** The header counts questions as those of the command line. */
export const connectionHeaders = (token: string) => ({ authorization: `Bearer ${token}`, 'x-carrel-source': 'cli' })

/** Resolves with a successful response of the API. Throws the error of any other one. */
export async function call<Answer extends Pick<Response, 'ok' | 'status' | 'text'>>(sent: Promise<Answer>): Promise<Answer> {
  const answer = await sent
  if (answer.ok) return answer
  throw asError(await answer.text(), answer.status)
}

function asError(body: string, status: number): AppError {
  const { error, message, ...fields } = readBody(body)
  if (typeof message !== 'string' && isUrlTooLong(status))
    return new AppError('validation_error', 'The question is too long. Ask a shorter one.')
  if (typeof message !== 'string') return new AppError('command_failed', `The server responded with status ${status}.`)
  return new AppError(errorCodes.find((code) => code === error) ?? 'internal_error', message, { fields })
}

/** Node answers with 431 before the server sees the request, a proxy with 414. Only questions and names are part of the URL. */
const isUrlTooLong = (status: number): boolean => status === 414 || status === 431

function readBody(body: string): Partial<ErrorBody> {
  try {
    return JSON.parse(body) as ErrorBody
  } catch {
    return {}
  }
}

/** The id as a parameter of a path. Hono's client encodes no parameters. */
export const pathOf = (id: LibraryId): string => printLibraryId(id).slice(1).split('/').map(encodeURIComponent).join('/')
