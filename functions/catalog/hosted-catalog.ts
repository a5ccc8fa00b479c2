import type {
  IndexingCatalog,
  NewVersion,
  SourceSettings,
  StoredVersion,
  SweptCatalog,
} from '../../shared/indexing/indexing-catalog.ts'
import type { LibraryId } from '../../shared/library.ts'
import type { AddedLibrary, JobEnd } from './catalog-changes.ts'
import type { CatalogRecord, LibraryRecord } from './catalog-record.ts'
import type { Exportable } from './exportable.ts'

/** A record that has, or is about to have, this revision. `at` is the time of the note, in ms. */
export type Change = { key: string; revision: number; at: number }

/** The current snapshot, the time when it was published, and the time of the last one that was written from the whole catalog; in ms. */
export type Turn = { object?: string; publishedAt: number; wholeAt: number; takenUntil: number }

/** The object that is the snapshot of the catalog, and the records that have changed since it was written. */
export type Snapshots = {
  /** Notes that the snapshot must show another revision of a record. Called before that is written, so that no crash loses it. */
  change(key: string, revision: number): Promise<void>
  changes(): Promise<Change[]>
  /** Forgets changes, unless they have been noted again since. */
  settle(changes: Change[]): Promise<void>
  /** The current snapshot. Undefined if none has been published. */
  current(): Promise<string | undefined>
  /** The time of the last snapshot that was written from the whole catalog, in ms; 0 if there is none. */
  wholeAt(): Promise<number>
  /** Begins a turn; undefined if another process publishes and `force` is false. */
  take(force: boolean): Promise<Turn | undefined>
  /** Records an object before it is written, so that it is removed later even after a crash. */
  note(object: string): Promise<void>
  /** Makes an object, which was made from the snapshot of the turn, the snapshot. False if there is another one by now. */
  publish(object: string, turn: Turn, isWhole: boolean): Promise<boolean>
  /** Ends a turn. */
  release(turn: Turn): Promise<void>
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
  /** The records of the libraries with these keys, in no order, in one read for a hundred of them. Unknown ones are left out. */
  records(keys: string[]): Promise<CatalogRecord[]>
  /** The record with the details that only jobs and exports need. The version of the id is ignored. */
  whole(id: LibraryId): Promise<LibraryRecord | undefined>
  /** Rules for answers. None if they were replaced while the record was read. */
  rules(key: string, rulesId: string): Promise<string[]>
  /** The version of the id is ignored. Undefined for an unknown library. */
  exportable(id: LibraryId): Promise<Exportable | undefined>
  /** The libraries with these keys, by key, in three reads for a hundred of them. Unknown ones are left out. */
  exportables(keys: string[]): Promise<Map<string, Exportable>>
  /** Every record, read partition by partition. */
  all(): AsyncIterable<CatalogRecord>
  /** Adds a library that waits for its first parse. An existing library from the same address stays as it is. Throws duplicate_repo. */
  add(library: AddedLibrary): Promise<CatalogRecord>
  /** Makes a teamspace the owner, or leaves the library without one. Throws library_not_found. */
  own(id: LibraryId, teamspace: string | undefined): Promise<void>
  /** Changes the settings of the next parse. Throws library_not_found and what `edit` throws, which may run several times. */
  changeSettings(
    id: LibraryId,
    edit: (settings: SourceSettings, versions: ReadonlyMap<string, StoredVersion>) => SourceSettings,
  ): Promise<void>
  /** Changes the owner from one teamspace to another, or none. False if it is neither by now. Throws library_not_found. */
  changeOwner(id: LibraryId, from: string | undefined, to: string | undefined): Promise<boolean>
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
