import { createWriteStream } from 'node:fs'
import { mkdir, open } from 'node:fs/promises'
import { dirname, join } from 'node:path'
import type { Readable } from 'node:stream'
import { text } from 'node:stream/consumers'
import { pipeline } from 'node:stream/promises'
import { z } from 'zod'
import { AppError } from '../../errors.ts'
import { UploadName } from '../other-source.ts'

/** A file of an upload: its path as it was sent, with `/`, the name of its content in the folder, and an id that changes with the content. */
const UploadedFile = z.strictObject({ path: z.string(), name: z.string().regex(/^\d+$/), id: z.string() })
export type UploadedFile = z.infer<typeof UploadedFile>

/** Lists the files. It is written last: a folder without it is incomplete. */
export const listName = 'files.json'

/** Opens a file of an upload. Undefined if it is not stored. */
export type StoredUploads = (upload: string, file: string) => Promise<Readable | undefined>

/** Uploads as folders of a folder. */
export const folderUploads =
  (folder: string): StoredUploads =>
  async (upload, file) => {
    const opened = await open(join(folder, upload, file)).catch((error: NodeJS.ErrnoException) => {
      if (error.code === 'ENOENT') return undefined
      throw error
    })
    return opened?.createReadStream()
  }

/** Copies the files of an upload to their paths below `into`, and lists them. Throws not_found for one that is not stored. */
export async function copyUpload(uploads: StoredUploads, name: string, into: string): Promise<UploadedFile[]> {
  const upload = UploadName.parse(name)
  const opened = async (file: string) => {
    const body = await uploads(upload, file)
    if (body) return body
    throw new AppError('not_found', 'The uploaded files are no longer stored. Upload them again.')
  }
  const files = z.array(UploadedFile).parse(JSON.parse(await text(await opened(listName))))
  await mkdir(into, { recursive: true })
  for (const { path, name: content } of files) {
    await mkdir(dirname(join(into, path)), { recursive: true })
    await pipeline(await opened(content), createWriteStream(join(into, path)))
  }
  return files
}
