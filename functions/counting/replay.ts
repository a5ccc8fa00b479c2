import type { UsageEvent } from '../../shared/usage/usage-event.ts'
import { expandFailedBatches } from './expand-failed-batches.ts'
import { readLoggedEvent } from './logged-event.ts'
import { batchLimits, countBatch, finishBatch, type ReplayPorts } from './replay-batch.ts'
import { seenIds } from './seen-ids.ts'

export type ReplayReport = {
  /** Events that this replay brought into the counters. */
  counted: number
  /** Events that replays had brought there before, or are bringing there: of this log, of one that it grew from, of any other. */
  before: number
  /** Lines that cannot be read or hold a broken event, events that stand further up, and events that are too old to count. */
  skipped: number
  /** Lines with events that may have been counted from the stream, which were not asked for. */
  leftOut: number
  /** Why lines were skipped; the first 100. */
  problems: { line: number; reason: string }[]
}

const maxProblems = 100

/**
 * Counts the events of a log that could not be put on the stream, or that Lambda gave up to count. Each event id counts once,
 * however often, from whatever logs and in how many processes it is replayed; what a replay that broke off has left behind, the
 * next one finishes, of whatever log. Events older than 7 days are never counted. Uncertain ones, which may have been counted
 * from the stream, are left out unless asked for: those whose put timed out, and those of batches that Lambda gave up, of which some items
 * may have been written.
 */
export async function replay(
  ports: ReplayPorts,
  lines: AsyncIterable<string>,
  { uncertain }: { uncertain: boolean },
): Promise<ReplayReport> {
  const report: ReplayReport = { counted: 0, before: 0, skipped: 0, leftOut: 0, problems: [] }
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
    report.before += events.length - counted - skipped
  }

  try {
    for await (const text of expandFailedBatches(numbered())) {
      const found = readLoggedEvent(text, ports.now())
      if (found === undefined) continue
      if ('problem' in found) skip(found.problem)
      else if (found.uncertain && !uncertain) report.leftOut += 1
      else if (!seen.add(found.event.id)) skip('the event stands further up')
      else {
        const { length } = JSON.stringify(found.event)
        if (waiting.length === batchLimits.events || waitingChars + length > batchLimits.chars) await count()
        waiting.push(found.event)
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
