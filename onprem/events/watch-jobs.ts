import { isOfAnonymous } from '../store/jobs/job.ts'
import type { JobStore } from '../store/jobs/job-store.ts'
import type { EventFeed } from './event-feed.ts'

/** The same job store, which reports each change to the feed. */
export function watchJobs(jobs: JobStore, feed: Pick<EventFeed, 'changed'>): JobStore {
  const job = (id: number) => feed.changed({ event: 'job', id })
  const library = (id: number) => {
    const changed = jobs.get(id)
    if (!changed) return
    const key = (changed.project.split('@', 1)[0] ?? '').toLowerCase()
    feed.changed({ event: 'library', id: key, wasPublic: isOfAnonymous(jobs, changed) })
  }
  return {
    ...jobs,
    enqueue(order) {
      const queued = jobs.enqueue(order)
      job(queued.id)
      library(queued.id)
      return queued
    },
    enqueueAll(orders) {
      const queued = jobs.enqueueAll(orders)
      for (const each of queued) {
        if (!('id' in each)) continue
        job(each.id)
        library(each.id)
      }
      return queued
    },
    claim(only) {
      const claimed = jobs.claim(only)
      if (claimed) job(claimed.id)
      return claimed
    },
    finish(id, end, record) {
      jobs.finish(id, end, record)
      job(id)
      library(id)
    },
    requeue(id, why) {
      jobs.requeue(id, why)
      job(id)
    },
    addLogLine(id, line) {
      jobs.addLogLine(id, line)
      job(id)
    },
    progress(id, done) {
      jobs.progress(id, done)
      job(id)
    },
    finalizing(id) {
      jobs.finalizing(id)
      job(id)
    },
    dismiss(key) {
      const wasPublic = jobs.unserved.find(key)?.isPublic
      jobs.dismiss(key)
      feed.changed({ event: 'library', id: key, wasPublic: wasPublic ?? false })
    },
  }
}
