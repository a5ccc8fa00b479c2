import { AppError } from '../../../shared/errors.ts'
import { type LibraryId, libraryKey } from '../../../shared/library.ts'
import { generationsOf, newRecord, withCopy, withJobEnd, withoutVersion } from '../../catalog/catalog-changes.ts'
import {
  type CatalogRecord,
  catalogRecord,
  hasContent,
  headOf,
  type LibraryRecord,
  type StoredRecord,
} from '../../catalog/catalog-record.ts'
import { exportable } from '../../catalog/exportable.ts'
import type { HostedCatalog } from '../../catalog/hosted-catalog.ts'
import { activeJobs } from '../jobs/dynamo-jobs.ts'
import type { Table } from '../table.ts'
import { dynamoDetails } from './dynamo-details.ts'
import { dynamoGenerations } from './dynamo-generations.ts'
import { dynamoIndexingCatalog } from './dynamo-indexing-catalog.ts'
import { dynamoRecords } from './dynamo-records.ts'
import { dynamoSnapshots } from './dynamo-snapshots.ts'

export function dynamoCatalog({ table, now }: { table: Table; now(): Date }): HostedCatalog {
  const generations = dynamoGenerations({ table, now })
  const snapshots = dynamoSnapshots({ table, now })
  const details = dynamoDetails({ table, now })
  const records = dynamoRecords({ table, generations, details, snapshots })
  const held = new Set<string>()
  const find = (id: LibraryId) => records.find(libraryKey(id))
  const withLibrary = (record: StoredRecord): LibraryRecord => ({ ...record, library: catalogRecord(headOf(record)).library })

  return {
    snapshots,
    async record(id) {
      const item = await find(id)
      return item && catalogRecord(item)
    },
    records: async (keys) => (await records.findAll(keys)).map(catalogRecord),
    async whole(id) {
      const record = await records.whole(libraryKey(id))
      return record && withLibrary(record)
    },
    rules: (key, rulesId) => details.rules(key, rulesId),
    async *all() {
      for await (const record of records.all()) yield catalogRecord(record)
    },
    add: async function add(library): Promise<CatalogRecord> {
      const made = newRecord(library, now())
      if (await records.make(made)) return catalogRecord({ ...headOf(made), revision: 1 })
      const existing = await find(library.id)
      if (!existing) return add(library)
      const requested = library.sourceUrl.toLowerCase()
      if ([existing.sourceUrl, existing.addedFrom].some((url) => url.toLowerCase() === requested)) {
        if (hasContent(existing)) return catalogRecord(existing)
        // It was added before but never parsed, so this request decides how it is read.
        await records.change(library.id, (record) =>
          hasContent(record)
            ? undefined
            : {
                ...record,
                addedPrivate: record.addedPrivate || library.private,
                ...(library.ownToken && { ownToken: true }),
                settings: { ...record.settings, ...library.settings },
              },
        )
        return catalogRecord((await find(library.id)) ?? existing)
      }
      throw new AppError(
        'duplicate_repo',
        `${existing.id} already exists, from ${existing.sourceUrl}. ${library.sourceUrl} would have the same id.`,
      )
    },
    async own(id, teamspace) {
      await records.change(id, ({ teamspace: _, ...record }) => ({ ...record, ...(teamspace !== undefined && { teamspace }) }))
    },
    async changeSettings(id, edit) {
      await records.change(id, (record) => ({ ...record, settings: edit(record.settings, record.versions) }))
    },
    async changeOwner(id, from, to) {
      let isChanged = false
      await records.change(id, ({ teamspace, ...record }) => {
        // A write whose response was lost has changed it already.
        isChanged = teamspace === from || teamspace === to
        return teamspace === from ? { ...record, ...(to !== undefined && { teamspace: to }) } : undefined
      })
      return isChanged
    },
    remove({ version, ...id }) {
      return records.change(id, (record) => {
        if (version === undefined) return 'gone'
        return record.versions.has(version) ? withoutVersion(record, version) : undefined
      })
    },
    async begin(id, worker) {
      await records.change(id, (record) => ({ ...record, worker, state: 'processing' }))
    },
    async end(id, worker, outcome) {
      let isMine = false
      await records.change(id, (record) => {
        isMine = record.worker === worker
        return isMine ? withJobEnd(record, outcome) : undefined
      })
      if (isMine) await records.tidy(libraryKey(id))
      return isMine
    },
    async replace(id, { worker, bundleBytes }, replaced, copy) {
      await records.change(id, (record) => {
        if (record.worker !== worker) throw new AppError('job_active', `${record.id} is being read by another worker.`)
        return withCopy(record, replaced, { ...copy, bundleBytes: bundleBytes(copy.generation) })
      })
      await generations.settle(copy.generation)
    },
    parsing: (id, writer) => dynamoIndexingCatalog({ records, generations, held, now }, id, writer),
    async exportable(id) {
      const library = await this.whole(id)
      return library && exportable(library)
    },
    async exportables(keys) {
      const libraries = await records.wholes(keys)
      return new Map(libraries.map((record) => [record.key, exportable(withLibrary(record))]))
    },
    async unowned(_stored, retiredBefore) {
      // The list is read before the jobs: a job that ends in between has published already.
      const listed = await generations.list()
      const jobs = new Set((await activeJobs(table)).map(({ id }) => id))
      const due = listed.filter(({ name, job, retiredAt }) => {
        if (held.has(name)) return false
        return retiredAt === undefined ? job === undefined || !jobs.has(job) : retiredAt <= retiredBefore.toISOString()
      })
      const gone: string[] = []
      for (const [key, ofLibrary] of Map.groupBy(due, ({ key }) => key)) {
        const record = await records.find(key)
        // A removal that was killed has left them.
        if (!record) await records.tidy(key)
        const served = new Set(record ? generationsOf(record) : [])
        gone.push(...ofLibrary.map(({ name }) => name).filter((name) => !served.has(name)))
      }
      return gone
    },
    forget: (generation) => generations.forget(generation),
  }
}
