import { z } from 'zod'
import { parseLibraryId } from '../../shared/library.ts'
import type { SettingsStore } from '../../shared/store/settings-store.ts'
import { asSentence } from '../../shared/text/as-sentence.ts'
import { pluralize } from '../../shared/text/figures.ts'
import { visibleText } from '../../shared/text/visible-text.ts'
import type { Caller } from '../access/caller.ts'
import type { DataPaths } from '../store/data-dir/data-paths.ts'
import { type DiskGuard, shortageStage } from '../store/data-dir/disk-guard.ts'
import type { ActiveJob } from '../store/jobs/job.ts'
import type { JobStore } from '../store/jobs/job-store.ts'
import { redactSecrets } from '../support/redact-secrets.ts'
import { Meaning, type MeaningPorts, meaningOf } from './meaning.ts'

export const ActiveParse = z.object({
  kind: z.literal('reindex').optional().describe('Absent for a job that adds, refreshes or imports'),
  status: z.enum(['queued', 'parsing', 'finalizing']),
  position: z.int().describe('Number of jobs ahead; 0 for a running job'),
  createdAt: z.iso.datetime().optional(),
  startedAt: z.iso.datetime().optional(),
  duration: z.number().optional().describe('Seconds'),
  nextAttemptAt: z.iso.datetime().optional().describe('If the last attempt failed and the job is queued for another'),
  meaning: Meaning.optional().describe(
    'How many snippets of the library can be found by meaning; absent without an embedding provider',
  ),
  statusMessage: z.string().describe('What the job is doing, what it waits for, or why its last attempt failed'),
})
type ActiveParse = z.infer<typeof ActiveParse>

const maxReasonChars = 500

export type ActiveParsesPorts = {
  jobs: Pick<JobStore, 'active'>
  settings: Pick<SettingsStore, 'getSecret'>
  disk: DiskGuard
  paths: Pick<DataPaths, 'snippets'>
  now(): Date
}

/** Unfinished jobs by library id. A re-index is listed if the library has no other. */
export function activeParses(ports: ActiveParsesPorts & MeaningPorts, { holder }: Caller): Record<string, ActiveParse> {
  const { jobs, settings, now } = ports
  const active = jobs.active()
  if (active.length === 0) return {}
  const stages = { redact: redactSecrets(settings), storeWait: storeWait(ports, holder !== undefined) }
  const byPriority = active.toSorted((a, b) => Number(b.kind === 'reindex') - Number(a.kind === 'reindex'))
  return Object.fromEntries(
    byPriority.map((job) => {
      const meaning = meaningOf(ports, parseLibraryId(job.project))
      return [
        job.project,
        { ...(job.kind === 'reindex' && { kind: job.kind }), ...(meaning && { meaning }), ...activeParse(job, now(), stages) },
      ]
    }),
  )
}

function activeParse(job: ActiveJob, now: Date, stages: StagePorts): Omit<ActiveParse, 'kind' | 'meaning'> {
  const { state, position, createdAt } = job
  const { statusMessage, ...wait } = stageOf(job, stages)
  if (state === 'queued') return { status: 'queued', position, createdAt, ...wait, statusMessage }
  const startedAt = job.startedAt ?? createdAt
  const duration = Math.max(0, (now.getTime() - Date.parse(startedAt)) / 1000)
  const files = job.filesTotal > 0 && state === 'parsing' ? ` (${job.filesDone} of ${job.filesTotal})` : ''
  return {
    status: state === 'finalizing' ? state : 'parsing',
    position,
    startedAt,
    duration,
    statusMessage: `${statusMessage}${files}`,
  }
}

/** The stage of queued jobs that wait for the disk. Paths and figures are for callers with a key or session. */
export function storeWait({ disk, paths }: Pick<ActiveParsesPorts, 'disk' | 'paths'>, isHolder: boolean): string | undefined {
  const unusable = paths.snippets()
  if (unusable !== undefined) return isHolder ? unusable : 'Waiting for files that the server cannot use'
  const shortage = disk.shortage()
  return shortage && shortageStage(shortage, isHolder)
}

type StagePorts = {
  redact(text: string): string
  /** The stage of queued jobs while they wait for the disk or the folder of the snippets. */
  storeWait: string | undefined
}

type Staged = Pick<ActiveJob, 'state' | 'statusMessage' | 'dueAt' | 'position' | 'waitsFor'>

/**
 * The current step of an unfinished job, or the reason why it waits. A queued job that has a reason waits because its last
 * attempt failed.
 */
export function stageOf(
  { state, statusMessage: reason, dueAt, position, waitsFor }: Staged,
  { redact, storeWait }: StagePorts,
): { statusMessage: string; nextAttemptAt?: string } {
  if (state !== 'queued') return { statusMessage: reason ?? 'Starting' }
  if (storeWait !== undefined) return { statusMessage: storeWait }
  const sentence = (text: string) => asSentence(visibleText(redact(text)).slice(0, maxReasonChars))
  if (reason !== null)
    return {
      nextAttemptAt: dueAt,
      statusMessage: `The last attempt failed: ${sentence(reason)} The next attempt is at ${dueAt}.`,
    }
  if (waitsFor !== undefined) {
    const why = waitsFor.reason === null ? '.' : `: ${sentence(waitsFor.reason)}`
    return { statusMessage: `Waiting for another re-index, which failed${why} Its next attempt is at ${waitsFor.dueAt}.` }
  }
  return { statusMessage: position === 0 ? 'Waiting to start' : `Waiting for ${pluralize(position, 'other job')}` }
}
