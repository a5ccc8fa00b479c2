/** A subject that clients follow: a job by its id, a library by its key, or the requests of agents by the identifier of the MCP client. */
export type Topic =
  | { event: 'job'; id: number }
  /** `wasPublic`: the change ended a library that was not private, so everyone may learn of it. */
  | { event: 'library'; id: string; wasPublic?: boolean }
  | { event: 'agent'; id: string }

/** `topics` changed between two cursors, oldest change first; undefined if there are too many, so the client must read lists again. */
export type Progress = { cursor: number; topics: Topic[] | undefined }

/**
 * Numbers the changes of jobs and libraries. It stores for each topic only the number of its last change, so clients need no buffers: a slow
 * client gets the current state of each topic that changed since its cursor.
 */
export type EventFeed = {
  changed(topic: Topic): void
  /** The cursor of a new client, or of one that has read the event `lastId`. Undefined if the id is of another run of the server. */
  cursorAt(lastId: string | undefined): number | undefined
  idOf(cursor: number): string
  /** The id of the last event until now. */
  lastId(): string
  since(cursor: number): Progress
  /** Resolves after the next change, after `maxMs`, or when the signal aborts. */
  next(maxMs: number, signal: AbortSignal): Promise<void>
}

/** Allows at most four events a second for each topic. */
const minBetweenMs = 300
export const maxTopics = 500
/** Topics that are sent together: the report of a job can be long. */
const maxBatch = 50

export function eventFeed(runId = Date.now().toString(36)): EventFeed {
  const numbers = new Map<string, { topic: Topic; number: number }>()
  const dirty = new Map<string, Topic>()
  const waiting = new Set<() => void>()
  let number = 0
  let forgotten = 0
  let isPlanned = false
  let publishedAtMs = Number.NEGATIVE_INFINITY

  const publish = () => {
    isPlanned = false
    publishedAtMs = performance.now()
    for (const [name, topic] of dirty) {
      numbers.delete(name)
      numbers.set(name, { topic, number: ++number })
    }
    dirty.clear()
    for (const [name, oldest] of numbers) {
      if (numbers.size <= maxTopics) break
      numbers.delete(name)
      forgotten = oldest.number
    }
    for (const wake of [...waiting]) wake()
  }
  return {
    changed(topic) {
      dirty.set(`${topic.event} ${topic.id}`, topic)
      if (isPlanned) return
      isPlanned = true
      setTimeout(publish, Math.max(0, publishedAtMs + minBetweenMs - performance.now())).unref()
    },
    cursorAt(lastId) {
      if (lastId === undefined) return number
      const [run, read] = lastId.split('-')
      const cursor = run === runId && /^\d{1,15}$/.test(read ?? '') ? Number(read) : Number.NaN
      return cursor <= number ? cursor : undefined
    },
    idOf: (cursor) => `${runId}-${cursor}`,
    lastId: () => `${runId}-${number}`,
    since(cursor) {
      if (cursor < forgotten) return { cursor: number, topics: undefined }
      const changed = [...numbers.values()].filter((each) => each.number > cursor).slice(0, maxBatch)
      return { cursor: changed.at(-1)?.number ?? number, topics: changed.map(({ topic }) => topic) }
    },
    next(maxMs, signal) {
      return new Promise((resolve) => {
        const wake = () => {
          clearTimeout(wait)
          waiting.delete(wake)
          signal.removeEventListener('abort', wake)
          resolve()
        }
        const wait = setTimeout(wake, maxMs)
        waiting.add(wake)
        signal.addEventListener('abort', wake)
        if (signal.aborted) wake()
      })
    },
  }
}
