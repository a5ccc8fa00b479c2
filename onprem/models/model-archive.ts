import { createReadStream, createWriteStream, existsSync } from 'node:fs'
import { readdir, rename, rm } from 'node:fs/promises'
import { join, relative } from 'node:path'
import { Readable } from 'node:stream'
import { pipeline } from 'node:stream/promises'
import { modelFileNames } from './model-zip-files.ts'

export type ArchiveEntry = { name: string; open(): Readable | Promise<Readable> }

/** Writes a zip. Until it is complete, it has another name. */
export async function writeArchive(path: string, entries: readonly ArchiveEntry[], signal?: AbortSignal): Promise<void> {
  const { default: JSZip } = await import('jszip')
  const zip = new JSZip()
  for (const { name, open } of entries) zip.file(name, Readable.from(whenRead(open)))
  const part = `${path}.part`
  try {
    await pipeline(zip.generateNodeStream({ streamFiles: true, compression: 'STORE' }), createWriteStream(part), { signal })
    await rename(part, path)
  } catch (error) {
    await rm(part, { force: true })
    throw error
  }
}

/** Opens a file at its turn. */
async function* whenRead(open: ArchiveEntry['open']): AsyncGenerator<Buffer> {
  for await (const chunk of await open()) yield chunk as Buffer
}

/** The files of a model in a folder of any other files. */
export const modelEntries = (folder: string): ArchiveEntry[] =>
  modelFileNames
    .filter((name) => existsSync(join(folder, name)))
    .map((name) => ({ name, open: () => createReadStream(join(folder, name)) }))

/** All files of a folder, below `prefix`. */
export async function folderEntries(folder: string, prefix: string): Promise<ArchiveEntry[]> {
  const files = await readdir(folder, { recursive: true, withFileTypes: true })
  return files
    .filter((file) => file.isFile())
    .map(({ parentPath, name }) => join(parentPath, name))
    .map((path) => ({ name: `${prefix}${relative(folder, path)}`, open: () => createReadStream(path) }))
}
