import { randomBytes } from 'node:crypto'
import { listName, type StoredUploads } from '../../shared/sources/uploads/stored-upload.ts'
import { contentId } from '../../shared/sources/whole-source.ts'
import type { ObjectStore } from './object-store.ts'

const keyOf = (upload: string, file: string): string => `uploads/${upload}/${file}`

/** Uploads as objects, which expire after some days: a job reads them once. */
export const objectUploads =
  (objects: Pick<ObjectStore, 'get'>): StoredUploads =>
  async (upload, file) =>
    (await objects.get(keyOf(upload, file)))?.body

/** Stores a file as an upload, and returns the name of that. */
export async function putUpload(objects: Pick<ObjectStore, 'put'>, path: string, content: Uint8Array): Promise<string> {
  const upload = randomBytes(8).toString('hex')
  const list = JSON.stringify([{ path, name: '1', id: contentId(Buffer.from(content)) }])
  await objects.put(keyOf(upload, '1'), content, 'application/octet-stream')
  await objects.put(keyOf(upload, listName), Buffer.from(list), 'application/json')
  return upload
}
