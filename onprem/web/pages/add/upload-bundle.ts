import type { InferResponseType } from 'hono/client'
import { ApiError } from '../../../../shared/web/api/api-error.ts'
import { api } from '../../api/api.ts'

export type Imported = InferResponseType<(typeof api)['import-libraries']['$post'], 202>
type Upload = { force: boolean; signal: AbortSignal; onProgress(share: number): void }

/** Sends a bundle. XMLHttpRequest, because fetch does not report the progress of an upload. Throws ApiError. */
export function uploadBundle(file: File, { force, signal, onProgress }: Upload): Promise<Imported> {
  const request = new XMLHttpRequest()
  request.open('POST', api['import-libraries'].$url({ query: force ? { force: 'true' } : {} }))
  request.setRequestHeader('x-carrel-source', 'web')
  request.responseType = 'json'
  signal.addEventListener('abort', () => request.abort(), { once: true })
  request.upload.addEventListener('progress', ({ loaded, total }) => onProgress(total > 0 ? loaded / total : 0))
  return new Promise((resolve, reject) => {
    const fail = (error: string, message: string) => reject(new ApiError(0, { error, message }))
    request.addEventListener('load', () =>
      request.status === 202 ? resolve(request.response) : reject(new ApiError(request.status, request.response ?? {})),
    )
    request.addEventListener('abort', () => fail('cancelled', 'The upload was cancelled. Nothing was imported.'))
    request.addEventListener('error', () =>
      fail('unreachable', 'The connection was lost during the upload. Nothing was imported; import the file again.'),
    )
    request.send(bodyOf(file, request))
  })
}

function bodyOf(file: File, request: XMLHttpRequest): File | FormData {
  if (!/\.json$/i.test(file.name)) {
    const form = new FormData()
    form.append('bundleFile', file)
    return form
  }
  request.setRequestHeader('content-type', 'application/json')
  return file
}
