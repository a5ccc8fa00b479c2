import type { IndexingCatalog, NewVersion, SweptCatalog } from '../../shared/indexing/indexing-catalog.ts'
import type { LibraryId } from '../../shared/library.ts'
import type { AddedLibrary, JobEnd } from './catalog-changes.ts'
import type { CatalogRecord } from './catalog-record.ts'
import type { Exportable } from './exportable.ts'

/** The object that is the snapshot of the catalog, and the number of changes since it was written. */
export type Snapshots = {
  /** Called after a change to facts that searches show. */
  changed(): Promise<void>
  /** The current snapshot. Undefined if none has been published. */
  current(): Promise<string | undefined>
  /** The number of changes to publish; undefined if there are none, or if another process publishes and `force` is false. */
  take(force: boolean): Promise<number | undefined>
  /** Records an object before it is written, so that it is removed later even after a crash. */
  note(object: string): Promise<void>
  /** Makes an object the snapshot. False if a newer one exists. */
  publish(object: string, changes: number): Promise<boolean>
  /** Ends a turn. False if something has changed since it began. */
  release(): Promise<boolean>
  /** Objects that are not the snapshot and that are old enough that no process writes or reads them. */
  abandoned(): Promise<string[]>
  forget(object: string): Promise<void>
}

/** The worker that writes to a library. `bundleBytes` is the size in a bundle of a generation that it wrote. */
export type Writer = { worker: string; bundleBytes(generation: string): number }

/** All libraries of the hosted half, one record per library. */
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
  /** Makes a teamspace the owner, or leaves the library without one. Throws library_not_found. */
  own(id: LibraryId, teamspace: string | undefined): Promise<void>
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
