import { createHash } from 'node:crypto'
import { createReadStream } from 'node:fs'
import { pipeline, Readable } from 'node:stream'
import { text } from 'node:stream/consumers'
import { constants, createZstdDecompress } from 'node:zlib'
import { z } from 'zod'
import { AppError } from '../../shared/errors.ts'
import { migrations } from '../../shared/store/migrations.ts'
import { packageVersion } from '../../shared/system/package-version.ts'
import { excerpt } from '../../shared/text/excerpt.ts'
import { isArchivedName } from './archived-files.ts'
import { BackupHeader, backupFormat, headerName, sumsName } from './backup-header.ts'
import { readTar, type TarFile } from './read-tar.ts'
import { sumLine } from './write-archive.ts'

/** Room for 200,000 libraries. */
const maxHeaderBytes = 32 * 1024 * 1024
/** The window is larger than our archives need; a hostile one could ask for 2 GB of memory. */
const maxWindowLog = 23
const zstdMagic = Buffer.from([0x28, 0xb5, 0x2f, 0xfd])

type Visitor = {
  /** Called before all others, with a header that this version can read. */
  onHeader?(header: BackupHeader): void | Promise<void>
  /** Reads one file. Its content is trusted only when `readBackup` has returned. */
  onFile?(file: TarFile): Promise<void>
  signal?: AbortSignal
}

/**
 * Reads an archive to its end and checks everything: its format and version, the names, sizes and sums of its files, and that nothing is missing
 * or added. Throws data_damaged with one sentence.
 */
export async function readBackup(path: string, { onHeader, onFile, signal }: Visitor = {}): Promise<BackupHeader> {
  const sums = createHash('sha256')
  let header: BackupHeader | undefined
  let isComplete = false
  const folders = new Set<string>()
  const [seen, left] = [new Set<string>(), { files: 0, sizeBytes: 0 }]
  const opened = decompressed(path)
  try {
    for await (const file of readTar(opened)) {
      signal?.throwIfAborted()
      if (isComplete) throw damaged(path, 'more follows after its end')
      if (header === undefined) {
        header = await readHeader(path, file, sums)
        Object.assign(left, { files: header.files, sizeBytes: header.sizeBytes })
        await onHeader?.(header)
      } else if (file.name === sumsName) {
        await checkSums(path, file, sums.digest('hex'))
        isComplete = true
      } else {
        const parents = parentsOf(file.name)
        if (seen.has(file.name) || !isArchivedName(file.name, header.withKeys))
          throw damaged(path, `it holds a file that is not part of a backup: ${excerpt(file.name)}`)
        if (folders.has(file.name) || parents.some((folder) => seen.has(folder)))
          throw damaged(path, `it holds a file and a folder of one name: ${excerpt(file.name)}`)
        seen.add(file.name)
        for (const folder of parents) folders.add(folder)
        left.files -= 1
        left.sizeBytes -= file.sizeBytes
        if (left.files < 0 || left.sizeBytes < 0) throw damaged(path, 'it holds more than it says')
        await visit(file, sums, onFile)
      }
    }
  } catch (error) {
    throw signal?.aborted ? signal.reason : asReadError(path, error)
  } finally {
    opened.destroy()
  }
  if (header === undefined || !isComplete || left.files > 0 || left.sizeBytes > 0) throw damaged(path, 'files are missing')
  if (!seen.has('carrel.db')) throw damaged(path, 'it holds no database')
  return header
}

/** The folders above a file. */
const parentsOf = (name: string): string[] =>
  name
    .split('/')
    .map((_, depth, parts) => parts.slice(0, depth).join('/'))
    .slice(1)

/** The header of an archive, of which nothing else is read or checked. */
export async function readBackupHeader(path: string): Promise<BackupHeader> {
  const opened = decompressed(path)
  try {
    for await (const file of readTar(opened)) return await readHeader(path, file, createHash('sha256'))
  } catch (error) {
    throw asReadError(path, error)
  } finally {
    opened.destroy()
  }
  throw notBackup(path)
}

