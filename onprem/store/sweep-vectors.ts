import type { Vectors } from '../../shared/ai/vectors.ts'
import type { SweptCatalog } from '../../shared/indexing/indexing-catalog.ts'
import { parseLibraryId } from '../../shared/library.ts'
import { type JobStore, retryableMs } from './job-store.ts'
import type { ProjectCatalog } from './sqlite-catalog.ts'

type SweepVectorsPorts = {
  catalog: Pick<ProjectCatalog, 'stateOf' | 'versions' | 'unowned' | 'forget'>
  jobs: Pick<JobStore, 'activeOf'>
  vectors: Vectors
  now(): Date
}

/** The catalog as the sweep knows it: with content that was served its vectors go. Those of a run that came to no end wait for the next one. */
export const sweptWithVectors = ({ catalog, vectors }: SweepVectorsPorts): SweptCatalog => ({
  unowned: catalog.unowned,
  async forget(generation) {
    if (catalog.stateOf(generation) === 'served') await ofVectors(() => vectors.forget(generation))
    catalog.forget(generation)
  },
})

/** Forgets what generations used that the catalog does not know, unless an unfinished job, or a retry of a failed one, will ask for it again. */
export async function sweepVectors({ catalog, jobs, vectors, now }: SweepVectorsPorts): Promise<void> {
  for (const { generation, library, since } of await ofVectors(() => vectors.users())) {
    if (catalog.stateOf(generation) !== undefined) continue
    const isOld = now().getTime() - since.getTime() > retryableMs
    if (isOld || (!jobs.activeOf(library) && isPublishedSince(catalog, library, since))) {
      await ofVectors(() => vectors.forget(generation))
    }
  }
}

/** Names the file, so that nobody restores carrel.db because vectors.db is damaged. */
async function ofVectors<T>(work: () => T | Promise<T>): Promise<T> {
  try {
    return await work()
  } catch (cause) {
    const advice = 'If it is damaged, stop the server and remove it: a re-index makes the vectors anew.'
    throw new Error(`The file vectors.db of DATA_DIR cannot be swept. ${advice}`, { cause })
  }
}

const isPublishedSince = (catalog: SweepVectorsPorts['catalog'], library: string, since: Date): boolean =>
  catalog.versions(parseLibraryId(library)).some(({ updatedAt }) => Date.parse(updatedAt) >= since.getTime())
