import { ApiError } from '../../../../shared/web/api/api-error.ts'
import { api } from '../../api/api.ts'

const urlOf = (name: string, query: { confirm?: string } = {}) => api.models[':name'].$url({ param: { name }, query })

/** Begins to download a model of the catalogue. Throws ApiError. */
export const downloadModel = (name: string): Promise<void> => post(urlOf(name), 'application/json', '{}')

/** Sends a model in a zip; `confirm` is its hash if the catalogue does not know it. Throws ApiError. */
export const uploadModel = (file: File, confirm?: string): Promise<void> =>
  post(urlOf(nameOf(file), confirm === undefined ? {} : { confirm }), 'application/zip', file)

/** The name of the folder of an uploaded model. */
export const nameOf = (file: File): string => file.name.replace(/\.zip$/i, '')

async function post(url: string | URL, type: string, body: string | File): Promise<void> {
  const headers = { 'content-type': type, 'x-carrel-source': 'web' }
  const answer = await fetch(url, { method: 'POST', headers, body }).catch((cause: unknown) => {
    throw new ApiError(0, { error: 'unreachable', message: 'The connection was lost. Try again.' }, { cause })
  })
  if (!answer.ok) throw new ApiError(answer.status, await answer.json().catch(() => ({})))
}
