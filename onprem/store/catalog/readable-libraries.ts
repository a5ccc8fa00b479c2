import { type LibraryId, libraryKey, parseLibraryId } from '../../../shared/library.ts'
import { type ActiveJob, isOfAnonymous, type Job } from '../jobs/job.ts'
import type { JobStore } from '../jobs/job-store.ts'
import type { UnservedLibrary } from '../jobs/unserved-libraries.ts'
import type { InstallLibrary } from './install-library.ts'
import { type InstallCatalog, notInInstall } from './sqlite-catalog.ts'

/** Stores in which only some libraries and their jobs exist. */
export type ReadableLibraries = { catalog: InstallCatalog; jobs: JobStore }

/** True for a library that a caller may read. `private`: a stored token fetched it, or that is not known. */
export type Sees = (library: { id: string; private: boolean }) => boolean

/**
 * The same stores, in which only the libraries exist that `sees` is true for. What it says of a library may only change with the library. A
 * library without content is only known to be public if an anonymous caller has added it.
 */
export function readableLibraries({ catalog, jobs }: ReadableLibraries, sees: Sees): ReadableLibraries {
  const readable = perList((libraries: readonly InstallLibrary[]) => libraries.filter(sees))
  const seenByKey = perList(
    (libraries: readonly InstallLibrary[]) => new Map(libraries.map((each) => [each.id.toLowerCase(), sees(each)])),
  )
  const seesUnserved = ({ id, isPublic }: Pick<UnservedLibrary, 'id' | 'isPublic'>) => sees({ id, private: !isPublic })
  const readableUnserved = perList((libraries: readonly UnservedLibrary[]) => libraries.filter(seesUnserved))

  /** False also for a missing library, if it could not be seen. Looking it up only otherwise takes the same time for both. */
  const mayExist = ({ owner, repo }: LibraryId) => sees({ id: libraryKey({ owner, repo }), private: false })
  const find = (id: LibraryId) => {
    if (!mayExist(id)) return undefined
    const library = catalog.find(id)
    return library && sees(library) ? library : undefined
  }
  const seesJob = (job: Pick<Job, 'id' | 'project'>): boolean => {
    const [id = ''] = job.project.split('@', 1)
    return seenByKey(catalog.libraries()).get(id.toLowerCase()) ?? seesUnserved({ id, isPublic: isOfAnonymous(jobs, job) })
  }
  const ifSeen = (job: Job | undefined) => (job && seesJob(job) ? job : undefined)
  const active = (): ActiveJob[] => {
    const visible = jobs.active().filter(seesJob)
    const ids = new Set(visible.map(({ id }) => id))
    return visible.map(({ waitsFor, ...job }, position) => ({
      ...job,
      position,
      ...(waitsFor && { waitsFor: ids.has(waitsFor.id) ? waitsFor : { ...waitsFor, reason: null } }),
    }))
  }

  return {
    catalog: {
      ...catalog,
      async listed() {
        const { revision } = await catalog.listed()
        return { libraries: readable(catalog.libraries()), revision }
      },
      async served(id) {
        if (!find(id)) throw notInInstall(id)
        return catalog.served(id)
      },
      libraries: () => readable(catalog.libraries()),
      find,
      versions: (id) => (find(id) ? catalog.versions(id) : []),
      servedBy: (generations) => catalog.servedBy(generations).filter((id) => find(parseLibraryId(id))),
    },
    jobs: {
      ...jobs,
      enqueue(order) {
        const queued = jobs.enqueue(order)
        const ahead = active().find(({ id }) => id === queued.id)?.position ?? 0
        return { ...queued, position: queued.position === null || ahead === 0 ? null : ahead }
      },
      get: (id) => ifSeen(jobs.get(id)),
      order: (id) => (ifSeen(jobs.get(id)) ? jobs.order(id) : undefined),
      list: (page, pageSize, filter) => jobs.list(page, pageSize, filter, seesJob),
      summary: () => jobs.summary(seesJob),
      activeOf: (key) => ifSeen(jobs.activeOf(key)),
      reindexOf: (key) => ifSeen(jobs.reindexOf(key)),
      interrupted: () => jobs.interrupted().filter(seesJob),
      active,
      activity(ids) {
        const visible = new Map(active().map((job) => [job.id, job]))
        const activity = jobs.activity(ids.filter((id) => visible.has(id)))
        return new Map([...activity].map(([id, each]) => [id, visible.get(id) ?? each]))
      },
      unserved: {
        list: () => readableUnserved(jobs.unserved.list()),
        find(key) {
          if (!mayExist(parseLibraryId(key))) return undefined
          const library = jobs.unserved.find(key)
          return library && seesUnserved(library) ? library : undefined
        },
      },
    },
  }
}

/** Reads a list once. */
function perList<Item, Result>(read: (list: readonly Item[]) => Result): (list: readonly Item[]) => Result {
  let last: { list: readonly Item[]; result: Result } | undefined
  return (list) => {
    if (last?.list !== list) last = { list, result: read(list) }
    return last.result
  }
}
