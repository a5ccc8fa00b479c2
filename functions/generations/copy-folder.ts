import { randomUUID } from 'node:crypto'
import { mkdir, readdir, readFile, rename, rm, stat, writeFile } from 'node:fs/promises'
import { join } from 'node:path'
import { z } from 'zod'
import { type CopiedFile, sha256Of } from './download-files.ts'
import { folderOf } from './list-path.ts'

const unfinished = '.unfinished'
/** No copy takes as long. A newer folder may belong to a copy that another process is making. */
const abandonedMs = 10 * 60 * 1000
const listSuffix = '.files.json'
const Copied = z.array(z.object({ path: z.string(), bytes: z.int().nonnegative(), sha256: z.string() }))

/**
 * Copies of generations in a folder. A copy is complete if it has a list of its files, which is written last and deleted first. Two processes
 * disturb each other, but all copies of a generation are equal: a reader may lose its copy, and never gets a wrong one.
 */
export type CopyFolder = {
  /** The files of complete copies, which an earlier process has left, by generation. Deletes what killed processes have left. */
  open(): Promise<Map<string, CopiedFile[]>>
  /** Adds a copy. `fill` writes its files into the folder that it gets. */
  add(generation: string, fill: (folder: string) => Promise<CopiedFile[]>): Promise<CopiedFile[]>
  /** True if the files have the bytes that they were written with. */
  areIntact(files: CopiedFile[]): Promise<boolean>
  remove(generation: string): Promise<void>
}

/** `closeTables` is called between the removal of the list and that of the files. */
export function copyFolder(root: string, closeTables: (generation: string) => Promise<void>): CopyFolder {
  const listOf = (generation: string) => join(root, `${generation}${listSuffix}`)
  const foldersOf = (generation: string) => [folderOf(generation, 'rows'), folderOf(generation, 'statistics')]
  const remove = async (generation: string) => {
    await rm(listOf(generation), { force: true })
    await closeTables(generation)
    for (const each of foldersOf(generation)) await rm(join(root, each), { recursive: true, force: true })
  }
  return {
    async open() {
      await mkdir(root, { recursive: true })
      const names = await readdir(root)
      const copies = new Map<string, CopiedFile[]>()
      for (const name of names.filter((each) => each.endsWith(listSuffix))) {
        const files = await readCopied(join(root, name)).catch(() => undefined)
        if (files) copies.set(name.slice(0, -listSuffix.length), files)
      }
      const kept = new Set([...copies.keys()].flatMap((each) => [`${each}${listSuffix}`, ...foldersOf(each)]))
      for (const name of names) if (!kept.has(name)) await removeAbandoned(join(root, name))
      return copies
    },
    async add(generation, fill) {
      const draft = join(root, unfinished, randomUUID())
      const list = `${draft}${listSuffix}`
      try {
        await mkdir(draft, { recursive: true })
        const files = await fill(draft)
        await remove(generation)
        for (const name of await readdir(draft)) await rename(join(draft, name), join(root, name))
        await writeFile(list, JSON.stringify(files))
        await rename(list, listOf(generation))
        return files
      } finally {
        for (const each of [draft, list]) await rm(each, { recursive: true, force: true })
      }
    },
    async areIntact(files) {
      const isIntact = async ({ path, bytes, sha256 }: CopiedFile) =>
        (await stat(join(root, path))).size === bytes && (await sha256Of(join(root, path))) === sha256
      const intact = await Promise.all(files.map(isIntact)).catch(() => [false])
      return intact.every(Boolean)
    },
    remove,
  }
}

async function removeAbandoned(path: string): Promise<void> {
  const { mtimeMs } = await stat(path).catch(() => ({ mtimeMs: Number.NaN }))
  if (Date.now() - mtimeMs > abandonedMs) await rm(path, { recursive: true, force: true })
}

const readCopied = async (path: string) => Copied.parse(JSON.parse(await readFile(path, 'utf8')))
