import { createWriteStream } from 'node:fs'
import { Readable } from 'node:stream'
import { pipeline } from 'node:stream/promises'
import { AppError, invalidField } from '../../shared/errors.ts'
import { fullDisk, isFullDisk } from '../../shared/system/full-disk.ts'
import { nothingImported } from './stage-elements.ts'

export const fileField = 'bundleFile'

/**
 * Writes the file of a form to `path` while it comes, and answers what its field `force` says, which may stand before or after it. Throws
 * validation_error, payload_too_large when all of the body is read.
 */
export async function receiveForm(
  chunks: AsyncIterable<Uint8Array>,
  contentType: string,
  { path, limitBytes }: { path: string; limitBytes: number },
): Promise<boolean> {
  const { Busboy } = await import('@fastify/busboy')
  const form = madeOr400(
    () => new Busboy({ headers: { 'content-type': contentType }, limits: { fileSize: limitBytes, fieldSize: 1000 } }),
  )
  const forces: string[] = []
  let writing: Promise<void> | undefined
  let isTooLarge = false
  let unexpected: string | undefined
  form.on('field', (name, value) => {
    if (name === 'force') forces.push(value)
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
    throw error instanceof AppError ? error : broken(error)
  }
  if (isTooLarge) {
    throw new AppError(
      'payload_too_large',
      `The file has more than ${limitBytes} bytes; no larger zip is taken. Export fewer libraries.`,
      {
        fields: { limitBytes },
      },
    )
  }
  if (writing && unexpected !== undefined) throw tooManyFiles(unexpected)
  if (!writing) throw new AppError('validation_error', `The form has no file "${fileField}". Send the zip under that name.`)
  if (forces.some((each) => each !== 'true' && each !== 'false')) throw invalidField('force', 'must be true or false')
  return forces.includes('true')
}

const tooManyFiles = (name: string) =>
  new AppError(
    'validation_error',
    `The form has ${name === fileField ? `more than one file "${fileField}"` : `a file under the unknown field "${name.slice(0, 100)}"`}. Send one zip in each import; nothing of this one is imported.`,
  )

function madeOr400<T>(make: () => T): T {
  try {
    return make()
  } catch (error) {
    throw broken(error)
  }
}

const broken = (cause: unknown) =>
  new AppError('validation_error', 'The form cannot be read: it is malformed or ends half-way. Nothing of it is imported.', {
    cause,
  })
