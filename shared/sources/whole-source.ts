import { createHash } from 'node:crypto'
import { rename } from 'node:fs/promises'
import { join } from 'node:path'
import type { Skipped } from '../reading/discover/skipped.ts'
import type { OpenedSource, SourceTree } from '../reading/opened-source.ts'

/** A file of a source on disk. `path` is below the folder, `url` what its snippets link to, and `id` changes with its content. */
export type SourceFile = { path: string; url: string; id: string }

/** Any ref is the present content. */
const ref = 'refs/heads/current'

/**
 * A source that is fetched as a whole when it is opened, into a folder of the run. Its "commit" is a digest of its files: a refresh that
 * finds the same files changes nothing. `fetch` moves the folder, so it can be called once.
 */
export function wholeSource(
  source: { url: string; isPublic: boolean; about: SourceTree['about']; skipped?: Skipped[] },
  folder: string,
  files: readonly SourceFile[],
): OpenedSource {
  const commit = contentId(JSON.stringify([source.about, files.toSorted(byPath)]))
  return currentSource({ ...source, commit }, async (dir) => {
    await rename(folder, dir)
    return { files, about: source.about, skipped: source.skipped ?? [] }
  })
}

type Content = { files: readonly SourceFile[]; about: SourceTree['about']; skipped: Skipped[] }

/** A source without versions. `fetch` writes its files into a folder that does not exist, unless its commit is indexed already. */
export const currentSource = (
  source: { url: string; isPublic: boolean; commit: string; commitDate?: string | undefined },
  fetch: (dir: string, options: Parameters<OpenedSource['fetch']>[0]) => Promise<Content & { commit?: string }>,
): OpenedSource => ({
  refs: new Map([[ref, source.commit]]),
  defaultRef: ref,
  url: source.url,
  files: { pageUrl: source.url },
  isPublic: source.isPublic,
  async fetch(options) {
    const dir = join(options.into, 'tree')
    const { files, about, skipped, commit = source.commit } = await fetch(dir, options)
    const sorted = files.toSorted(byPath)
    return {
      dir,
      commit,
      commitDate: source.commitDate,
      ref: 'current',
      skipped,
      ids: new Map(sorted.map(({ path, id }) => [path, id])),
      links: [],
      submodules: [],
      urls: new Map(sorted.map(({ path, url }) => [path, url])),
      about,
    }
  },
})

const byPath = (a: SourceFile, b: SourceFile): number => (a.path < b.path ? -1 : 1)

/** The id of the content of a file. */
export const contentId = (content: string | Buffer): string => createHash('sha256').update(content).digest('hex').slice(0, 40)
