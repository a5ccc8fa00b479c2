import { createHash } from 'node:crypto'
import { createReadStream } from 'node:fs'
import { type FileHandle, mkdir, open } from 'node:fs/promises'
import { dirname, join } from 'node:path'
import { addAbortSignal } from 'node:stream'
import { pipeline } from 'node:stream/promises'
import pLimit from 'p-limit'
import type { ByteRange, StoredFile, StoredFiles } from './stored-files.ts'

/** A request costs the same for any number of bytes, but one connection of S3 is slower than several. */
const minRangeBytes = 8 * 2 ** 20
const maxRanges = 16
/** S3 gives up without an error if it hangs. */
const stallMs = 4_000

/** A file that was downloaded, with the SHA-256 of its bytes. */
export type CopiedFile = StoredFile & { sha256: string }

/** Downloads files into a folder. Memory does not grow with their size. Throws if S3 fails or sends nothing for four seconds, ENOENT if it has no such file. */
export async function downloadFiles(stored: StoredFiles, files: StoredFile[], folder: string): Promise<CopiedFile[]> {
  const total = files.reduce((sum, { bytes }) => sum + bytes, 0)
  const rangeBytes = Math.max(minRangeBytes, Math.ceil(total / maxRanges))
  const atOnce = pLimit(maxRanges)
  const stall = stallWatch()
  const download = async (file: StoredFile): Promise<CopiedFile> => {
    const path = join(folder, file.path)
    await mkdir(dirname(path), { recursive: true })
    const target = await open(path, 'wx')
    try {
      const ranges = rangesOf(file.bytes, rangeBytes)
      await Promise.all(ranges.map((range) => atOnce(() => copyRange(stored, file, range, target, stall))))
    } finally {
      await target.close()
    }
    return { ...file, sha256: await sha256Of(path) }
  }
  try {
    return await Promise.all(files.map(download))
  } catch (error) {
    throw stall.signal.aborted ? stall.signal.reason : error
  } finally {
    // The other ranges end too if one has failed.
    stall.end()
  }
}

export async function sha256Of(path: string): Promise<string> {
  const hash = createHash('sha256')
  await pipeline(createReadStream(path), hash)
  return hash.digest('hex')
}

type StallWatch = ReturnType<typeof stallWatch>

function stallWatch() {
  const ended = new AbortController()
  const timer = setTimeout(() => ended.abort(new Error(`S3 sent nothing for ${stallMs} ms.`)), stallMs)
  return {
    signal: ended.signal,
    progress: () => void timer.refresh(),
    end() {
      clearTimeout(timer)
      ended.abort(new Error('The download has ended.'))
    },
  }
}

async function copyRange(
  stored: StoredFiles,
  { path, bytes }: StoredFile,
  range: ByteRange,
  target: FileHandle,
  stall: StallWatch,
): Promise<void> {
  const isWhole = range.from === 0 && range.to === bytes
  const body = await stored.read(path, { ...(!isWhole && { range }), signal: stall.signal })
  if (!body) throw Object.assign(new Error(`${path} is not stored.`), { code: 'ENOENT' })
  let at = range.from
  const otherSize = () => new Error(`${path} does not have the ${bytes} bytes that it was listed with.`)
  for await (const piece of addAbortSignal(stall.signal, body)) {
    stall.progress()
    if (at + piece.length > range.to) throw otherSize()
    await target.write(piece, 0, piece.length, at)
    at += piece.length
  }
  if (at !== range.to) throw otherSize()
}

function rangesOf(bytes: number, rangeBytes: number): ByteRange[] {
  const count = Math.ceil(bytes / rangeBytes)
  return Array.from({ length: count }, (_, i) => ({ from: i * rangeBytes, to: Math.min(bytes, (i + 1) * rangeBytes) }))
}
