import { openAsBlob } from 'node:fs'
import { stat } from 'node:fs/promises'
import { basename, resolve } from 'node:path'
import { whyUnreadable } from '../../../shared/cli/read-option.ts'
import { AppError } from '../../../shared/errors.ts'
import { filesBytes, openapiBytes, uploadLimits } from '../../../shared/sources/uploads/upload-limits.ts'
import { fileSize, limitSize } from '../../../shared/text/figures.ts'
import { call } from '../api/connection.ts'
import type { CommandPorts } from '../api/with-connection.ts'
import { type LocalFile, listFolder, readableFiles, tooMany } from './folder-files.ts'
import { isDocument, isZip } from './source-kind.ts'

type UploadFields = {
  name?: string | undefined
  projectTitle?: string | undefined
  description?: string | undefined
  force: boolean
}

/** Files of this machine that become a library. `path` is as the user wrote it. */
export type LocalSource = { path: string; kind: 'files' | 'openapi-upload'; fields: UploadFields }

type Queued = { project: string; queueId: number }

/** The files that belong to the source at the moment, unread. Throws command_failed. */
export async function listSource({ path }: Pick<LocalSource, 'path'>): Promise<LocalFile[]> {
  try {
    const facts = await stat(path)
    if (facts.isDirectory()) return await listFolder(path)
    if (!facts.isFile()) throw new AppError('command_failed', `${path} is neither a file nor a folder.`)
    return [{ path: basename(path), file: resolve(path), sizeBytes: facts.size, modifiedMs: facts.mtimeMs }]
  } catch (error) {
    if (error instanceof AppError) throw error
    throw new AppError('command_failed', `${path} ${whyUnreadable(error)}.`, { cause: error })
  }
}

/** Uploads the listed files as they are read, and queues the job that indexes them. Throws command_failed and the errors of the server. */
export async function uploadFiles(
  ports: CommandPorts,
  source: LocalSource,
  listed: readonly LocalFile[],
  signal?: AbortSignal,
): Promise<Queued> {
  const files = await readableFiles(listed)
  rejectUnsendable(source, files)
  const form = await formOf(source, files)
  const encoded = new Response(form)
  const totalBytes = sizeOf(files)
  const reading: { failure?: unknown } = {}
  const body = ReadableStream.from(
    counted(encoded.body ?? new ReadableStream<Uint8Array>(), reading, (sentBytes) => {
      const share = Math.min(1, sentBytes / totalBytes)
      ports.progress.show(`Sending ${fileSize(Math.min(sentBytes, totalBytes))} of ${fileSize(totalBytes)}`, share)
    }),
  )
  const route = source.kind === 'files' ? '/api/parse-files' : '/api/parse-openapi-upload'
  const headers = { 'content-type': encoded.headers.get('content-type') ?? '' }
  try {
    const answer = await call(ports.send(route, { method: 'POST', headers, body, duplex: 'half', ...(signal && { signal }) }))
    return (await answer.json()) as Queued
  } catch (error) {
    throw reading.failure === undefined ? asFailure(error) : changed(source, reading.failure)
  } finally {
    ports.progress.clear()
  }
}

/** Files that are not accepted are not wrong usage. */
const asFailure = (error: unknown): unknown =>
  error instanceof AppError && error.code === 'validation_error'
    ? new AppError('command_failed', error.message, { cause: error, fields: error.fields })
    : error

async function formOf({ kind, fields, path }: LocalSource, files: readonly LocalFile[]): Promise<FormData> {
  const form = new FormData()
  const isFolder = kind === 'files' && files[0]?.file !== resolve(path)
  const name = fields.name ?? (isFolder ? basename(resolve(path)) : undefined)
  const { projectTitle, description, force } = fields
  const sent = { name: kind === 'files' ? name : undefined, projectTitle, description, force: String(force) }
  for (const [field, value] of Object.entries(sent)) if (value !== undefined) form.append(field, value)
  for (const file of files) form.append(kind === 'files' ? 'files' : 'openapiFile', await openAsBlob(file.file), file.path)
  return form
}

async function* counted(body: AsyncIterable<Uint8Array>, reading: { failure?: unknown }, onBytes: (sentBytes: number) => void) {
  let sentBytes = 0
  try {
    for await (const chunk of body) {
      sentBytes += chunk.length
      onBytes(sentBytes)
      yield chunk
    }
  } catch (error) {
    reading.failure = error
    throw error
  }
}

const sizeOf = (files: readonly LocalFile[]): number => files.reduce((sum, { sizeBytes }) => sum + sizeBytes, 0)

/** The limits of the server, before anything is sent. Throws command_failed. */
function rejectUnsendable({ path, kind }: LocalSource, files: readonly LocalFile[]): void {
  const fail = (message: string) => new AppError('command_failed', message)
  if (!files.some((file) => isDocument(file.path))) {
    const formats = 'Markdown, reStructuredText, AsciiDoc, HTML, notebooks, text, PDF, Word (.docx) and API descriptions'
    throw fail(`${path} holds no document. These formats are read: ${formats}.`)
  }
  const fileBytes = kind === 'files' ? uploadLimits.fileBytes : openapiBytes
  const large = files.find(({ sizeBytes }) => sizeBytes > fileBytes)
  if (large) throw fail(`${large.path} has ${fileSize(large.sizeBytes)}. A file may have ${limitSize(fileBytes)}.`)
  if (files.length > uploadLimits.files) throw tooMany(path)
  const totalBytes = sizeOf(files)
  if (totalBytes > filesBytes) {
    const size = `${path} holds ${fileSize(totalBytes)}. An upload may have ${limitSize(filesBytes)}.`
    throw fail(`${size} Add its folders one by one, each with a --name of its own.`)
  }
}

const changed = ({ path }: LocalSource, cause: unknown): AppError => {
  const what = isZip(path) ? path : `A file of ${path}`
  return new AppError('command_failed', `${what} changed while it was sent. Run the command again.`, { cause })
}
