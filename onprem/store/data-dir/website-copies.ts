import { hash } from 'node:crypto'
import { readdir, rm } from 'node:fs/promises'
import { join } from 'node:path'
import { type LibraryId, libraryKey, parseLibraryId } from '../../../shared/library.ts'
import type { InstallCatalog } from '../catalog/sqlite-catalog.ts'
import type { JobStore } from '../jobs/job-store.ts'

/** The pages of websites as the last crawl read them, so that a refresh asks only for those that have changed. */
export type WebsiteCopies = {
  folderOf(library: LibraryId): string
  /** Deletes the pages of libraries that do not exist. */
  sweep(): Promise<void>
}

const nameOf = (library: LibraryId): string => hash('sha256', libraryKey(library)).slice(0, 32)

export function websiteCopies(
  folder: string,
  { catalog, jobs }: { catalog: Pick<InstallCatalog, 'libraries'>; jobs: Pick<JobStore, 'active'> },
): WebsiteCopies {
  return {
    folderOf: (library) => join(folder, nameOf(library)),
    async sweep() {
      const names = await readdir(folder).catch((): string[] => [])
      if (names.length === 0) return
      const ids = [...catalog.libraries().map(({ id }) => id), ...jobs.active().map(({ project }) => project)]
      const used = new Set(ids.map((id) => nameOf(parseLibraryId(id))))
      for (const name of names) if (!used.has(name)) await rm(join(folder, name), { recursive: true, force: true })
    },
  }
}
