import { AppError } from '../../errors.ts'
import type { OpenedSource } from '../../reading/opened-source.ts'
import type { SourceOf } from '../other-source.ts'
import { wholeSource } from '../whole-source.ts'
import { copyUpload, type StoredUploads } from './stored-upload.ts'

/** The files of an upload, copied into `folder`. Throws not_found, not_configured. */
export async function openUploaded(
  uploads: StoredUploads | undefined,
  source: SourceOf<'files' | 'openapi-upload'>,
  folder: string,
): Promise<OpenedSource> {
  if (uploads === undefined) throw new AppError('not_configured', 'Uploaded files are not stored here.')
  const files = await copyUpload(uploads, source.upload, folder)
  const about = { title: source.title, description: source.description }
  const linked = files.map(({ path, id }) => ({
    path,
    id,
    url: `${source.url}/${path.split('/').map(encodeURIComponent).join('/')}`,
  }))
  return wholeSource({ url: source.url, isPublic: false, about }, folder, linked)
}
