import { type ClientResponse, DetailedError, parseResponse } from 'hono/client'
import { ApiError } from './api-error.ts'

/** The body of the answer to a call of an API. Throws ApiError. */
export const answerOf: typeof parseResponse = async (call) => {
  try {
    return await parseResponse(call)
  } catch (error) {
    throw asApiError(error)
  }
}

/** The body of an answer with the ETag of the state in it. */
export const stateOf = async <Answer extends ClientResponse<unknown>>(call: Promise<Answer>) =>
  Object.assign({ etag: (await call).headers.get('etag') ?? '' }, await answerOf(call))

/** The header of a change that is based on a state. */
export const ifMatch = (etag: string) => ({ headers: { 'if-match': etag } })

function asApiError(error: unknown): unknown {
  if (error instanceof DetailedError) {
    const data: unknown = error.detail?.data
    return new ApiError(error.statusCode ?? 0, typeof data === 'object' && data !== null ? data : {}, { cause: error })
  }
  if (error instanceof TypeError)
    return new ApiError(
      0,
      { error: 'unreachable', message: 'Carrel cannot be reached. Check that the server is running.' },
      { cause: error },
    )
  return error
}
