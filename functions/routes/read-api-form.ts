import { z } from 'zod'
import { fieldSentence, unknownField } from '../../shared/api/unknown-fields.ts'
import { AppError, invalidField } from '../../shared/errors.ts'
import { compressedBody, isCompressed, readBody } from '../../shared/http/read-body.ts'
import { shortText } from '../../shared/schemas/short-text.ts'
import { limitSize } from '../../shared/text/figures.ts'
import type { UploadedApi } from '../jobs/add-upload.ts'
import { UploadId } from '../jobs/start-upload.ts'

/** A function of AWS receives at most 6 MB, in which binary data takes a third more. */
const maxFileBytes = 4 * 2 ** 20
/** Room for the other fields of the form and the boundaries of its parts. */
const maxFormBytes = maxFileBytes + 64 * 1024

const Fields = z.object({
  libraryTitle: shortText(200).optional(),
  description: shortText(1_000).optional(),
  force: z.literal('true', 'must be "true"').optional(),
  uploadId: UploadId.optional(),
})

const file = z.string().meta({ format: 'binary' })
const kinds = 'OpenAPI, Swagger or AsyncAPI as .json, .yaml or .yml; at most 4 MB'

/** The form of the dashboard. */
export const FileForm = z.object({
  openapiFile: file.describe(kinds),
  libraryTitle: Fields.shape.libraryTitle.describe('Title of the library; the name of the file if absent'),
  description: Fields.shape.description,
  force: Fields.shape.force.describe('Replaces the file of a library that exists'),
})

/** The form of the API, which takes a large file by the id of its upload. */
export const ApiForm = z.object({
  openapiFile: file.optional().describe(`${kinds}. Exactly one of openapiFile and uploadId is required`),
  uploadId: Fields.shape.uploadId,
  ...FileForm.omit({ openapiFile: true }).shape,
})

type SentFile = Omit<UploadedApi, 'file'> & { file: Exclude<UploadedApi['file'], { uploadId: string }> }
type Form = Omit<UploadedApi, 'file'> & { file: File | string | undefined; uploadId: string | undefined }

const start = 'Start an upload of it by POST /api/v2/add/openapi-upload/start.'

/** Reads the form of the API. Throws validation_error, payload_too_large. */
export async function readApiForm(request: Request): Promise<UploadedApi> {
  const form = await readForm(request, ApiForm, start)
  const { file, uploadId, ...more } = form
  if (uploadId === undefined) return withFile(form, 'must be a file, unless uploadId is sent', start)
  if (file !== undefined) throw invalidField('uploadId', 'must be absent if the form has a file')
  return { file: { uploadId }, ...more }
}

/** Reads the form of the dashboard. `advice` is for a file that is too large. Throws validation_error, payload_too_large. */
export async function readFileForm(request: Request, advice: string): Promise<SentFile> {
  return withFile(await readForm(request, FileForm, advice), 'must be a file', advice)
}

async function readForm(request: Request, { shape }: z.ZodObject, advice: string): Promise<Form> {
  const contentType = request.headers.get('content-type') ?? ''
  if (!/^multipart\/form-data\s*;/i.test(contentType))
    throw new AppError('validation_error', 'Send the file as multipart/form-data.')
  if (isCompressed(request)) throw new AppError('validation_error', compressedBody)
  const body = await readBody(request, maxFormBytes).catch((error: unknown) => {
    if (!(error instanceof AppError) || error.code !== 'payload_too_large') throw error
    throw new AppError(error.code, `${error.message} ${advice}`, { cause: error, fields: error.fields })
  })
  const form = await new Response(body, { headers: { 'content-type': contentType } }).formData().catch((cause: unknown) => {
    throw new AppError('validation_error', 'The form cannot be read: it is malformed or incomplete.', { cause })
  })
  const { openapiFile, ...others } = Object.fromEntries(form)
  const names = Object.keys(shape)
  const unknown = Object.keys(others).find((name) => !names.includes(name))
  if (unknown !== undefined) {
    const field = unknownField(unknown, names)
    throw new AppError('validation_error', fieldSentence(field), { fields: { fields: [field] } })
  }
  const { libraryTitle, description, force, uploadId } = readFields(others)
  return { file: openapiFile, uploadId, title: libraryTitle, description, force: force === 'true' }
}

async function withFile({ file, title, description, force }: Form, missing: string, advice: string): Promise<SentFile> {
  if (!(file instanceof File)) throw invalidField('openapiFile', missing)
  if (file.size > maxFileBytes)
    throw new AppError('payload_too_large', `The file is larger than ${limitSize(maxFileBytes)}. ${advice}`, {
      fields: { limitBytes: maxFileBytes },
    })
  const content = new Uint8Array(await file.arrayBuffer())
  return { file: { fileName: file.name, content }, title, description, force }
}

function readFields(sent: Record<string, unknown>): z.infer<typeof Fields> {
  const { data, error } = Fields.safeParse(Object.fromEntries(Object.entries(sent).filter(([, value]) => value !== '')))
  if (data) return data
  const [{ path, message } = { path: [], message: 'is invalid' }] = error.issues
  throw invalidField(path.join('.'), message)
}
