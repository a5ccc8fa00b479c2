import { z } from 'zod'
import type { Ai } from '../../shared/ai/ai.ts'
import type { Vectors } from '../../shared/ai/vectors.ts'
import type { StoredVersion } from '../../shared/indexing/indexing-catalog.ts'
import { type LibraryId, libraryKey } from '../../shared/library.ts'
import type { InstallCatalog } from '../store/catalog/sqlite-catalog.ts'
import { copyOf } from '../store/jobs/job.ts'
import type { JobStore } from '../store/jobs/job-store.ts'

export const Meaning = z
  .object({
    done: z.int().describe('Snippets that have a vector, also one that is made but not served yet'),
    total: z.int().describe('All snippets, of all versions'),
  })
  .meta({ id: 'Meaning' })
export type Meaning = z.infer<typeof Meaning>

export type MeaningPorts = {
  ai: Pick<Ai, 'embedder' | 'embedderFor'>
  catalog: Pick<InstallCatalog, 'versions'>
  jobs: Pick<JobStore, 'reindexOf'>
  vectors: Pick<Vectors, 'count' | 'leftOut'>
}

/** How much of a library can be found by meaning. Undefined without an embedding provider or content. */
export function meaningOf(ports: MeaningPorts, library: LibraryId): Meaning | undefined {
  const { ai, catalog, jobs } = ports
  const versions = ai.embedder() ? catalog.versions(library) : []
  if (versions.length === 0) return undefined
  const job = jobs.reindexOf(libraryKey(library))?.id
  return {
    done: versions.reduce((sum, version) => sum + embeddedSnippets(ports, version, job), 0),
    total: versions.reduce((sum, { snippets }) => sum + snippets, 0),
  }
}

/** `job` makes the missing vectors. */
function embeddedSnippets({ ai, vectors }: MeaningPorts, version: StoredVersion, job: number | undefined): number {
  const { generation, snippets, space } = version
  const served = space && ai.embedderFor(space) ? snippets - vectors.leftOut(generation, 0).count : 0
  const copied = job === undefined || served === snippets ? 0 : vectors.count(copyOf(job, generation))
  return Math.max(served, Math.min(snippets, copied))
}
