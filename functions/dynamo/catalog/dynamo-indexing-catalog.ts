import { AppError } from '../../../shared/errors.ts'
import type { IndexingCatalog } from '../../../shared/indexing/indexing-catalog.ts'
import { type LibraryId, libraryKey } from '../../../shared/library.ts'
import { withContent, withoutServed } from '../../catalog/catalog-changes.ts'
import { hasContent } from '../../catalog/catalog-record.ts'
import type { Writer } from '../../catalog/hosted-catalog.ts'
import type { Generations } from './dynamo-generations.ts'
import type { Records } from './dynamo-records.ts'

type IndexingCatalogPorts = { records: Records; generations: Generations; held: Set<string>; now(): Date }

/** The catalog of one run of a library's job. Publishing throws job_active if another worker has the library now. */
export function dynamoIndexingCatalog(
  { records, generations, held, now }: IndexingCatalogPorts,
  ofRun: LibraryId,
  writer: Writer,
): IndexingCatalog {
  const find = (id: LibraryId) => records.find(libraryKey(id))
  return {
    async find(id) {
      const record = await find(id)
      if (!record || !hasContent(record)) return undefined
      const { title, description, branch, aliases, repository } = record
      return { id: record.id, title, description, branch, aliases, imported: false, ...(repository && { repository }) }
    },
    settings: async (id) => (await find(id))?.settings ?? {},
    versions: async (id) => [...((await records.whole(libraryKey(id)))?.versions.values() ?? [])],
    reserve: (generation, job) => generations.reserve(generation, libraryKey(ofRun), String(job)),
    hold(generation, work) {
      const release = () => held.delete(generation)
      held.add(generation)
      work.then(release, release)
    },
    async publish(facts, contents, removed = []) {
      await records.change(ofRun, (record) => {
        if (record.worker !== writer.worker) throw new AppError('job_active', `${record.id} is being read by another worker.`)
        const published = withContent(record, facts, contents, { now: now(), bundleBytes: writer.bundleBytes })
        return withoutServed(published, removed)
      })
      for (const { generation } of contents) await generations.settle(generation)
    },
  }
}
