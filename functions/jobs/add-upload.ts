import { mkdtemp, rm, writeFile } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { basename, extname, join } from 'node:path'
import { isApiDescription } from '../../shared/reading/openapi/is-api-description.ts'
import { uploadAddress } from '../../shared/sources/other-source.ts'
import type { TeamspaceCaller } from '../access/caller.ts'
import type { ObjectStore } from '../objects/object-store.ts'
import { putUpload } from '../objects/object-uploads.ts'
import { requirePrivate } from './add-for-teamspace.ts'
import { type AddSourcePorts, addSource } from './add-source.ts'
import { withOwnSuffix } from './own-suffix.ts'
import { descriptionPath, notDescribed, privateAs, readStarted } from './start-upload.ts'

export type AddUploadPorts = AddSourcePorts & {
  /** Keeps uploads until jobs have read them. */
  uploads: Pick<ObjectStore, 'get' | 'put'>
  now(): Date
}

export type UploadedApi = {
  file: { fileName: string; content: Uint8Array } | { uploadId: string }
  title?: string | undefined
  description?: string | undefined
  /** Replaces the file of a library that exists. */
  force: boolean
}

/**
 * Adds an uploaded API description as a private library of a teamspace. Throws forbidden for a developer and without a plan,
 * before `read` is called, validation_error for another file, and what `read`, `readStarted` and `addSource` throw.
 */
export async function addUpload(
  ports: AddUploadPorts,
  caller: TeamspaceCaller,
  read: () => Promise<UploadedApi>,
  requestId: string | undefined,
): Promise<{ project: string }> {
  await requirePrivate(ports, caller, privateAs)
  const { file, title, description, force } = await read()
  const { fileName, content } = 'uploadId' in file ? await readStarted(ports, caller.teamspace, file.uploadId) : file
  const path = descriptionPath(fileName)
  if (!(await isDescription(path, content))) throw notDescribed(path)
  const url = withOwnSuffix(caller.teamspace, uploadAddress('openapi', title ?? basename(path, extname(path))))
  const upload = await putUpload(ports.uploads, path, content)
  const source = { kind: 'openapi-upload' as const, url, upload, title, description }
  return addSource(ports, caller, { source, privateAs, replaces: force, requestId })
}

async function isDescription(path: string, content: Uint8Array): Promise<boolean> {
  const folder = await mkdtemp(join(tmpdir(), 'carrel-upload-'))
  try {
    const file = join(folder, `openapi${extname(path)}`)
    await writeFile(file, content)
    return await isApiDescription(file, content.length)
  } finally {
    await rm(folder, { recursive: true, force: true })
  }
}
