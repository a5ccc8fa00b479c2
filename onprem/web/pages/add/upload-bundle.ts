import type { InferResponseType } from 'hono/client'
import { sendUpload } from '../../../../shared/web/add/send-upload.ts'
import { api } from '../../api/api.ts'

export type Imported = InferResponseType<(typeof api)['import-libraries']['$post'], 202>
type Upload = { force: boolean; signal: AbortSignal; onProgress(share: number): void }

/** Sends a bundle. Throws ApiError. */
export function uploadBundle(file: File, { force, ...sending }: Upload): Promise<Imported> {
  const url = api['import-libraries'].$url({ query: force ? { force: 'true' } : {} })
  const consequence = 'Nothing was imported'
  if (/\.json$/i.test(file.name))
    return sendUpload(url, file, { consequence, headers: { 'content-type': 'application/json' }, ...sending })
  const form = new FormData()
  form.append('bundleFile', file)
  return sendUpload(url, form, { consequence, ...sending })
}
