import { statfs } from 'node:fs/promises'
import { AppError } from '../../shared/errors.ts'
import type { Log } from '../../shared/log.ts'
import { isNotDamage } from '../../shared/store/is-not-damage.ts'
import { copyFolder } from './copy-folder.ts'
import { type CopiedFile, downloadFiles } from './download-files.ts'
import { folderOf, type Part } from './list-path.ts'
import { readFileList } from './listed-snippets.ts'
import type { StoredFile, StoredFiles } from './stored-files.ts'

/** A larger generation has a copy of its statistics only: waiting for all of its rows would cost more than reading a few from S3. */
const maxCopyBytes = 200 * 2 ** 20
/** The copies have at most this share of the disk, and at most `maxBytes`. */
const diskShare = 0.8
const maxBytes = 8 * 2 ** 30
const listMs = 4_000

/** Copies of generations on the disk. A finished generation never changes, so its copy is valid until it is evicted. */
export type GenerationCopies = {
  /**
   * Reads a part of a generation from its copy, which is made first if there is none. Returns undefined if there is no copy of that part, or if the
   * copy cannot be read; it is deleted then. Throws if S3 fails.
   */
  use<T>(generation: string, part: Part, read: () => Promise<T | undefined>): Promise<T | undefined>
  forget(generation: string): Promise<void>
}

type Copy = { bytes: number; users: number; left?: CopiedFile[]; files?: Promise<CopiedFile[]> }
type Options = {
  folder: string
  log: Pick<Log, 'warn'>
  closeTables(generation: string): Promise<void>
  limits?: { maxBytes?: number; maxCopyBytes?: number }
}

export function generationCopies(stored: StoredFiles, { folder, log, closeTables, limits = {} }: Options): GenerationCopies {
  const disk = copyFolder(folder, closeTables)
  /** In the order of their last use. */
  const copies = new Map<string, Copy>()
  const removals = new Map<string, Promise<void>>()

  const openFolder = async (): Promise<number> => {
    for (const [generation, left] of await disk.open()) copies.set(generation, { bytes: sizeOf(left), users: 0, left })
    return Math.min(limits.maxBytes ?? maxBytes, diskShare * ((await freeBytes(folder)) + usedBytes()))
  }
  let allowedBytes: Promise<number> | undefined
  const usedBytes = () => sizeOf([...copies.values()])

  const remove = async (generation: string, copy: Copy) => {
    if (copies.get(generation) !== copy) return
    copies.delete(generation)
    if (copy.bytes === 0) return
    const removal = disk.remove(generation).finally(() => removals.delete(generation))
    removals.set(generation, removal)
    await removal
  }
  /** Evicts copies that nobody reads, the one that was used longest ago first. */
  const isRoomFor = async (copy: Copy, neededBytes: number): Promise<boolean> => {
    const allowed = (await allowedBytes) ?? 0
    copy.bytes = neededBytes
    for (const [generation, other] of [...copies]) if (usedBytes() > allowed && other.users === 0) await remove(generation, other)
    if (usedBytes() <= allowed) return true
    copy.bytes = 0
    return false
  }
  const makeCopy = async (generation: string, copy: Copy): Promise<CopiedFile[]> => {
    await removals.get(generation)
    if (copy.left && (await disk.areIntact(copy.left))) return copy.left
    const list = await readFileList(stored, generation, AbortSignal.timeout(listMs))
    if (!list) return []
    const isSmall = sizeOf([...list.rows, ...list.statistics]) <= (limits.maxCopyBytes ?? maxCopyBytes)
    const wanted: StoredFile[] = isSmall ? [...list.rows, ...list.statistics] : list.statistics
    if (!(await isRoomFor(copy, sizeOf(wanted)))) return []
    return disk.add(generation, (draft) => downloadFiles(stored, wanted, draft))
  }
  /** The files of a copy, none if there is no room for it. */
  const filesOf = async (generation: string, copy: Copy): Promise<CopiedFile[]> => {
    try {
      copy.files ??= makeCopy(generation, copy)
      const files = await copy.files
      if (files.length === 0) await remove(generation, copy)
      return files
    } catch (error) {
      await remove(generation, copy)
      if (!meansNoCopy(error)) throw error
      log.warn({ generation, error }, 'a library cannot be copied: it is read from S3')
      return []
    }
  }
  const readCopy = async <T>(generation: string, copy: Copy, read: () => Promise<T | undefined>): Promise<T | undefined> => {
    try {
      const result = await read()
      if (result === undefined) await remove(generation, copy)
      return result
    } catch (error) {
      if (error instanceof AppError || isAbort(error)) throw error
      log.warn({ generation, error }, 'the copy of a library cannot be read: it is read from S3')
      if (!isNotDamage(error)) await remove(generation, copy)
      return undefined
    }
  }
  return {
    async use(generation, part, read) {
      allowedBytes ??= openFolder()
      await allowedBytes.catch(() => undefined)
      const copy = copies.get(generation) ?? { bytes: 0, users: 0 }
      copies.delete(generation)
      copies.set(generation, copy)
      copy.users += 1
      try {
        const files = await filesOf(generation, copy)
        const isCopied = files.some(({ path }) => path.startsWith(`${folderOf(generation, part)}/`))
        return isCopied ? await readCopy(generation, copy, read) : undefined
      } finally {
        copy.users -= 1
      }
    },
    async forget(generation) {
      const copy = copies.get(generation)
      if (copy) await remove(generation, copy)
    },
  }
}

const sizeOf = (files: readonly { bytes: number }[]): number => files.reduce((sum, { bytes }) => sum + bytes, 0)

async function freeBytes(folder: string): Promise<number> {
  const { bavail, bsize } = await statfs(folder)
  return bavail * bsize
}

/** Failures of the disk, of another process that makes the same copy, and of a generation that is being dropped. */
const noCopyCodes = new Set([
  'ENOSPC',
  'EDQUOT',
  'EROFS',
  'EACCES',
  'EPERM',
  'EMFILE',
  'ENFILE',
  'ENOTDIR',
  'EIO',
  'ENOTEMPTY',
  'EEXIST',
  'ENOENT',
])

const meansNoCopy = (error: unknown): boolean => noCopyCodes.has(String((error as { code?: unknown }).code))

const isAbort = (error: unknown): boolean => error instanceof Error && /^(Abort|Timeout)Error$/.test(error.name)
