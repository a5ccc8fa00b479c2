import type { DatabaseSync } from 'node:sqlite'
import type { VendorKeys } from '../keys/vendor-keys.ts'
import { hasDatabase, openDatabase } from '../store/database.ts'
import { rejectRoot } from '../store/reject-root.ts'

/** The install in DATA_DIR, on which commands work. */
export type Install = {
  /** The data directory, which is created if it is missing. */
  dataDir(): string
  /** The same path, not created. */
  dataDirPath: string
  env: { licenseKey: string | undefined; host: string }
  /** Throws AppError if their files cannot be used. */
  vendorKeys(): VendorKeys
  /** The command line as its user calls it. */
  command: string
  /** Throws AppError if a running server must not have its database opened by this version. */
  rejectOtherVersion?(): Promise<void>
  /** Throws not_found if the data directory holds no install. */
  requireInstall?(): void
  now(): Date
}

/** Runs a command on the database of the install, which is created if it is missing. A running server may have it open, too. */
export async function withDatabase<T>(install: Install, work: (db: DatabaseSync) => T | Promise<T>): Promise<T> {
  await install.rejectOtherVersion?.()
  const dataDir = install.dataDir()
  // SQLite keeps the owner of an existing database.
  if (!hasDatabase(dataDir)) rejectRoot(dataDir)
  const db = openDatabase(dataDir)
  try {
    return await work(db)
  } finally {
    db.close()
  }
}

/** The same for commands that make no sense without an install, so that a mistyped DATA_DIR does not create one. Throws not_found. */
export async function withExistingDatabase<T>(install: Install, work: (db: DatabaseSync) => T | Promise<T>): Promise<T> {
  install.requireInstall?.()
  return withDatabase(install, work)
}
