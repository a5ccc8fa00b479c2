import { stat } from 'node:fs/promises'
import { basename, extname, join } from 'node:path'
import { z } from 'zod'
import { AppError } from '../../shared/errors.ts'
import { isGraphqlSchema } from '../../shared/reading/graphql/is-graphql-schema.ts'
import { isApiDescription } from '../../shared/reading/openapi/is-api-description.ts'
import { shortText } from '../../shared/schemas/short-text.ts'
import { uploadAddress } from '../../shared/sources/other-source.ts'
import { describedFile, openapiBytes, uploadLimits } from '../../shared/sources/uploads/upload-limits.ts'
import type { Caller } from '../access/caller.ts'
import type { ImportFolder } from '../import/import-folder.ts'
import { type Received, receiveUpload, type UploadForm } from '../import/receive-upload.ts'
import { queueSource, requireKey } from './enqueue-source.ts'
import type { ParsePorts, Queued } from './queue-parse.ts'

export type UploadPorts = ParsePorts & { imports: Pick<ImportFolder, 'claim' | 'pathOf' | 'handOver' | 'discard'> }

/** A form as it arrives. */
export type UploadBody = { chunks: AsyncIterable<Uint8Array>; contentType: string }

const Fields = z.object({
  name: shortText(200).optional(),
  projectTitle: shortText(200).optional(),
  description: shortText(1_000).optional(),
  force: z.enum(['true', 'false'], 'must be true or false').optional(),
})
type Fields = z.infer<typeof Fields>

const openapiForm: UploadForm = {
  fileField: 'openapiFile',
  fields: ['projectTitle', 'description', 'force'],
  maxFiles: 1,
  fileBytes: openapiBytes,
}
const filesForm: UploadForm = {
  fileField: 'files',
  fields: Object.keys(Fields.shape),
  maxFiles: uploadLimits.files,
  fileBytes: uploadLimits.fileBytes,
  unpack: uploadLimits,
}

/** Stores an uploaded API description and queues its reading. The same name again replaces it. Throws what `receiveUpload` and `queueSource` throw. */
export const addOpenapiUpload = (ports: UploadPorts, caller: Caller, body: UploadBody): Promise<Queued> =>
  add(ports, caller, body, openapiForm, async ({ files: [file] }, { projectTitle }, folder) => {
    const path = file?.path ?? ''
    if (!file || !describedFile.test(path)) throw notDescribed(path)
    const content = join(folder, file.name)
    const isDescription = /\.g/i.test(extname(path))
      ? await isGraphqlSchema(content)
      : await isApiDescription(content, (await stat(content)).size, path)
    if (!isDescription) throw notDescribed(path)
    return { kind: 'openapi-upload', url: uploadAddress('openapi', projectTitle ?? nameOf(path)) }
  })

/** Stores uploaded files, of which zips are unpacked, and queues their reading. The same name again replaces all of them. */
export const addFiles = (ports: UploadPorts, caller: Caller, body: UploadBody): Promise<Queued> =>
  add(ports, caller, body, filesForm, async ({ files, sent }, { name }) => {
    const [only, ...others] = sent
    const folder = commonFolder(files.map(({ path }) => path))
    const chosen = name ?? (others.length === 0 && only !== undefined ? nameOf(only) : folder)
    if (chosen === undefined)
      throw new AppError(
        'validation_error',
        'The files are in several folders. Send the field "name" with the name of the library.',
      )
    return { kind: 'files', url: uploadAddress('files', chosen) }
  })

type Named = { kind: 'openapi-upload' | 'files'; url: string }

async function add(
  ports: UploadPorts,
  caller: Caller,
  { chunks, contentType }: UploadBody,
  form: UploadForm,
  nameIt: (received: Received, fields: Fields, folder: string) => Promise<Named>,
): Promise<Queued> {
  requireKey(caller)
  const upload = ports.imports.claim()
  const folder = ports.imports.pathOf(upload)
  try {
    const received = await receiveUpload(chunks, contentType, folder, form)
    const fields = readFields(received.fields)
    const { projectTitle: title, description } = fields
    const source = { ...(await nameIt(received, fields, folder)), upload, title, description }
    const queued = queueSource(ports, caller, source, fields.force === 'true')
    ports.imports.handOver(upload)
    return queued
  } finally {
    await ports.imports.discard(upload)
  }
}

function readFields(sent: ReadonlyMap<string, string>): Fields {
  const { data, error } = Fields.safeParse(Object.fromEntries(sent))
  if (data) return data
  const [{ path, message } = { path: [], message: 'is invalid' }] = error.issues
  throw new AppError('validation_error', `The field ${path.join('.')} ${message}.`)
}

const nameOf = (path: string): string => basename(path, extname(path))

/** The first folder of all paths, if they share it. */
function commonFolder(paths: readonly string[]): string | undefined {
  const folders = new Set(paths.map((path) => (path.includes('/') ? path.slice(0, path.indexOf('/')) : '')))
  const [folder] = folders
  return folders.size === 1 && folder !== '' ? folder : undefined
}

const notDescribed = (path: string): AppError =>
  new AppError(
    'validation_error',
    `"${path.slice(0, 100)}" is no OpenAPI, Swagger or AsyncAPI document in .json, .yaml or .yml, and no GraphQL schema in .graphql.`,
  )
