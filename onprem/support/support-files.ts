import { availableParallelism, release, totalmem } from 'node:os'
import { Readable } from 'node:stream'
import manifest from '../../package.json' with { type: 'json' }
import { isExpired, type License } from '../../shared/keys/license.ts'
import { isSecret } from '../../shared/settings/settings.ts'
import type { SettingsStore } from '../../shared/store/settings-store.ts'
import type { JobStore } from '../store/jobs/job-store.ts'
import type { RecentLog } from './recent-log.ts'
import { redactQuotes } from './redact-error.ts'
import { redactSecrets } from './redact-secrets.ts'
import type { StoreFacts } from './store-facts.ts'

/** A file of the support bundle, piece by piece. */
type SupportFile = { name: string; pieces(): AsyncIterable<string> | Iterable<string> }

export type SupportPorts = {
  version: string
  /** The `performance.now()` of the start, which changes of the clock do not affect. */
  startedAtMs: number
  now(): Date
  license: License
  settings: Pick<SettingsStore, 'describe' | 'getSecret'>
  storeFacts(): Promise<StoreFacts>
  jobs: Pick<JobStore, 'list' | 'log'>
  recentLog: Pick<RecentLog, 'lines'>
  monitor: { samples(): object[] }
}

const maxJobs = 50
const maxJobLines = 300

/** The files that help support to diagnose an install. They contain no snippet text, no questions and no secrets. */
export function supportFiles(ports: SupportPorts): SupportFile[] {
  const redact = redactSecrets(ports.settings)
  const file = (name: string, read: () => unknown): SupportFile => ({
    name,
    async *pieces() {
      yield redact(`${JSON.stringify(await read(), null, 2)}\n`)
    },
  })
  const lines = (name: string, read: () => Iterable<string>): SupportFile => ({
    name,
    *pieces() {
      for (const line of read()) yield `${redact(line)}\n`
    },
  })
  return [
    file('versions.json', () => versions(ports)),
    file('settings.json', () => settings(ports)),
    file('license.json', () => license(ports)),
    file('stores.json', () => ports.storeFacts()),
    lines('jobs.jsonl', () => jobs(ports)),
    lines('log.jsonl', () => ports.recentLog.lines()),
    lines('metrics.jsonl', () => ports.monitor.samples().map((sample) => JSON.stringify(sample))),
  ]
}

const versions = ({ version, now, startedAtMs }: SupportPorts) => ({
  carrel: version,
  node: process.version,
  lancedb: manifest.dependencies['@lancedb/lancedb'],
  os: `${process.platform} ${release()} ${process.arch}`,
  processors: availableParallelism(),
  memoryMb: Math.round(totalmem() / 2 ** 20),
  usedMb: Math.round(process.memoryUsage.rss() / 2 ** 20),
  uptimeS: Math.round((performance.now() - startedAtMs) / 1000),
  now: now().toISOString(),
})

/** Secrets are reduced to whether they are set. */
const settings = (ports: SupportPorts) =>
  Object.fromEntries(
    Object.entries(ports.settings.describe()).map(([name, value]) => [name, isSecret(name) && value ? { set: true } : value]),
  )

const license = ({ license: { id, customer, kind, expiresAt }, now }: SupportPorts) => ({
  id,
  customer,
  kind,
  expiresAt,
  expired: isExpired({ expiresAt }, now()),
})

/** The newest jobs, one per line, with the end of their logs. Quotations are removed, because the reason for a skipped file can quote it. */
function* jobs({ jobs: store }: SupportPorts): Iterable<string> {
  for (const job of store.list(1, maxJobs).jobs) {
    const log = store.log(job.id).slice(-maxJobLines)
    yield JSON.stringify({
      ...job,
      error: job.error && redactQuotes(job.error),
      report: job.report && {
        ...job.report,
        skipped: job.report.skipped.map(({ path, reason }) => ({ path, reason: redactQuotes(reason) })),
      },
      log: log.map(({ at, line }) => ({ at, line: redactQuotes(line) })),
    })
  }
}

/** Writes the zip while it is read, so that no file is held in memory. */
export async function zipSupportFiles(files: SupportFile[]): Promise<ReadableStream> {
  const { default: JSZip } = await import('jszip')
  const zip = new JSZip()
  const written = new Readable()
  for (const { name, pieces } of files) {
    const entry = Readable.from(pieces(), { objectMode: false })
    zip.file(
      name,
      entry.once('error', (error) => written.destroy(error)),
    )
  }
  written.wrap(zip.generateNodeStream({ streamFiles: true, compression: 'DEFLATE' }))
  return Readable.toWeb(written) as ReadableStream
}
