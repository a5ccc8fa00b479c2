import { createReadStream } from 'node:fs'
import { whyUnreadable } from '../../../shared/cli/read-option.ts'
import { AppError } from '../../../shared/errors.ts'
import { decodeText } from '../../../shared/text/decode-text.ts'
import { fileSize } from '../../../shared/text/figures.ts'

/** The name of a file for messages; `-` is the standard input. */
export const nameOf = (path: string): string => (path === '-' ? 'The standard input' : path)

/** The text of a file, or of the standard input for `-`. Throws command_failed if it cannot be read, is empty or has more bytes. */
export async function readTextFile(path: string, maxBytes: number): Promise<string> {
  const chunks: Buffer[] = []
  let bytes = 0
  try {
    for await (const chunk of path === '-' ? process.stdin : createReadStream(path)) {
      chunks.push(Buffer.from(chunk))
      bytes += chunk.length
      if (bytes > maxBytes) break
    }
  } catch (error) {
    throw new AppError('command_failed', `The file ${path} ${whyUnreadable(error)}.`, { cause: error })
  }
  if (bytes > maxBytes) throw new AppError('command_failed', `${nameOf(path)} is larger than ${fileSize(maxBytes)}.`)
  if (bytes === 0) throw new AppError('command_failed', `${nameOf(path)} is empty.`)
  return decodeText(Buffer.concat(chunks))
}
