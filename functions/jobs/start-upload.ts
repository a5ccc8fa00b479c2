import { randomBytes } from 'node:crypto'
import { basename } from 'node:path'
import { buffer, json } from 'node:stream/consumers'
import { z } from 'zod'
import { AppError, invalidField } from '../../shared/errors.ts'
import { maxDescriptionBytes } from '../../shared/reading/openapi/is-api-description.ts'
import { UploadName } from '../../shared/sources/other-source.ts'
import { uploadPath } from '../../shared/sources/uploads/upload-path.ts'
import { limitSize } from '../../shared/text/figures.ts'
import type { TeamspaceCaller } from '../access/caller.ts'
import type { Teamspaces } from '../access/teamspaces.ts'
import type { ObjectStore, UploadLinks } from '../objects/object-store.ts'
import { requirePrivate } from './add-for-teamspace.ts'

/** The name of private sources of this kind. */
export const privateAs = 'uploaded files'

const expiresS = 15 * 60

export type StartUploadPorts = {
  teamspaces: Pick<Teamspaces, 'get'>
  uploads: Pick<ObjectStore, 'put'> & UploadLinks
  now(): Date
}

type DeclaredFile = { fileName: string; bytes: number }
type StartedUpload = { uploadId: string; uploadUrl: string; expiresAt: string }

export const UploadId = UploadName.describe('Id of an upload that this teamspace has started and sent')

const Started = z.strictObject({ fileName: z.string(), bytes: z.int(), expiresAt: z.iso.datetime() })

/** Ids of other teamspaces do not exist for this one. */
const keyOf = (teamspace: string, uploadId: string, file: 'file' | 'start.json'): string =>
  `uploads/started/${teamspace}/${uploadId}/${file}`

/**
 * A link for a file that is too large for a request. Throws forbidden for a developer and without a plan, validation_error for another
 * kind of file, payload_too_large.
 */
export async function startUpload(
  ports: StartUploadPorts,
  caller: TeamspaceCaller,
  { fileName, bytes }: DeclaredFile,
): Promise<StartedUpload> {
  await requirePrivate(ports, caller, privateAs)
  const path = descriptionPath(fileName)
  if (bytes > maxDescriptionBytes)
    throw new AppError('payload_too_large', `The file is larger than ${limitSize(maxDescriptionBytes)}.`, {
      fields: { sizeBytes: bytes, limitBytes: maxDescriptionBytes },
    })
  const uploadId = randomBytes(8).toString('hex')
  const expiresAt = new Date(ports.now().getTime() + expiresS * 1000).toISOString()
  const started = JSON.stringify({ fileName: path, bytes, expiresAt })
  await ports.uploads.put(keyOf(caller.teamspace, uploadId, 'start.json'), Buffer.from(started), 'application/json')
  const uploadUrl = await ports.uploads.uploadUrl(keyOf(caller.teamspace, uploadId, 'file'), bytes, expiresS)
  return { uploadId, uploadUrl, expiresAt }
}

/** The file of an upload that this teamspace has started. Throws not_found, validation_error if it was not sent as it was declared. */
export async function readStarted(
  { uploads, now }: { uploads: Pick<ObjectStore, 'get'>; now(): Date },
  teamspace: string,
  uploadId: string,
): Promise<{ fileName: string; content: Uint8Array }> {
  const [start, file] = await Promise.all([
    uploads.get(keyOf(teamspace, uploadId, 'start.json')),
    uploads.get(keyOf(teamspace, uploadId, 'file')),
  ])
  try {
    if (!start) throw new AppError('not_found', `There is no upload ${uploadId}. Start one, and use its uploadId within a day.`)
    const { fileName, bytes, expiresAt } = Started.parse(await json(start.body))
    if (!file)
      throw invalidField(
        'uploadId',
        new Date(expiresAt) > now()
          ? `names an upload without its file. Send it by PUT to the uploadUrl until ${expiresAt}`
          : `names an upload whose link expired at ${expiresAt}, without its file. Start another one`,
      )
    if (file.sizeBytes !== bytes)
      throw invalidField('uploadId', `names a file of ${file.sizeBytes} bytes. ${bytes} were declared when it was started`)
    return { fileName, content: await buffer(file.body) }
  } finally {
    start?.body.destroy()
    file?.body.destroy()
  }
}

/** The path of an API description in an upload. Throws validation_error. */
export function descriptionPath(fileName: string): string {
  const path = uploadPath(basename(fileName))
  if (/\.(?:json|ya?ml)$/i.test(path)) return path
  throw notDescribed(path)
}

export const notDescribed = (path: string): AppError =>
  new AppError('validation_error', `"${path.slice(0, 100)}" is no OpenAPI, Swagger or AsyncAPI document in .json, .yaml or .yml.`)
