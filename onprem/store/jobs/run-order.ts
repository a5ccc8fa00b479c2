import { getHeapStatistics } from 'node:v8'
import { totalMemoryBytes } from '../../../shared/system/total-memory-bytes.ts'
import { maxPauseMs, maxWaitMs } from '../../../shared/time/job-pauses.ts'
import { utcDay } from '../../../shared/time/utc-day.ts'
import { unfinishedStates } from './job.ts'

/** A job that was interrupted so often pauses before it runs again. So a job that ends the server leaves time for questions. */
export const toleratedInterruptions = 3
const maxInterruptionPauseMs = 3_600_000
const firstPauseMs = 5_000

/** Doubles with each interruption. */
export const interruptionPauseMs = (interruptions: number): number =>
  Math.min(maxInterruptionPauseMs, firstPauseMs * 2 ** (interruptions - toleratedInterruptions))

/** The reason why a job pauses, and what to do about it. */
export const interruptionReason = (interruptions: number): string =>
  `The server ended ${interruptions} times while this job ran, perhaps because the job needs more memory than the server has. Give the server more memory and restart it, or cancel the job and add the library with fewer files.`

/** Grows with the memory of the machine or container, and with Node's limit of the heap. */
export const processMemoryBytes = (): number => totalMemoryBytes() + getHeapStatistics().heap_size_limit

/** A job that was queued or paused while the clock was ahead does not wait for that time. A little longer than the longest pause. */
const graceMs = 5_000
/** SQL: true if a job was interrupted so often that it pauses. */
export const pauses = `interruptions >= ${toleratedInterruptions}`

/** SQL: true if a job runs before every re-index. */
export const goesFirst = "kind <> 'reindex'"

/** SQL: true if a job can start. Needs the parameters of `dueTimes`. */
export const isDue = `state = 'queued' AND (due_at <= :now OR due_at > iif(${pauses}, :latestPaused, iif(${goesFirst}, :latest, :latestReindex)))`

/** Days whose requests say which libraries are asked most. */
const askedDays = 30

export function dueTimes(now: Date) {
  const timeIn = (ms: number) => new Date(now.getTime() + ms).toISOString()
  return {
    now: now.toISOString(),
    latest: timeIn(maxPauseMs + graceMs),
    latestReindex: timeIn(maxWaitMs + graceMs),
    latestPaused: timeIn(maxInterruptionPauseMs + graceMs),
    askedSince: utcDay(now, -askedDays),
  }
}

/**
 * SQL: the rank of a job, the lowest of which runs first. A re-index that only rebuilds unreadable content goes before those that make vectors,
 * of which that of the most-asked library goes first. Needs the parameters of `dueTimes`.
 */
export const rank = `iif(${goesFirst}, 0, iif(request ->> '$.keepVectors', 1, 1e15 -
  (SELECT coalesce(sum(page + txt + mcp + cli), 0) FROM usage_days WHERE usage_days.id = jobs.library AND date >= :askedSince)))`

/** SQL: true for a re-index that waits for another attempt. What stopped it, such as a provider that is down, would stop the others too. */
export const stopsOthers = `(NOT (${goesFirst}) AND state = 'queued' AND NOT (${isDue}) AND NOT (${pauses}))`

export const noneWaits = (filter: string): string => `NOT EXISTS (SELECT 1 FROM jobs WHERE ${stopsOthers} AND ${filter})`

const served = `SELECT caller AS served, max(claimed_at) AS servedAt FROM jobs WHERE ${goesFirst} GROUP BY caller`

/** The caller whose turn it is, of those with a due job that matches `filter`. */
export const nextCaller = (filter: string): string => `
  SELECT caller FROM jobs LEFT JOIN (${served}) ON served IS caller
  WHERE (${isDue}) AND ${filter} GROUP BY caller ORDER BY servedAt, min(due_at), min(id) LIMIT 1`

/**
 * The `position` of each unfinished job in the order in which they run: the running job, the due ones by rank, then those that pause. Callers
 * take turns: of each, the first job runs, then the second, and so on, beginning with the caller whose last start is the longest ago. A re-index
 * for which the others wait is the first of them. Needs the parameters of `dueTimes`.
 */
export const runOrder = `
  SELECT id, row_number() OVER (
      ORDER BY isQueued, isQueued > isDue, iif(isQueued > isDue, NULL, rank), iif(isQueued > isDue, NULL, turn),
        iif(isQueued > isDue, NULL, servedAt), due_at, id
    ) - 1 AS position FROM (
    SELECT id, due_at, isQueued, isDue, rank, servedAt, row_number() OVER (PARTITION BY caller, isQueued, isDue, rank ORDER BY due_at, id) AS turn
    FROM (SELECT id, due_at, caller, state = 'queued' AS isQueued,
        (${isDue} OR ${stopsOthers}) AS isDue, iif(${stopsOthers}, 0.5, ${rank}) AS rank FROM jobs WHERE state IN ${unfinishedStates})
    LEFT JOIN (${served}) ON served IS caller)`
