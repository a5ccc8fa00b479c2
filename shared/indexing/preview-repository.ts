import { AppError } from '../errors.ts'
import type { LibraryId } from '../library.ts'
import { listFiles } from '../reading/discover/list-files.ts'
import { selectionIn } from '../reading/discover/selection.ts'
import type { Skipped } from '../reading/discover/skipped.ts'
import { findRef, type RemoteRefs } from '../reading/git/remote-refs.ts'
import { readerPool } from '../reading/reader-pool.ts'
import { visible } from '../text/visible-text.ts'
import type { Clones } from './clones.ts'
import { fetchDefault, rejectMissingFolders } from './fetch-version.ts'
import type { JobRequest, ParseRequest } from './index-job.ts'
import type { IndexingCatalog } from './indexing-catalog.ts'
import { libraryFacts } from './library-facts.ts'
import type { IndexingLimits } from './limits.ts'
import { type OpenRepositoryPorts, openRepository } from './open-repository.ts'
import { withOptionalVersions } from './optional-versions.ts'
import { languagesSkipped, rejectMissingLanguages, requiredLanguages } from './pages/docs-languages.ts'
import { firstSkipped } from './report-draft.ts'
import { resolveRequest, spellings } from './resolve-request.ts'
import { namedVersions, versionsToIndex } from './source-settings.ts'

/** The documents that a parse would read. */
export type Preview = {
  /** The host does not serve the repository to everyone. */
  private: boolean
  title: string
  description: string
  branch: string
  commit: string
  /** Documents of the default content, and their size. */
  files: number
  bytes: number
  /** The folders of the root that hold documents, most documents first; '' is the root itself. */
  folders: { path: string; files: number }[]
  /** The languages of the documentation, most documents first; empty if they are unknown. `languages` of a parse chooses those that are read. */
  languages: { code: string; files: number; isRead: boolean }[]
  /** Tags and branches that are indexed in addition. */
  versions: string[]
  /** Tags that name a version, the highest first. */
  tags: string[]
  /** Branches and tags of the library that are here; empty for a new library. */
  indexed: string[]
  skipped: Skipped[]
}

/** Previews the documents of a parse, for a caller with a key. Throws the errors of a parse. */
export type PreviewParse = (request: ParseRequest, signal: AbortSignal) => Promise<Preview>

export type PreviewPorts = OpenRepositoryPorts & {
  catalog: Pick<IndexingCatalog, 'versions' | 'settings'>
  clones: Pick<Clones, 'make' | 'discard'>
  limits: Pick<IndexingLimits, 'probeMs' | 'clone' | 'documents' | 'list' | 'read'>
}

const maxFolders = 50
const maxTags = 20
const silent = { log: () => undefined, stage: () => undefined }

/** Fetches a repository like a parse, lists its documents, and deletes it again. Throws what a parse fails with before it indexes. */
export async function previewRepository(
  ports: PreviewPorts,
  { library, request: sent }: { library: LibraryId; request: JobRequest },
  signal: AbortSignal,
): Promise<Preview> {
  const source = await openRepository(ports, sent, silent, signal)
  const folder = await ports.clones.make('preview')
  const readers = readerPool({ ...ports.limits.read, workers: 1 })
  const stopReading = () => void readers.close()
  signal.addEventListener('abort', stopReading, { once: true })
  try {
    const current = await ports.catalog.settings(library)
    const stored = new Map((await ports.catalog.versions(library)).map((each) => [each.version, each]))
    const { request: wanted, missing } = withOptionalVersions(source, sent)
    const request = resolveRequest(source, wanted, stored, current)
    const run = { ...ports, source, job: { library, request }, progress: silent, folder, readers, signal }
    const fetched = await rejectMissingFolders(run, await fetchDefault(run), stored.get(''))
    const selection = { ...selectionIn(request, fetched), apiReference: request.apiReference }
    const { documents, list } = ports.limits
    const listing = { documents: { root: fetched.dir, selection, limits: documents } }
    const { paths, skipped, bytes, languages } = await listFiles(listing, list, signal)
    rejectMissingLanguages(languages, requiredLanguages(request.languages, current))
    const { title, description, branch } = await libraryFacts(run, fetched, { generated: 0, imports: new Map() })
    signal.throwIfAborted()
    const settings = { ...current, named: spellings(source, namedVersions(fetched.project)) }
    const versions = sortVersions(source, [...versionsToIndex({ job: { request } }, stored, settings).values()])
    return visible({
      private: !source.isPublic,
      title,
      description,
      branch,
      commit: fetched.commit,
      files: paths.length,
      bytes,
      folders: foldersOf(paths),
      languages: languages.existing.map(({ code, files }) => ({ code, files, isRead: languages.read.includes(code) })),
      versions: versions.existing,
      tags: versionTags(source),
      indexed: [...stored.values()].map(({ ref }) => ref),
      skipped: firstSkipped([...languagesSkipped(languages), ...fetched.skipped, ...skipped, ...missing, ...versions.missing]),
    })
  } finally {
    signal.removeEventListener('abort', stopReading)
    await readers.close().finally(() => ports.clones.discard(folder))
  }
}

function foldersOf(paths: string[]): Preview['folders'] {
  const counts = Map.groupBy(paths, (path) => (path.includes('/') ? path.slice(0, path.indexOf('/')) : ''))
  const folders = [...counts].map(([path, { length }]) => ({ path, files: length }))
  return folders.sort((a, b) => b.files - a.files || (a.path < b.path ? -1 : 1)).slice(0, maxFolders)
}

const byNumbers = new Intl.Collator('en', { numeric: true })

/** The highest tags that are a number, such as `v1.2.0`; all others are no versions, or those of one package of many. */
function versionTags({ refs }: RemoteRefs): string[] {
  const names = [...refs.keys()].flatMap((ref) => /^refs\/tags\/(v?\d.*)$/.exec(ref)?.[1] ?? [])
  const number = (name: string) => name.replace(/^v/, '')
  return names.sort((a, b) => byNumbers.compare(number(b), number(a))).slice(0, maxTags)
}

/** A missing version is listed like in the report of a job. */
function sortVersions(remote: Parameters<typeof findRef>[0], refs: string[]): { existing: string[]; missing: Skipped[] } {
  const existing: string[] = []
  const missing: Skipped[] = []
  for (const ref of refs) {
    try {
      findRef(remote, ref)
      existing.push(ref)
    } catch (error) {
      if (!(error instanceof AppError)) throw error
      missing.push({ path: `@${ref}`, reason: error.message })
    }
  }
  return { existing, missing }
}
