import { sweeper } from '../../shared/indexing/sweeper.ts'
import type { Log } from '../../shared/log.ts'
import type { SnippetStore } from '../../shared/search/snippet-store.ts'
import type { Salts } from '../../shared/usage/salts.ts'
import { repairSnapshot } from '../catalog/catalog-snapshot.ts'
import type { HostedCatalog } from '../catalog/hosted-catalog.ts'
import type { ObjectStore } from '../objects/object-store.ts'
import type { HostedJobs } from './hosted-jobs.ts'
import type { JobQueue } from './job-queue.ts'
import { rebuildOutdated } from './rebuild-outdated.ts'
import { sweepJobs } from './sweep-jobs.ts'

export type SchedulePorts = {
  salts: Salts
  catalog: HostedCatalog
  jobs: HostedJobs
  queue: JobQueue
  snippets: Pick<SnippetStore, 'drop' | 'format'>
  /** Where the snapshot of the catalog lies. */
  objects: ObjectStore
  log: Log
  now(): Date
  /** Content stays this long after its library was switched. */
  retiredMs: number
}

/**
 * A function that does what has to happen every few minutes, whoever asks. A part that fails does not keep the others from being done;
 * then it throws.
 */
export function schedule(ports: SchedulePorts): () => Promise<void> {
  const { salts, catalog, snippets, log } = ports
  // Only what was reserved or retired is ever deleted, so nothing is listed.
  const stored = { generations: async () => [], drop: snippets.drop }
  const parts: Record<string, () => Promise<unknown>> = {
    'the salt of tomorrow': () => salts.makeAhead(),
    'old salts': () => salts.forgetOld(),
    'jobs that nobody works on': () => sweepJobs(ports),
    'content in an old format': rebuildOutdated(ports),
    'content that nobody serves': sweeper({ catalog, snippets: stored, log, now: ports.now }, ports.retiredMs),
    'the snapshot of the catalog': () => repairSnapshot(ports),
  }
  return async () => {
    let failed = 0
    for (const [part, run] of Object.entries(parts)) {
      await run().catch((error: unknown) => {
        failed += 1
        log.error({ part, error }, 'a part of the schedule failed')
      })
    }
    if (failed > 0) throw new Error(`${failed} parts of the schedule failed`)
  }
}
