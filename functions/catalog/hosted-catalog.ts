import type { IndexingCatalog, NewVersion, SweptCatalog } from '../../shared/indexing/indexing-catalog.ts'
import type { LibraryId } from '../../shared/library.ts'
import type { AddedLibrary, JobEnd } from './catalog-changes.ts'
import type { CatalogRecord } from './catalog-record.ts'
import type { Exportable } from './exportable.ts'

/** Which object is the snapshot of the catalog, and whether the catalog has changed since. */
export type Snapshots = {
  /** After a change to what a search shows. */
  changed(): Promise<void>
  /** Undefined where none was published yet. */
  current(): Promise<string | undefined>
  /** How many changes there are to publish; undefined where there is none, or another publishes and it is not `insisted`. */
  take(insisted: boolean): Promise<number | undefined>
  /** Notes an object before it is written, so that it is removed some day whatever happens. */
  note(object: string): Promise<void>
  /** Makes it the snapshot. False where a newer one is there already. */
  publish(object: string, changes: number): Promise<boolean>
  /** Ends a turn. False where something has changed meanwhile. */
  release(): Promise<boolean>
  /** Objects that are not the snapshot, and that by now nobody writes or reads any more. */
  abandoned(): Promise<string[]>
  forget(object: string): Promise<void>
}

/** Who writes to a library, and how large what it wrote is in a bundle. */
export type Writer = { worker: string; bundleBytes(generation: string): number }

/** All libraries of the hosted half, each one record. */
export type HostedCatalog = SweptCatalog & {
  /** The published lists of all libraries, which searches read. */
  snapshots: Snapshots
  /** The version of the id is ignored. */
  record(id: LibraryId): Promise<CatalogRecord | undefined>
  /** The version of the id is ignored. Undefined for an unknown library. */
  exportable(id: LibraryId): Promise<Exportable | undefined>
  /** Every record, read partition by partition. */
  all(): AsyncIterable<CatalogRecord>
  /** Adds a library that waits for its first parse. An existing library from the same address stays as it is. Throws duplicate_repo. */
  add(library: AddedLibrary): Promise<CatalogRecord>
  /** Throws library_not_found. */
  own(id: LibraryId, teamspace: string): Promise<void>
  /** Removes a library, or the version that the id pins. Returns the generations that are no longer served. Throws library_not_found. */
  remove(id: LibraryId): Promise<string[]>
  /** Gives the library to a worker; no other worker publishes from then on. Throws library_not_found. */
  begin(id: LibraryId, worker: string): Promise<void>
  /** Records the end of a worker's job. False if another worker has the library now. Throws library_not_found. */
  end(id: LibraryId, worker: string, outcome: JobEnd): Promise<boolean>
  /** The catalog that a parse reads and writes. It publishes only while its worker is the last one that began. */
  parsing(id: LibraryId, writer: Writer): IndexingCatalog
  /** Serves a copy in place of a generation. Throws job_active if another worker has the library, library_not_found. */
  replace(
    id: LibraryId,
    writer: Writer,
    generation: string,
    copy: Required<Pick<NewVersion, 'generation' | 'format'>>,
  ): Promise<void>
}
