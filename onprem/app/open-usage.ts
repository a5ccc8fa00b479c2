import { join } from 'node:path'
import type { DatabaseSync } from 'node:sqlite'
import type { Log } from '../../shared/log.ts'
import type { SettingsStore } from '../../shared/store/settings-store.ts'
import { sqliteSalts } from '../../shared/store/sqlite-salts.ts'
import type { Counters } from '../../shared/usage/counters.ts'
import { sqliteCounters } from '../store/counters/sqlite-counters.ts'
import { type UsageFigures, usageFigures } from '../store/counters/usage-figures.ts'
import { sqliteFeedback } from '../store/feedback-store.ts'
import { type KeptFeedback, keptFeedback } from '../usage/kept-feedback.ts'
import { type UsageBuffer, usageBuffer } from '../usage/usage-buffer.ts'

export type UsagePorts = {
  counters: Pick<Counters, 'read'>
  usageFigures: UsageFigures
  usage: Pick<UsageBuffer, 'record'>
  feedback: KeptFeedback
}

type Input = { dataDir: string; db: DatabaseSync; settings: Pick<SettingsStore, 'get'>; log: Log; now(): Date }

/** Opens the counters and figures of usage. `close` counts the events that are still in memory. */
export function openUsage({ dataDir, db, settings, log, now }: Input): { ports: UsagePorts; close(): Promise<void> } {
  const counters = sqliteCounters(db, now)
  counters.begin()
  const feedback = keptFeedback({ store: sqliteFeedback(db, now), settings, log, now })
  const usage = usageBuffer({ counters, salts: sqliteSalts(join(dataDir, 'salts.db'), now), feedback, log, now })
  const ports = { counters, usageFigures: usageFigures(db), usage, feedback }
  return { ports, close: usage.close }
}
