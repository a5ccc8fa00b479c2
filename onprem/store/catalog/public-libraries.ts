import { type LibraryId, parseLibraryId } from '../../../shared/library.ts'
import { type ActiveJob, isOfAnonymous, type Job } from '../jobs/job.ts'
import type { JobStore } from '../jobs/job-store.ts'
import type { UnservedLibrary } from '../jobs/unserved-libraries.ts'
import type { InstallLibrary } from './install-library.ts'
import { type InstallCatalog, notInInstall } from './sqlite-catalog.ts'

/** Stores in which private libraries and their jobs do not exist. */
export type PublicLibraries = { catalog: InstallCatalog; jobs: JobStore }

/** A library without content is known to be public only if an anonymous caller has added it. */
export function publicLibraries({ catalog, jobs }: { catalog: InstallCatalog; jobs: JobStore }): PublicLibraries {
  const publicOf = perList((libraries: readonly InstallLibrary[]) => libraries.filter((each) => !each.private))
  const isPrivateByKey = perList(
    (libraries: readonly InstallLibrary[]) => new Map(libraries.map((each) => [each.id.toLowerCase(), each.private])),
  )
  const publicUnserved = perList((libraries: readonly UnservedLibrary[]) => libraries.filter(({ isPublic }) => isPublic))

  const find = (id: LibraryId) => {
    const library = catalog.find(id)
    return library?.private ? undefined : library
  }
  const isPublic = (job: Pick<Job, 'id' | 'project'>): boolean => {
    const isPrivate = isPrivateByKey(catalog.libraries()).get((job.project.split('@', 1)[0] ?? '').toLowerCase())
    if (isPrivate !== undefined) return !isPrivate
    return isOfAnonymous(jobs, job)
  }
  const ifPublic = (job: Job | undefined) => (job && isPublic(job) ? job : undefined)
  const active = (): ActiveJob[] => {
    const visible = jobs.active().filter(isPublic)
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
        return { libraries: publicOf(catalog.libraries()), revision }
      },
      async served(id) {
        if (!find(id)) throw notInInstall(id)
        return catalog.served(id)
      },
      libraries: () => publicOf(catalog.libraries()),
      find,
      servedBy: (generations) => catalog.servedBy(generations).filter((id) => find(parseLibraryId(id))),
    },
    jobs: {
      ...jobs,
      enqueue(order) {
        const queued = jobs.enqueue(order)
        const ahead = active().find(({ id }) => id === queued.id)?.position ?? 0
        return { ...queued, position: queued.position === null || ahead === 0 ? null : ahead }
      },
      get: (id) => ifPublic(jobs.get(id)),
      activeOf: (key) => ifPublic(jobs.activeOf(key)),
      reindexOf: (key) => ifPublic(jobs.reindexOf(key)),
      interrupted: () => jobs.interrupted().filter(isPublic),
      active,
      activity(ids) {
        const visible = new Map(active().map((job) => [job.id, job]))
        const activity = jobs.activity(ids.filter((id) => visible.has(id)))
        return new Map([...activity].map(([id, each]) => [id, visible.get(id) ?? each]))
      },
      unserved: {
        list: () => publicUnserved(jobs.unserved.list()),
        find(key) {
          const library = jobs.unserved.find(key)
          return library?.isPublic ? library : undefined
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
