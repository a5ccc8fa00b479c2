import type { Vectors } from '../../../shared/ai/vectors.ts'
import type { SweptCatalog } from '../../../shared/indexing/indexing-catalog.ts'
import { parseLibraryId } from '../../../shared/library.ts'
import type { InstallCatalog } from '../catalog/sqlite-catalog.ts'
import type { JobStore } from '../jobs/job-store.ts'
import { retryableMs } from '../jobs/staged-imports.ts'

export type SweepVectorsPorts = {
  catalog: Pick<InstallCatalog, 'stateOf' | 'versions' | 'unowned' | 'forget'>
  jobs: Pick<JobStore, 'activeOf' | 'reindexOf'>
  vectors: Vectors
  now(): Date
}

/** The catalog for the sweep: deletes the vectors of content that was served. Vectors of an unfinished run are kept for the next run. */
export const sweptWithVectors = ({ catalog, vectors }: SweepVectorsPorts): SweptCatalog => ({
  unowned: catalog.unowned,
  async forget(generation) {
    if (catalog.stateOf(generation) === 'served') await asVectorsError(() => vectors.forget(generation))
    catalog.forget(generation)
  },
})

/** Deletes the vectors of generations that are not in the catalog, unless an unfinished job or the retry of a failed one needs them. */
export async function sweepVectors({ catalog, jobs, vectors, now }: SweepVectorsPorts): Promise<void> {
  for (const { generation, library, since } of await asVectorsError(() => vectors.users())) {
    if (catalog.stateOf(generation) !== undefined) continue
    const isOld = now().getTime() - since.getTime() > retryableMs
    const isActive = jobs.activeOf(library) ?? jobs.reindexOf(library)
    if (isOld || (!isActive && isPublishedSince(catalog, library, since))) {
      await asVectorsError(() => vectors.forget(generation))
    }
  }
}

/** The error names the file, so that an operator does not restore carrel.db when vectors.db is damaged. */
async function asVectorsError<T>(work: () => T | Promise<T>): Promise<T> {
  try {
    return await work()
  } catch (cause) {
    const advice = 'If it is damaged, stop the server and remove the file: a re-index computes the vectors again.'
    throw new Error(`The file vectors.db of DATA_DIR cannot be swept. ${advice}`, { cause })
  }
}

const isPublishedSince = (catalog: SweepVectorsPorts['catalog'], library: string, since: Date): boolean =>
  catalog.versions(parseLibraryId(library)).some(({ updatedAt }) => Date.parse(updatedAt) >= since.getTime())
