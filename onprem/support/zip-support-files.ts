import { Readable } from 'node:stream'
import type { SupportFile } from './support-files.ts'

/** Writes the zip while it is read, so that no file is held in memory. */
export async function zipSupportFiles(files: SupportFile[]): Promise<ReadableStream> {
  const { default: JSZip } = await import('jszip')
  const zip = new JSZip()
  const written = new Readable()
  for (const { name, pieces } of files) {
    const entry = Readable.from(pieces(), { objectMode: false })
    zip.file(
      name,
      entry.once('error', (error) => written.destroy(error)),
    )
  }
  written.wrap(zip.generateNodeStream({ streamFiles: true, compression: 'DEFLATE' }))
  return Readable.toWeb(written) as ReadableStream
}
