import { createRequire } from 'node:module'
import type * as Lance from '@lancedb/lancedb'
import type * as Arrow from 'apache-arrow'
import { AppError } from '../errors.ts'

const notLoaded = `LanceDB's native module for ${process.platform} ${process.arch} is missing or does not fit this system. Install Carrel again, and let npm install optional packages.`

let loaded: Promise<typeof Lance> | undefined

/**
 * LanceDB, loaded on first use; nothing else may import the package. If it has fewer than eight CPU threads, its text index waits
 * forever in large tables (lancedb #3568), and it reads the number when its native module loads. By default it builds the index
 * in large parts, one per thread, and reads many rows at a time, which needs more memory and saves no time.
 */
export function loadLance(): Promise<typeof Lance> {
  process.env.LANCE_CPU_THREADS ??= '8'
  process.env.LANCE_FTS_NUM_SHARDS ??= '1'
  process.env.LANCE_FTS_PARTITION_SIZE ??= '64'
  process.env.LANCE_DEFAULT_BATCH_SIZE ??= '1024'
  process.env.LANCEDB_LOG ??= 'error'
  loaded ??= import('@lancedb/lancedb').catch((cause: unknown) => {
    throw new AppError('not_configured', notLoaded, { cause })
  })
  return loaded
}

/** The copy of Arrow that LanceDB has loaded: it rebuilds or rejects tables of another copy. */
export const loadArrow = (): typeof Arrow => createRequire(import.meta.url)('apache-arrow') as typeof Arrow
