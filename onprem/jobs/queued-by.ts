import type { Caller } from '../access/caller.ts'
import type { JobStore } from '../store/job-store.ts'

/** The same queue, where new jobs are those of a caller. Callers take turns: a user with all keys, a key of the install, anonymous callers together. */
export function queuedBy<Jobs extends Partial<Pick<JobStore, 'enqueue' | 'enqueueAll'>>>(jobs: Jobs, { holder }: Caller): Jobs {
  const caller = holder ? (holder.userId ?? holder.id) : 'anonymous'
  const { enqueue, enqueueAll } = jobs
  return {
    ...jobs,
    ...(enqueue && { enqueue: (job: Parameters<typeof enqueue>[0]) => enqueue({ ...job, caller }) }),
    ...(enqueueAll && {
      enqueueAll: (orders: Parameters<typeof enqueueAll>[0]) => enqueueAll(orders.map((job) => ({ ...job, caller }))),
    }),
  }
}
