import { stat } from 'node:fs/promises'
import { join } from 'node:path'
import { folderSize } from '../support/folder-size.ts'

export type DiskUse = {
  /** Sizes in bytes. `index` is the served content. A generation never changes after it is served, so each is measured once. */
  stores(): Promise<Record<'index' | 'database' | 'vectors' | 'texts', number>>
}

export function diskUse(dataDir: string, generations: () => string[]): DiskUse {
  const sizes = new Map<string, number>()
  const indexBytes = async () => {
    const served = new Set(generations())
    for (const name of sizes.keys()) if (!served.has(name)) sizes.delete(name)
    let bytes = 0
    for (const name of served) {
      const size = sizes.get(name) ?? (await generationBytes(dataDir, name))
      sizes.set(name, size)
      bytes += size
    }
    return bytes
  }
  return {
    async stores() {
      const [index, database, vectors, texts] = await Promise.all([
        indexBytes(),
        databaseBytes(dataDir, 'carrel.db'),
        databaseBytes(dataDir, 'vectors.db'),
        databaseBytes(dataDir, 'texts.db'),
      ])
      return { index, database, vectors, texts }
    },
  }
}

async function generationBytes(dataDir: string, generation: string): Promise<number> {
  const tables = [`${generation}.lance`, `${generation}.statistics.lance`]
  const bytes = await Promise.all(tables.map((table) => folderSize(join(dataDir, 'snippets', table))))
  return bytes.reduce((sum, each) => sum + each, 0)
}

/** The size of a database with its write-ahead log. */
async function databaseBytes(dataDir: string, name: string): Promise<number> {
  const files = await Promise.all([name, `${name}-wal`].map((file) => stat(join(dataDir, file)).catch(() => undefined)))
  return files.reduce((sum, file) => sum + (file?.size ?? 0), 0)
}
