import { collectDefaultMetrics, Registry } from 'prom-client'
import type { License } from '../../shared/keys/license.ts'
import type { QuestionQueue } from '../../shared/search/question/question-queue.ts'
import { notificationChannels } from '../../shared/settings/notification-names.ts'
import type { SettingsStore } from '../../shared/store/settings-store.ts'
import { staleTime } from '../../shared/time/is-stale.ts'
import type { DiskGuard } from '../store/data-dir/disk-guard.ts'
import { jobKinds } from '../store/jobs/job.ts'
import { checkOutcomes, type LibraryChecks } from '../store/library-checks.ts'
import type { DiskUse } from './disk-use.ts'
import type { Instruments } from './instruments.ts'
import { questionOutcomes } from './measure-questions.ts'
import type { MeasuredRuns } from './measure-runs.ts'
import { type MetricSample, metricSamples } from './metric-samples.ts'
import type { StoreCounts } from './store-counts.ts'

export type Monitor = {
  instruments: Instruments
  /** The metrics in Prometheus' text format. */
  text(): Promise<string>
  /** Measures slow values for `text`, and stores a sample for the support bundle. Does nothing while it runs. */
  sample(): Promise<void>
  /** Samples of the last hour, oldest first. */
  samples(): MetricSample[]
}

type MonitorPorts = {
  instruments: Instruments
  version: string
  license: Pick<License, 'expiresAt'>
  questions: Pick<QuestionQueue, 'load'>
  runs: Pick<MeasuredRuns, 'update'>
  storeCounts(): StoreCounts
  diskUse: DiskUse
  disk: DiskGuard
  backups: { state(): Promise<{ newestAt: Date | undefined; overdueMs: number }>; failed(): object | null }
  notifications: { channels(): { channel: string; state: string; waiting: number }[] }
  checks: Pick<LibraryChecks, 'staleSince'>
  settings: Pick<SettingsStore, 'get'>
  now(): Date
}

/** The interval between two calls of `sample`. */
export const sampleEveryMs = 30_000

export function monitor(ports: MonitorPorts): Monitor {
  const { instruments, now } = ports
  const { registry } = instruments
  const samples = metricSamples(registry, now)
  instruments.build.set({ version: ports.version }, 1)
  instruments.licenseExpires.set(Date.parse(ports.license.expiresAt) / 1000)
  beginAtZero(instruments)
  processMetrics()
  let isSampling = false
  const measureStores = async () => {
    for (const [store, bytes] of Object.entries(await ports.diskUse.stores())) instruments.storeBytes.set({ store }, bytes)
  }
  const measureBackups = async () => {
    const { newestAt, overdueMs } = await ports.backups.state()
    instruments.backupNewest.set((newestAt?.getTime() ?? 0) / 1000)
    instruments.backupOverdue.set(overdueMs / 1000)
  }
  return {
    instruments,
    async text() {
      update(ports)
      return [await registry.metrics(), await processMetrics().metrics()].join('\n')
    },
    async sample() {
      if (isSampling) return
      isSampling = true
      try {
        await measureStores()
        await measureBackups()
        update(ports)
        await samples.add()
      } finally {
        isSampling = false
      }
    },
    samples: samples.list,
  }
}

/** Prometheus sees the first increase of a counter only if it knows the counter before. */
function beginAtZero({
  questions,
  jobsFinished,
  jobSeconds,
  jobFiles,
  jobSnippets,
  libraryChecks,
  notificationsAttempted,
}: Instruments): void {
  for (const kind of ['search', 'context'])
    for (const entry of ['http', 'mcp']) for (const outcome of questionOutcomes) questions.inc({ kind, entry, outcome }, 0)
  for (const outcome of checkOutcomes) libraryChecks.inc({ outcome }, 0)
  for (const channel of notificationChannels)
    for (const outcome of ['sent', 'failed']) notificationsAttempted.inc({ channel, outcome }, 0)
  for (const kind of jobKinds) {
    for (const outcome of ['done', 'failed', 'cancelled']) jobsFinished.inc({ kind, outcome }, 0)
    for (const each of [jobSeconds, jobFiles, jobSnippets]) each.inc({ kind }, 0)
  }
}

/** Reads the values that take little time. */
function update(ports: MonitorPorts): void {
  const { instruments, storeCounts, questions, runs, disk, backups, checks, notifications, settings, now } = ports
  const space = disk.space()
  if (space) {
    instruments.diskFree.set(space.freeBytes)
    instruments.diskSize.set(space.sizeBytes)
  }
  instruments.diskShortage.set(disk.shortage() === undefined ? 0 : 1)
  instruments.backupFailed.set(backups.failed() === null ? 0 : 1)
  for (const { channel, state, waiting } of notifications.channels()) {
    instruments.notificationsWaiting.set({ channel }, waiting)
    instruments.notificationsFailing.set({ channel }, state === 'failing' ? 1 : 0)
  }
  const { libraries, versions, snippets, vectors, queue } = storeCounts()
  instruments.libraries.set(libraries)
  instruments.versions.set(versions)
  instruments.librariesStale.set(checks.staleSince(staleTime(now(), settings.get('refresh.staleDays'))))
  instruments.snippets.set(snippets)
  instruments.vectors.set(vectors)
  for (const { kind, waiting, running, oldestAt } of queue) {
    instruments.jobsWaiting.set({ kind }, waiting)
    instruments.jobsRunning.set({ kind }, running)
    instruments.jobsOldest.set({ kind }, oldestAt === null ? 0 : Math.max(0, now().getTime() - Date.parse(oldestAt)) / 1000)
  }
  const { waiting, running } = questions.load()
  instruments.questionsWaiting.set(waiting)
  instruments.questionsRunning.set(running)
  runs.update()
}

/** Unused series, some with names that Prometheus warns about. */
const omitted = [
  ...['handles', 'requests', 'resources'].flatMap((each) => [`nodejs_active_${each}`, `nodejs_active_${each}_total`]),
  ...['total', 'used', 'available'].map((each) => `nodejs_heap_space_size_${each}_bytes`),
]

let registry: Registry | undefined

/** Memory, event-loop delay, garbage collection and CPU time of this process. One for all installs in it, because its observers are never removed. */
function processMetrics(): Registry {
  if (registry === undefined) {
    registry = new Registry()
    collectDefaultMetrics({ register: registry })
    for (const name of omitted) registry.removeSingleMetric(name)
  }
  return registry
}
