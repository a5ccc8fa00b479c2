import { createHash } from 'node:crypto'
import {
  chmodSync,
  closeSync,
  existsSync,
  fsyncSync,
  lstatSync,
  mkdirSync,
  openSync,
  readFileSync,
  realpathSync,
  renameSync,
  rmdirSync,
  rmSync,
  statSync,
  writeFileSync,
} from 'node:fs'
import { basename, dirname, join } from 'node:path'
import { megabytes } from '../../../shared/text/figures.ts'
import { UnusableFile } from './edit.ts'

export type TextFile = {
  /** The file itself, if the path is a symbolic link. */
  path: string
  /** `undefined` if there is no file. */
  text: string | undefined
  mode: number | undefined
}

const maxBytes = 100_000_000
const ownerOnly = 0o600

/** Throws UnusableFile if there is something that is not a text file, or that must not be changed. */
export function readTextFile(path: string): TextFile {
  return explained(() => {
    const isLink = lstatSync(path, { throwIfNoEntry: false })?.isSymbolicLink() === true
    if (!existsSync(path)) {
      if (isLink) throw new UnusableFile('is a symbolic link to a file that does not exist')
      return { path: realPath(path), text: undefined, mode: undefined }
    }
    const real = realpathSync(path)
    const { mode } = statSync(real)
    const text = textOf(real)
    if ((mode & 0o222) === 0) throw new UnusableFile('is read-only')
    return { path: real, text, mode: mode & 0o777 }
  })
}

/** The text of a file that is only read; `undefined` if there is none. Throws UnusableFile. */
export const readableText = (path: string): string | undefined => (existsSync(path) ? explained(() => textOf(path)) : undefined)

/** Replaces a file as a whole: at every moment it has the old text or the new one. Throws UnusableFile, also if another program changed it. */
export function replaceTextFile({ path, text: old }: TextFile, text: string, mode: number | undefined): void {
  explained(() => {
    mkdirSync(dirname(path), { recursive: true })
    const temporary = join(dirname(path), `.${basename(path)}.carrel-new`)
    rmSync(temporary, { force: true })
    try {
      const file = openSync(temporary, 'wx', mode ?? 0o666)
      try {
        writeFileSync(file, text)
        fsyncSync(file)
      } finally {
        closeSync(file)
      }
      // The mode at the opening is subject to the umask.
      if (mode !== undefined) chmodSync(temporary, mode)
      if (existsSync(path) ? textOf(path) !== old : old !== undefined)
        throw new UnusableFile('was changed by another program at the same time; try again')
      renameSync(temporary, path)
    } finally {
      rmSync(temporary, { force: true })
    }
  })
}

export const deleteFile = (path: string): void => explained(() => rmSync(path))

/** Makes a file readable by its owner only. Returns false if it was already. */
export function hideFromOthers({ path, mode = 0 }: TextFile): boolean {
  if ((mode & ~ownerOnly & 0o077) === 0 || process.platform === 'win32') return false
  explained(() => chmodSync(path, mode & 0o700))
  return true
}

/** The folders that must be created for a file, the outermost first. */
export function missingFolders(path: string): string[] {
  const folder = dirname(path)
  return existsSync(folder) ? [] : [...missingFolders(folder), folder]
}

/** Deletes those folders that are empty, the innermost first. */
export function deleteEmptyFolders(folders: string[]): void {
  for (const folder of [...folders].sort((a, b) => b.length - a.length)) {
    try {
      rmdirSync(folder)
    } catch {
      // It is not empty, or it was deleted.
    }
  }
}

export const hashOf = (text: string): string => createHash('sha256').update(text).digest('hex')

/** The path with its existing part resolved. */
export function realPath(path: string): string {
  if (existsSync(path) || dirname(path) === path) return realpathSync(path)
  return join(realPath(dirname(path)), basename(path))
}

/** A device may never end. */
function textOf(path: string): string {
  const stats = statSync(path)
  if (stats.isDirectory()) throw new UnusableFile('is a folder')
  if (!stats.isFile()) throw new UnusableFile('is not a file')
  if (stats.size > maxBytes) throw new UnusableFile(`is larger than ${megabytes(maxBytes)}`)
  const bytes = readFileSync(path)
  try {
    return new TextDecoder('utf-8', { fatal: true, ignoreBOM: true }).decode(bytes)
  } catch {
    throw new UnusableFile('is not UTF-8 text')
  }
}

const reasons = new Map([
  ['EACCES', 'cannot be changed by this user'],
  ['EPERM', 'cannot be changed by this user'],
  ['EROFS', 'is on a read-only file system'],
  ['ENOSPC', 'cannot be written: the disk is full'],
  ['ENOTDIR', 'cannot be created: a file has the name of its folder'],
  ['EEXIST', 'cannot be created: a file has the name of its folder'],
  ['ELOOP', 'is a symbolic link to itself'],
])

/** Throws errors of the file system as UnusableFile. */
function explained<T>(work: () => T): T {
  try {
    return work()
  } catch (error) {
    if (error instanceof UnusableFile) throw error
    const code = error instanceof Error && 'code' in error ? String(error.code) : String(error)
    throw new UnusableFile(reasons.get(code) ?? `cannot be read or written (${code})`)
  }
}
