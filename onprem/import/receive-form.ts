import { createWriteStream } from 'node:fs'
import { Readable } from 'node:stream'
import { pipeline } from 'node:stream/promises'
import { fieldSentence, unknownField } from '../../shared/api/unknown-fields.ts'
import { AppError, invalidField } from '../../shared/errors.ts'
import { fullDisk, isFullDisk } from '../../shared/system/full-disk.ts'
import { excerpt } from '../../shared/text/excerpt.ts'
import { nothingImported } from './stage-elements.ts'

export const fileField = 'bundleFile'
const formFields = [fileField, 'force']

/**
 * Writes the file of a form to `path` as it arrives and returns the field `force`, which may come before or after it. Throws
 * validation_error and payload_too_large after the whole body is read.
 */
export async function receiveForm(
  chunks: AsyncIterable<Uint8Array>,
  contentType: string,
  { path, limitBytes }: { path: string; limitBytes: number },
): Promise<boolean> {
  const { Busboy } = await import('@fastify/busboy')
  const form = orBadForm(
    () => new Busboy({ headers: { 'content-type': contentType }, limits: { fileSize: limitBytes, fieldSize: 1000 } }),
  )
  const forces: string[] = []
  let writing: Promise<void> | undefined
  let isTooLarge = false
  let unexpected: string | undefined
  let unknown: string | undefined
  form.on('field', (name, value) => {
    if (name === 'force') forces.push(value)
    else unknown ??= name
  })
  form.on('file', (name, file) => {
    if (name !== fileField || writing) {
      unexpected ??= name
      return void file.resume()
    }
    file.on('limit', () => {
      isTooLarge = true
    })
    writing = pipeline(file, createWriteStream(path, { flags: 'wx', mode: 0o600 }))
    writing.catch((error: unknown) => form.destroy(error as Error))
  })
  try {
    await pipeline(Readable.from(chunks), form)
    await writing
  } catch (error) {
    if (isFullDisk(error)) throw fullDisk(nothingImported, error)
    throw error instanceof AppError ? error : unreadable(error)
  }
  if (isTooLarge) {
    throw new AppError(
      'payload_too_large',
      `The file is larger than ${limitBytes} bytes, the maximum for a zip. Export fewer libraries.`,
      {
        fields: { limitBytes },
      },
    )
  }
  if (writing && unexpected !== undefined) throw tooManyFiles(unexpected)
  if (!writing) throw new AppError('validation_error', `The form has no file "${fileField}". Send the zip under that name.`)
  if (unknown !== undefined) throw unknownFieldError(unknown)
  if (forces.some((each) => each !== 'true' && each !== 'false')) throw invalidField('force', 'must be true or false')
  return forces.includes('true')
}

const tooManyFiles = (name: string) =>
  new AppError(
    'validation_error',
    `The form has ${name === fileField ? `more than one file "${fileField}"` : `a file under the unknown field "${excerpt(name)}"`}. Send one zip per import. Nothing was imported.`,
  )

function unknownFieldError(name: string): AppError {
  const field = unknownField(name, formFields)
  return new AppError('validation_error', `${fieldSentence(field)} Nothing was imported.`, { fields: { fields: [field] } })
}

function orBadForm<T>(make: () => T): T {
  try {
    return make()
  } catch (error) {
    throw unreadable(error)
  }
}

const unreadable = (cause: unknown) =>
  new AppError('validation_error', 'The form cannot be read: it is malformed or incomplete. Nothing was imported.', {
    cause,
  })
