import type { IndexingCatalog, NewVersion, SweptCatalog } from '../../shared/indexing/indexing-catalog.ts'
import type { LibraryId } from '../../shared/library.ts'
import type { ExportCatalog } from '../bundles/exportable.ts'
import type { AddedLibrary, Ended } from './catalog-changes.ts'
import type { CatalogRecord } from './catalog-record.ts'

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
export type HostedCatalog = SweptCatalog &
  ExportCatalog & {
    /** Which list of all libraries searches are answered from. */
    snapshots: Snapshots
    record(id: LibraryId): Promise<CatalogRecord | undefined>
    /** Partition by partition, for the snapshot alone. */
    all(): AsyncIterable<CatalogRecord>
    /** Makes a library that waits for its first parse; one from the same address is left as it is. Throws duplicate_repo. */
    add(library: Omit<AddedLibrary, 'key'>): Promise<CatalogRecord>
    /** Throws library_not_found. */
    own(id: LibraryId, teamspace: string): Promise<void>
    /** Removes a library, or the version that the id pins. Answers the generations that nobody serves any more. Throws library_not_found. */
    remove(id: LibraryId): Promise<string[]>
    /** A worker reads the library from here on, and no other publishes. Throws library_not_found. */
    begin(id: LibraryId, worker: string): Promise<void>
    /** Its worker is done; `error` says why it failed. False where the library is in other hands by now. Throws library_not_found. */
    end(id: LibraryId, worker: string, outcome: Ended): Promise<boolean>
    /** What a parse reads and writes. It publishes only as long as its worker is the one that began last. */
    parsing(id: LibraryId, writer: Writer): IndexingCatalog
    /** Serves a copy of a generation in its place. Throws job_active if another worker has the library, library_not_found. */
    replace(
      id: LibraryId,
      writer: Writer,
      generation: string,
      copy: Required<Pick<NewVersion, 'generation' | 'format'>>,
    ): Promise<void>
  }
