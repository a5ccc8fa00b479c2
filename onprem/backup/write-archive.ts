import { createHash } from 'node:crypto'
import { createReadStream } from 'node:fs'
import type { ArchivedFile } from './archived-files.ts'
import { type BackupHeader, headerName, sumsName } from './backup-header.ts'
import { tarEnd, tarHeader, tarPadding } from './tar-header.ts'

const pieceBytes = 256 * 1024

/**
 * A tar archive: the header, the files, and last their SHA-256 sums in the format of `sha256sum --check`. Throws if a file changes while it
 * is read.
 */
export async function* writeArchive(header: BackupHeader, files: readonly ArchivedFile[]): AsyncGenerator<Buffer> {
  const mtime = new Date(header.createdAt)
  const sums: string[] = []
  const textFile = (name: string, text: string) => {
    const content = Buffer.from(text)
    sums.push(sumLine(createHash('sha256').update(content).digest('hex'), name))
    return Buffer.concat([tarHeader(name, content.length, mtime), content, tarPadding(content.length)])
  }
  yield textFile(headerName, `${JSON.stringify(header)}\n`)
  for (const { name, path, sizeBytes } of files) {
    yield tarHeader(name, sizeBytes, mtime)
    const hash = createHash('sha256')
    let read = 0
    for await (const piece of createReadStream(path, { highWaterMark: pieceBytes }) as AsyncIterable<Buffer>) {
      read += piece.length
      if (read > sizeBytes) break
      hash.update(piece)
      yield piece
    }
    if (read !== sizeBytes) throw new Error(`The file ${path} changed while it was backed up.`)
    sums.push(sumLine(hash.digest('hex'), name))
    yield tarPadding(sizeBytes)
  }
  yield textFile(sumsName, sums.join(''))
  yield tarEnd()
}

export const sumLine = (sum: string, name: string): string => `${sum}  ${name}\n`
