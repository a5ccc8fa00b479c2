import { DatabaseSync } from 'node:sqlite'
import type { UsageEvent } from '../../shared/usage/usage-event.ts'
import { expandFailedBatches } from './expand-failed-batches.ts'
import { readLoggedEvent } from './logged-event.ts'
import { batchLimits, countBatch, finishBatch, type ReplayPorts } from './replay-batch.ts'

export type ReplayReport = {
  /** Events that this replay counted. */
  counted: number
  /** Events that other replays have counted or are counting. */
  countedBefore: number
  /** Lines without a valid event, repeated events, and events that are too old. */
  skipped: number
  /** Uncertain events, unless they were requested. */
  omitted: number
  /** The first 100 skipped lines, with the reason. */
  problems: { line: number; reason: string }[]
}

const maxProblems = 100

/**
 * Counts the events of a log that could not be put on the stream, or that Lambda failed to count. Each event id counts once, however
 * often it is replayed, from different logs or in several processes. The next replay finishes an interrupted one, also with another
 * log. Events older than 7 days are never counted. Uncertain events may have been counted from the stream: their put timed out, or
 * Lambda failed after it may have written some items of their batch. They are omitted unless `uncertain` is set.
 */
export async function replay(
  ports: ReplayPorts,
  lines: AsyncIterable<string>,
  { uncertain }: { uncertain: boolean },
): Promise<ReplayReport> {
  const report: ReplayReport = { counted: 0, countedBefore: 0, skipped: 0, omitted: 0, problems: [] }
  const seen = seenIds()
  let waiting: UsageEvent[] = []
  let waitingChars = 0
  let line = 0

  async function* numbered() {
    for await (const text of lines) {
      line += 1
      yield text
    }
  }
  const skip = (reason: string): void => {
    report.skipped += 1
    if (report.problems.length < maxProblems) report.problems.push({ line, reason })
  }
  const count = async (): Promise<void> => {
    const events = waiting
    waiting = []
    waitingChars = 0
    const claimed = await ports.replayed.claimed(events.map(({ id }) => id))
    const fresh = events.filter(({ id }) => !claimed.has(id))
    const { counted, skipped } = fresh.length === 0 ? { counted: 0, skipped: 0 } : await countBatch(ports, fresh)
    report.counted += counted
    report.skipped += skipped
    report.countedBefore += events.length - counted - skipped
  }

  try {
    for await (const text of expandFailedBatches(numbered())) {
      const logged = readLoggedEvent(text, ports.now())
      if (logged === undefined) continue
      if ('problem' in logged) skip(logged.problem)
      else if (logged.uncertain && !uncertain) report.omitted += 1
      else if (!seen.add(logged.event.id)) skip('the event repeats an earlier line')
      else {
        const { length } = JSON.stringify(logged.event)
        if (waiting.length === batchLimits.events || waitingChars + length > batchLimits.chars) await count()
        waiting.push(logged.event)
        waitingChars += length
      }
    }
    await count()
    await finishBatch(ports, await ports.replayed.last())
    return report
  } finally {
    seen.close()
  }
}

/** A set of event ids that does not grow in memory: SQLite stores it in an unnamed temporary file, which is deleted on close. */
function seenIds(): { add(id: string): boolean; close(): void } {
  const db = new DatabaseSync('')
  db.exec('PRAGMA journal_mode = OFF; PRAGMA synchronous = OFF; CREATE TABLE id (id TEXT PRIMARY KEY) WITHOUT ROWID')
  const insert = db.prepare('INSERT OR IGNORE INTO id VALUES (?)')
  return {
    /** False if the id is in the set already. */
    add: (id) => insert.run(id).changes === 1,
    close: () => db.close(),
  }
}
