import { createHash } from 'node:crypto'
import { createWriteStream } from 'node:fs'
import { mkdir, rm, writeFile } from 'node:fs/promises'
import { join } from 'node:path'
import { Readable, Transform } from 'node:stream'
import { pipeline } from 'node:stream/promises'
import { fieldSentence, unknownField } from '../../shared/api/unknown-fields.ts'
import { AppError } from '../../shared/errors.ts'
import { listName, type UploadedFile } from '../../shared/sources/uploads/stored-upload.ts'
import { rejectClashes, uploadPath } from '../../shared/sources/uploads/upload-path.ts'
import { fullDisk, isFullDisk } from '../../shared/system/full-disk.ts'
import { excerpt } from '../../shared/text/excerpt.ts'
import { limitSize } from '../../shared/text/figures.ts'
import { openZip } from '../../shared/zip/open-zip.ts'

export type UploadForm = {
  /** The name of the form field with the files. */
  fileField: string
  /** Names of the other fields. */
  fields: readonly string[]
  maxFiles: number
  /** Limit of one file of the form. */
  fileBytes: number
  /** A zip is unpacked, within these limits. Absent if a zip is a file like others. */
  unpack?: { zipEntries: number; unpackedBytes: number }
}

/** `sent` has the paths of the files before zips were unpacked. */
export type Received = { files: UploadedFile[]; sent: string[]; fields: ReadonlyMap<string, string> }

const maxFieldChars = 2_000
const nothingStored = 'Nothing was stored; make room and send the files again.'

/**
 * Writes the files of a form into `folder`, which must not exist, as they arrive. Throws validation_error, payload_too_large and disk_full
 * after the whole body is read; the caller then deletes the folder.
 */
export async function receiveUpload(
  chunks: AsyncIterable<Uint8Array>,
  contentType: string,
  folder: string,
  form: UploadForm,
): Promise<Received> {
  try {
    await mkdir(folder, { mode: 0o700 })
    const received = await readForm(chunks, contentType, folder, form)
    const files = form.unpack ? await unpacked(received.files, folder, form.unpack) : received.files
    if (files.length === 0)
      throw new AppError('validation_error', `The form has no file. Send at least one under the name "${form.fileField}".`)
    rejectClashes(files.map(({ path }) => path))
    await writeFile(join(folder, listName), JSON.stringify(files), { mode: 0o600, flush: true })
    return { ...received, files }
  } catch (error) {
    throw isFullDisk(error) ? fullDisk(nothingStored, error) : error
  }
}

async function readForm(
  chunks: AsyncIterable<Uint8Array>,
  contentType: string,
  folder: string,
  { fileField, fields: names, maxFiles, fileBytes }: UploadForm,
): Promise<Received> {
  const { Busboy } = await import('@fastify/busboy')
  const limits = { fileSize: fileBytes, fieldSize: maxFieldChars, fields: 20 }
  const form = orBadForm(() => new Busboy({ headers: { 'content-type': contentType }, limits, preservePath: true }))
  const fields = new Map<string, string>()
  const writing: Promise<UploadedFile>[] = []
  let rejected: unknown
  form.on('field', (name, value) => {
    if (!names.includes(name)) rejected ??= unknownFieldError(name, [...names, fileField])
    else if (value !== '') fields.set(name, value)
  })
  form.on('file', (name, stream, filename) => {
    const write = () => {
      if (name !== fileField) throw unknownFieldError(name, [...names, fileField])
      if (writing.length >= maxFiles) throw tooLarge(`more than ${maxFiles} ${maxFiles === 1 ? 'file' : 'files'}`)
      const path = uploadPath(filename ?? '')
      stream.on('limit', () => {
        rejected ??= tooLarge(`a file, "${excerpt(path)}", that is larger than ${limitSize(fileBytes)}`)
      })
      const written = store(stream, folder, String(writing.length + 1), path)
      written.catch((error: unknown) => form.destroy(error as Error))
      writing.push(written)
    }
    try {
      write()
    } catch (error) {
      rejected ??= error
      stream.resume()
    }
  })
  try {
    await pipeline(Readable.from(chunks), form)
  } catch (error) {
    throw error instanceof AppError || isFullDisk(error) ? error : unreadable(error)
  }
  const files = await Promise.all(writing)
  if (rejected !== undefined) throw rejected
  return { files, sent: files.map(({ path }) => path), fields }
}

/** Replaces each zip by its files, which a zip among several puts into a folder of its name. */
async function unpacked(
  files: UploadedFile[],
  folder: string,
  limits: { zipEntries: number; unpackedBytes: number },
): Promise<UploadedFile[]> {
  const all: UploadedFile[] = []
  let next = files.length
  for (const file of files) {
    if (!/\.zip$/i.test(file.path)) {
      all.push(file)
      continue
    }
    const zip = await openZip(join(folder, file.name), limits)
    try {
      const prefix = files.length === 1 ? '' : `${file.path.replace(/\.zip$/i, '')}/`
      for (const { name } of zip.files) {
        next += 1
        all.push(await store(await zip.read(name), folder, String(next), uploadPath(prefix + name)))
      }
    } finally {
      zip.close()
    }
    await rm(join(folder, file.name))
  }
  return all
}

async function store(stream: Readable, folder: string, name: string, path: string): Promise<UploadedFile> {
  const hash = createHash('sha256')
  const hashed = new Transform({
    transform(chunk, _, done) {
      hash.update(chunk)
      done(null, chunk)
    },
  })
  await pipeline(stream, hashed, createWriteStream(join(folder, name), { flags: 'wx', mode: 0o600, flush: true }))
  return { path, name, id: hash.digest('hex').slice(0, 40) }
}

function unknownFieldError(name: string, names: string[]): AppError {
  const field = unknownField(name, names)
  return new AppError('validation_error', fieldSentence(field), { fields: { fields: [field] } })
}

const tooLarge = (what: string) => new AppError('payload_too_large', `The form has ${what}. Send fewer or smaller files.`)

function orBadForm<T>(make: () => T): T {
  try {
    return make()
  } catch (error) {
    throw unreadable(error)
  }
}

const unreadable = (cause: unknown) =>
  new AppError('validation_error', 'The form cannot be read: it is malformed or incomplete. Nothing was stored.', { cause })
