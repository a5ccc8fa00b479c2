import { randomUUID } from 'node:crypto'
import { mkdir, open, readdir, rename, rm, stat } from 'node:fs/promises'
import { dirname, join, relative } from 'node:path'
import { checkObjectKey, type ObjectStore } from './object-store.ts'

/** No key begins with a dot. */
const unfinished = '.unfinished'
const abandonedMs = 24 * 3600 * 1000

/** Objects as files in a folder, for a service on one machine. `address` returns the download address of an object. */
export function folderObjects(folder: string, address: ObjectStore['downloadUrl']): ObjectStore {
  const pathOf = (key: string) => join(folder, checkObjectKey(key))
  return {
    async put(key, body) {
      const path = pathOf(key)
      const draft = join(folder, unfinished, randomUUID())
      await removeAbandoned(join(folder, unfinished))
      const file = await open(draft, 'wx')
      try {
        await file.writeFile(body)
        await file.sync()
        await mkdir(dirname(path), { recursive: true })
        await rename(draft, path)
        await syncFolder(dirname(path))
      } catch (error) {
        await rm(draft, { force: true })
        throw error
      } finally {
        await file.close()
      }
    },

    async get(key) {
      const file = await open(pathOf(key)).catch(unlessAbsent)
      if (!file) return undefined
      const stats = await file.stat()
      if (stats.isFile()) return { sizeBytes: stats.size, body: file.createReadStream({ autoClose: true }) }
      await file.close()
      return undefined
    },

    async remove(key) {
      await rm(pathOf(key), { force: true })
    },

    async *keys(prefix) {
      const entries = await readdir(join(folder, prefix), { recursive: true, withFileTypes: true }).catch(unlessAbsent)
      for (const entry of entries ?? []) if (entry.isFile()) yield relative(folder, join(entry.parentPath, entry.name))
    },

    downloadUrl: (key, fileName, expiresS) => address(checkObjectKey(key), fileName, expiresS),
  }
}

/** Deletes the drafts of writers that were killed. */
async function removeAbandoned(folder: string): Promise<void> {
  await mkdir(folder, { recursive: true })
  for (const name of await readdir(folder)) {
    const draft = await stat(join(folder, name)).catch(unlessAbsent)
    if (draft && Date.now() - draft.mtimeMs > abandonedMs) await rm(join(folder, name), { force: true })
  }
}

async function syncFolder(folder: string): Promise<void> {
  const opened = await open(folder)
  await opened.sync().finally(() => opened.close())
}

function unlessAbsent(error: NodeJS.ErrnoException): undefined {
  if (error.code === 'ENOENT' || error.code === 'ENOTDIR') return undefined
  throw error
}
