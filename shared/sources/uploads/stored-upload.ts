import { copyFile, mkdir, readFile } from 'node:fs/promises'
import { dirname, join } from 'node:path'
import { z } from 'zod'
import { AppError } from '../../errors.ts'
import { UploadName } from '../other-source.ts'

/** A file of an upload: its path as it was sent, with `/`, the name of its content in the folder, and an id that changes with the content. */
const UploadedFile = z.strictObject({ path: z.string(), name: z.string().regex(/^\d+$/), id: z.string() })
export type UploadedFile = z.infer<typeof UploadedFile>

/** Lists the files. It is written last: a folder without it is incomplete. */
export const listName = 'files.json'

/** Copies the files of an upload to their paths below `into`, and lists them. Throws not_found for one that is not stored. */
export async function copyUpload(uploads: string, name: string, into: string): Promise<UploadedFile[]> {
  const folder = join(uploads, UploadName.parse(name))
  const list = await readFile(join(folder, listName), 'utf8').catch((cause: unknown) => {
    throw new AppError('not_found', 'The uploaded files are no longer stored. Upload them again.', { cause })
  })
  const files = z.array(UploadedFile).parse(JSON.parse(list))
  await mkdir(into, { recursive: true })
  for (const { path, name: content } of files) {
    await mkdir(dirname(join(into, path)), { recursive: true })
    await copyFile(join(folder, content), join(into, path))
  }
  return files
}
