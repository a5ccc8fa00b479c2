/** The parameters in the address of the queue: filters, page, and the job whose details are open. */
export type QueueSearch = { state?: StateFilter; kind?: KindFilter; q?: string; page?: number; job?: number }

/** The filters by state, and the states of the API that each one shows. */
export const stateFilters = {
  unfinished: 'queued,parsing,finalizing',
  done: 'done',
  failed: 'failed',
  cancelled: 'cancelled',
} as const
export type StateFilter = keyof typeof stateFilters

export const kindFilters = ['parse', 'import', 'reindex'] as const
export type KindFilter = (typeof kindFilters)[number]

const maxQueryChars = 200

/** Ignores values that cannot be a filter, so that an old link still opens. */
export function queueSearch({ state, kind, q, page, job }: Record<string, unknown>): QueueSearch {
  return {
    ...(typeof state === 'string' && state in stateFilters && { state: state as StateFilter }),
    ...(kindFilters.includes(kind as KindFilter) && { kind: kind as KindFilter }),
    ...(typeof q === 'string' && q.trim() !== '' && { q: q.slice(0, maxQueryChars) }),
    ...(isNumber(page) && page > 1 && { page }),
    ...(isNumber(job) && { job }),
  }
}

const isNumber = (value: unknown): value is number =>
  Number.isSafeInteger(value) && (value as number) > 0 && (value as number) <= 1_000_000
