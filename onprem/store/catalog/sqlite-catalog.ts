import type { DatabaseSync } from 'node:sqlite'
import { AppError } from '../../../shared/errors.ts'
import type {
  IndexingCatalog,
  JobId,
  LibraryFacts,
  NewVersion,
  ServedGeneration,
  SourceSettings,
  StoredVersion,
} from '../../../shared/indexing/indexing-catalog.ts'
import { type LibraryId, libraryKey, shownId, versionNamed } from '../../../shared/library.ts'
import { addAdvice } from '../../../shared/search/libraries/add-advice.ts'
import type { Catalog } from '../../../shared/search/libraries/catalog.ts'
import { transaction } from '../../../shared/store/database.ts'
import { excerpt } from '../../../shared/text/excerpt.ts'
import { catalogGenerations } from './catalog-generations.ts'
import { catalogVersions } from './catalog-versions.ts'
import { hiddenLibraries } from './hidden-libraries.ts'
import { type InstallLibrary, libraryRows } from './install-library.ts'
import { libraryList } from './library-list.ts'
import { publishLibrary, replaceGeneration, storeRepository } from './publish-library.ts'
import { removeFromCatalog, removeServed } from './remove-from-catalog.ts'

/** The catalog of an install. Every write is one transaction. */
export type InstallCatalog = Catalog &
  Pick<IndexingCatalog, 'hold'> & {
    /** All libraries, ordered by id. The same list until a library changes. */
    libraries(): readonly InstallLibrary[]
    find(id: LibraryId): InstallLibrary | undefined
    settings(id: LibraryId): SourceSettings
    storeSettings(id: LibraryId, settings: SourceSettings): void
    setPrivate(id: LibraryId, isPrivate: boolean): void
    /** Stores why the host of a library does not show its repository any more. */
    setUnavailable(id: LibraryId, reason: string): void
    setTags(id: LibraryId, tags: readonly string[]): void
    versions(id: LibraryId): StoredVersion[]
    isHeld(generation: string): boolean
    unowned(stored: string[], retiredBefore: Date): string[]
    /** The ids of the libraries and versions that serve these generations. */
    servedBy(generations: string[]): string[]
    /** The libraries that serve content in an older format. */
    outdated(format: number): LibraryId[]
    forget(generation: string): void
    /** `served` also if it was replaced or removed since; undefined if it is unknown. */
    stateOf(generation: string): 'written' | 'served' | undefined
    /** Removes the `removed` versions in the same transaction, unless they serve another generation by then. */
    publish(facts: LibraryFacts, versions: NewVersion[], removed?: ServedGeneration[]): void
    reserve(generation: string, job: JobId, version?: string): void
    /** Switches the versions that serve a generation to a copy of it, and retires it. Throws if no version serves it. */
    replace(id: LibraryId, current: StoredVersion, by: Pick<NewVersion, 'generation' | 'space' | 'format'>): void
    /** Hides a library, or the version that the id pins, until `show` or `remove`: nothing else finds it. */
    hide(id: LibraryId, at: Date): void
    show(id: LibraryId): void
    hidden(): LibraryId[]
    /** Removes a library, or the version that the id pins, and its counters. Returns the generations that are no longer served. */
    remove(id: LibraryId): string[]
  }

export function sqliteCatalog(db: DatabaseSync, now: () => Date): InstallCatalog {
  const rows = libraryRows(db)
  const libraries = libraryList(rows)
  const generations = catalogGenerations(db, now)
  const stored = catalogVersions(db)
  const hidden = hiddenLibraries(db)
  const ports = { db, now, generations, stored }
  const find = (id: LibraryId) => rows.get(libraryKey(id))
  let revision = 0
  /** Runs in one transaction. */
  const write = <Result>(key: string, work: () => Result): Result => {
    const result = transaction(db, work)
    revision += 1
    libraries.changed(key)
    return result
  }

  return {
    listed: async () => ({ libraries: libraries.list(), revision }),
    async served(id) {
      const library = find(id)
      if (!library) throw notInInstall(id)
      const version = id.version && versionNamed(id.version, new Set(library.versions))
      const content = stored.served(libraryKey(id), version ?? id.version ?? '')
      if (!content) throw unknownVersion(id, library)
      return { library, version, ...content }
    },
    libraries: libraries.list,
    find,
    settings: (id) => stored.settings(libraryKey(id)),
    storeSettings(id, settings) {
      db.prepare('UPDATE libraries SET settings = ? WHERE key = ?').run(JSON.stringify(settings), libraryKey(id))
    },
    setPrivate: (id, isPrivate) =>
      write(libraryKey(id), () => {
        db.prepare('UPDATE libraries SET private = ? WHERE key = ?').run(isPrivate ? 1 : 0, libraryKey(id))
      }),
    setUnavailable: (id, reason) =>
      write(libraryKey(id), () => {
        const library = find(id)
        if (!library) return
        const facts = library.repository ?? { address: library.sourceUrl }
        storeRepository(db, libraryKey(id), { ...facts, unavailable: reason })
      }),
    setTags: (id, tags) =>
      write(libraryKey(id), () => {
        db.prepare('UPDATE libraries SET tags = ? WHERE key = ?').run(JSON.stringify(tags), libraryKey(id))
      }),
    versions: (id) => stored.versions(libraryKey(id)),
    servedBy: stored.servedBy,
    outdated: stored.outdated,
    publish(facts, versions, removed = []) {
      const key = libraryKey(idOf(facts.id))
      write(key, () => {
        publishLibrary(ports, key, facts, versions)
        removeServed(ports, key, removed)
      })
    },
    replace: (id, current, by) => write(libraryKey(id), () => replaceGeneration(ports, id, current, by)),
    hide: (id, at) => write(libraryKey(id), () => hidden.hide(id, at)),
    show: (id) => write(libraryKey(id), () => hidden.show(id)),
    hidden: hidden.list,
    remove: (id) => write(libraryKey(id), () => removeFromCatalog(ports, id)),
    reserve: generations.reserve,
    hold: generations.hold,
    isHeld: generations.isHeld,
    unowned: generations.unowned,
    stateOf: generations.stateOf,
    forget: generations.forget,
  }
}

export const notInInstall = ({ owner, repo }: LibraryId): AppError =>
  new AppError('library_not_found', `${shownId({ owner, repo })} is not in this install. ${addAdvice.notHere}`)

function unknownVersion(id: LibraryId, library: InstallLibrary): AppError {
  const available = library.versions.length > 0 ? `There are: ${library.versions.join(', ')}.` : 'It only has default content.'
  const without = library.state === 'finalized' ? ' Omit the version for the default content.' : ''
  if (id.version === undefined) return new AppError('tag_not_found', `${library.id} has no default content. ${available}`)
  return new AppError('tag_not_found', `${library.id} has no version "${excerpt(id.version)}". ${available}${without}`)
}

const idOf = (id: string): LibraryId => {
  const [, owner = '', repo = ''] = id.split('/')
  return { owner, repo }
}
