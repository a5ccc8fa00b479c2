import { randomUUID } from 'node:crypto'
import { existsSync, rmSync } from 'node:fs'
import { mkdir, readdir, rename, rm, stat } from 'node:fs/promises'
import { join } from 'node:path'

/** Folders in `DATA_DIR/models`. Those that begin with a dot are no models. */
export type ModelFolders = {
  /** Names of the folders that may be models, in order. */
  names(): Promise<string[]>
  pathOf(name: string): string
  /** The folder with what has been fetched of a model. It outlives the server, so that a fetch continues. */
  fetchedOf(name: string): string
  /** A new folder for files that nobody uses any more when the server starts. */
  scratch(): Promise<string>
  /** Bytes of the files of a model. */
  sizeOf(name: string): Promise<number>
  /** Makes a folder the one of a model, in one step if there is none yet. */
  publish(from: string, name: string): Promise<void>
  remove(name: string): Promise<void>
}

export function modelFoldersIn(modelsDir: string): ModelFolders {
  const scratchDir = join(modelsDir, '.scratch')
  rmSync(scratchDir, { recursive: true, force: true })
  const pathOf = (name: string) => join(modelsDir, name)
  const scratch = async () => {
    const path = join(scratchDir, randomUUID())
    await mkdir(path, { recursive: true })
    return path
  }
  /** A folder is moved before it is deleted, so that half of a model is never seen. */
  const putAside = async (name: string): Promise<string> => {
    const aside = await scratch()
    await rename(pathOf(name), join(aside, name))
    return aside
  }
  return {
    pathOf,
    scratch,
    fetchedOf: (name) => join(modelsDir, '.fetched', name),
    async names() {
      const entries = await readdir(modelsDir, { withFileTypes: true }).catch(() => [])
      return entries
        .filter((entry) => entry.isDirectory() && !entry.name.startsWith('.'))
        .map(({ name }) => name)
        .sort()
    },
    async sizeOf(name) {
      const files = await readdir(pathOf(name), { recursive: true, withFileTypes: true })
      const sizes = files.filter((file) => file.isFile()).map(async (file) => (await stat(join(file.parentPath, file.name))).size)
      return (await Promise.all(sizes)).reduce((sum, size) => sum + size, 0)
    },
    async publish(from, name) {
      const aside = existsSync(pathOf(name)) ? await putAside(name) : undefined
      await rename(from, pathOf(name))
      if (aside !== undefined) await rm(aside, { recursive: true, force: true })
    },
    async remove(name) {
      await rm(await putAside(name), { recursive: true, force: true })
    },
  }
}
