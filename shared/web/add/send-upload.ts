import { ApiError } from '../api/api-error.ts'

type Sending = {
  /** The end of a sentence about an upload that did not arrive. */
  consequence: string
  headers?: Record<string, string>
  signal: AbortSignal
  onProgress(share: number): void
}

/** Posts a large body. XMLHttpRequest, because fetch does not report the progress of an upload. Throws ApiError. */
export function sendUpload<Answer>(url: string | URL, body: File | FormData, sending: Sending): Promise<Answer> {
  const { consequence, headers = {}, signal, onProgress } = sending
  const request = new XMLHttpRequest()
  request.open('POST', url)
  for (const [name, value] of Object.entries({ 'x-carrel-source': 'web', ...headers })) request.setRequestHeader(name, value)
  request.responseType = 'json'
  signal.addEventListener('abort', () => request.abort(), { once: true })
  request.upload.addEventListener('progress', ({ loaded, total }) => onProgress(total > 0 ? loaded / total : 0))
  return new Promise((resolve, reject) => {
    const fail = (error: string, message: string) => reject(new ApiError(0, { error, message }))
    request.addEventListener('load', () =>
      request.status === 202 ? resolve(request.response) : reject(new ApiError(request.status, request.response ?? {})),
    )
    request.addEventListener('abort', () => fail('cancelled', `The upload was cancelled. ${consequence}.`))
    request.addEventListener('error', () =>
      fail('unreachable', `The connection was lost during the upload. ${consequence}; send it again.`),
    )
    request.send(body)
  })
}