async function readHeader(path: string, file: TarFile, sums: ReturnType<typeof createHash>): Promise<BackupHeader> {
  if (file.name !== headerName || file.sizeBytes > maxHeaderBytes) throw notBackup(path)
  const json = await text(Readable.from(file.content, { objectMode: false }))
  sums.update(sumLine(createHash('sha256').update(json).digest('hex'), headerName))
  const rawHeader = asJson(json)
  const { product, format } = BackupHeader.pick({ product: true, format: true }).safeParse(rawHeader).data ?? {}
  if (isUnreleased(rawHeader)) throw unreleased(path)
  if (product === undefined || format === undefined) throw notBackup(path)
  if (format > backupFormat) throw newer(path, 'a newer version of Carrel')
  const header = BackupHeader.safeParse(rawHeader).data
  if (header === undefined) throw damaged(path, `${headerName} is invalid`)
  if (header.schema > migrations.length || isNewer(header.version, packageVersion()))
    throw newer(path, `Carrel ${header.version}`)
  return header
}

async function visit(file: TarFile, sums: ReturnType<typeof createHash>, onFile: Visitor['onFile']): Promise<void> {
  const hash = createHash('sha256')
  async function* hashed() {
    for await (const piece of file.content) {
      hash.update(piece)
      yield piece
    }
  }
  const content = hashed()
  await onFile?.({ ...file, content })
  for await (const _rest of content);
  sums.update(sumLine(hash.digest('hex'), file.name))
}

/** The sums are compared by a sum over them, so that an archive of any number of files needs no memory for them. */
async function checkSums(path: string, file: TarFile, expected: string): Promise<void> {
  const hash = createHash('sha256')
  for await (const piece of file.content) hash.update(piece)
  if (hash.digest('hex') !== expected) throw damaged(path, 'the content does not match its checksums')
}

function decompressed(path: string): Readable {
  const file = createReadStream(path)
  const params = { [constants.ZSTD_d_windowLogMax]: maxWindowLog }
  return pipeline(file, startingWith(zstdMagic, path), createZstdDecompress({ params }), () => undefined)
}

/** Reports another kind of file before the decompressor does. */
function startingWith(magic: Buffer, path: string) {
  return async function* (source: AsyncIterable<Buffer>) {
    let head: Buffer | undefined = Buffer.alloc(0)
    for await (const piece of source) {
      if (head === undefined) {
        yield piece
        continue
      }
      head = Buffer.concat([head, piece])
      if (head.length < magic.length) continue
      if (!head.subarray(0, magic.length).equals(magic)) throw notBackup(path)
      yield head
      head = undefined
    }
    if (head !== undefined) throw notBackup(path)
  }
}

function asReadError(path: string, error: unknown): unknown {
  if (error instanceof AppError) return error
  const { code = '', message } = error as NodeJS.ErrnoException
  if (code === 'ENOENT') return failure(`The file ${path} does not exist.`, error)
  if (code === 'EACCES') return failure(`This user may not read the file ${path}.`, error)
  if (code === 'EISDIR') return failure(`${path} is a folder. Name the file of a backup.`, error)
  if (code === 'ENOSPC') return error
  return damaged(path, /^ZSTD|^Z_/.test(code) ? 'its compressed data is damaged or ends too early' : message, error)
}

const failure = (message: string, cause?: unknown) => new AppError('data_damaged', message, { cause })
const notBackup = (path: string) => failure(`The file ${path} is not a backup of Carrel. Nothing was changed.`)
const isUnreleased = (header: unknown) => z.object({ product: z.literal('carrel') }).safeParse(header).success
const unreleased = (path: string) =>
  failure(
    `The backup ${path} was made by an unreleased version of Carrel. Nothing was changed. Restore it with that version, or add the libraries again.`,
  )
const damaged = (path: string, why: string, cause?: unknown) =>
  failure(
    `The backup ${path} is damaged or incomplete: ${why}. Nothing was changed; copy it again, or use an older backup.`,
    cause,
  )
const newer = (path: string, by: string) =>
  failure(`The backup ${path} was made by ${by}. Install that version, then restore it. Nothing was changed.`)

function asJson(json: string): unknown {
  try {
    return JSON.parse(json)
  } catch {
    return undefined
  }
}

/** Compares the numbers of two versions. */
function isNewer(version: string, than: string): boolean {
  const [a, b] = [version, than].map((each) => each.split(/[.+-]/).slice(0, 3).map(Number)) as [number[], number[]]
  const at = a.findIndex((number, i) => number !== b[i])
  return at >= 0 && Number(a[at]) > Number(b[at])
}
