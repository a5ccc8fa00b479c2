import { randomUUID } from 'node:crypto'
import type { Log } from '../../shared/log.ts'
import { utcDay } from '../../shared/time/utc-day.ts'
import { applyUsage, type UsageBatch } from '../../shared/usage/apply-usage.ts'
import { type AnsweredRequest, recordUsage } from '../../shared/usage/record-usage.ts'
import type { Salts } from '../../shared/usage/salts.ts'
import { refusedEvent } from '../../shared/usage/usage-stream.ts'
import type { SqliteCounters } from '../store/counters/sqlite-counters.ts'
import type { KeptFeedback } from './kept-feedback.ts'

/** Buffers successful requests for the usage counters. */
export type UsageBuffer = {
  /** Buffers a request in memory. Never throws and never takes long. */
  record(request: AnsweredRequest): Promise<void>
  /** Writes the buffered requests and closes the salts. */
  close(): Promise<void>
}

type UsageBufferPorts = {
  counters: Pick<SqliteCounters, 'add' | 'read' | 'tidy'>
  salts: Salts & { close(): void }
  feedback: Pick<KeptFeedback, 'tidy'>
  log: Log
  now(): Date
}

/** A killed process loses at most the requests of this time. */
const writeEveryMs = 1_000
const tidyEveryMs = 3_600_000
const maxWaiting = 10_000

/**
 * Counts successful requests. They are buffered for at most a second and written together. A failed write is retried with the next one, and
 * each event is counted once. If more than 10,000 events are waiting, further ones are logged instead.
 */
export function usageBuffer(ports: UsageBufferPorts): UsageBuffer {
  const { salts, log, now } = ports
  const shard = randomUUID()
  let waiting: UsageBatch['records'] = []
  let last = 0
  let timer: NodeJS.Timeout | undefined
  let writing: Promise<void> | undefined
  let failed = false

  async function write(): Promise<void> {
    const batch = waiting
    if (batch.length === 0) return
    try {
      await applyUsage(ports, { shard, records: batch })
      waiting = waiting.slice(batch.length)
      failed = false
    } catch (error) {
      if (!failed) log.error({ error, events: batch.length }, 'usage cannot be counted yet')
      failed = true
    }
  }
  function writeSoon(): void {
    timer ??= setTimeout(async () => {
      writing = write()
      await writing
      timer = undefined
      if (waiting.length > 0) writeSoon()
    }, writeEveryMs).unref()
  }
  const stream = {
    async put(event: object) {
      if (waiting.length >= maxWaiting) throw refusedEvent(new Error('too many wait'))
      waiting.push({ sequence: String(++last), data: Buffer.from(JSON.stringify(event)) })
      writeSoon()
    },
  }
  const tidy = async () => {
    try {
      await salts.saltOf(utcDay(now()))
      await salts.makeAhead()
      await salts.forgetOld()
      ports.counters.tidy()
      ports.feedback.tidy()
    } catch (error) {
      log.error({ error }, 'daily usage data cannot be prepared or deleted')
    }
  }
  const tidying = setInterval(tidy, tidyEveryMs).unref()
  void tidy()
  return {
    record: (request) => recordUsage({ stream, salts, log, now }, request),
    async close() {
      clearInterval(tidying)
      clearTimeout(timer)
      await writing
      await write()
      salts.close()
    },
  }
}
