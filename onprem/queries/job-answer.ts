import { z } from 'zod'
import { parseLibraryId } from '../../shared/library.ts'
import { visibleText } from '../../shared/text/visible-text.ts'
import type { Job } from '../store/jobs/job.ts'
import { jobKinds, jobStates } from '../store/jobs/job.ts'
import type { JobStore } from '../store/jobs/job-store.ts'
import { redactSecrets } from '../support/redact-secrets.ts'
import { type ActiveParsesPorts, stageOf, storeWait } from './active-parses.ts'
import { jobAdvice } from './job-advice.ts'
import { Meaning, type MeaningPorts, meaningOf } from './meaning.ts'

const filesRead = z.int().describe('Files that this job read; 0 if the commit is unchanged')
const filesKept = z.int().optional().describe('Unchanged files, whose snippets were kept instead of reading the files again')

const ReportAnswer = z.object({
  filesRead,
  filesKept,
  skipped: z.array(z.object({ path: z.string(), reason: z.string() })),
  snippetsBefore: z.int(),
  snippetsAfter: z.int(),
  tokens: z.int(),
  durationMs: z.int(),
  textsEmbedded: z.int(),
  llmTokens: z.int(),
  versions: z
    .array(
      z.object({
        version: z.string(),
        filesRead,
        filesKept,
        snippets: z.int(),
        tokens: z.int(),
        skipped: z.int(),
      }),
    )
    .optional()
    .describe('A row for each version that is served after the job or failed in it; version "" is the default content'),
})

export const JobAnswer = z
  .object({
    id: z.int(),
    project: z.string(),
    kind: z.enum(jobKinds),
    state: z.enum(jobStates),
    filesDone: z.int(),
    filesTotal: z.int(),
    snippets: z.int(),
    createdAt: z.iso.datetime(),
    startedAt: z.iso.datetime().nullable(),
    finishedAt: z.iso.datetime().nullable(),
    error: z.string().nullable().describe('Why it failed: an error code, a colon and a sentence'),
    report: ReportAnswer.nullable(),
    position: z.int().nullable().describe('Number of jobs ahead; 0 for a running job, null for one that has ended'),
    stage: z.string().nullable().describe('What the job is doing or waits for; null if it has ended'),
    nextAttemptAt: z.iso.datetime().nullable().describe('If the last attempt failed and the job is queued for another'),
    elapsedMs: z.int().nullable().describe('Time since the first start, until the end; null before the start'),
    logLines: z.int().describe('How many lines its log has'),
    meaning: Meaning.optional().describe(
      'How many snippets of the library can be found by meaning; absent without an embedding provider',
    ),
    advice: z.string().nullable().describe('For a failed job: what to do about it'),
  })
  .meta({ id: 'Job' })
export type JobAnswer = z.infer<typeof JobAnswer>

export type JobAnswerPorts = Pick<ActiveParsesPorts, 'settings' | 'disk' | 'paths' | 'now'> & {
  jobs: Pick<JobStore, 'activity' | 'logLines'>
} & MeaningPorts

export const jobAnswer = (ports: JobAnswerPorts, job: Job): JobAnswer => jobAnswers(ports, [job])[0] as JobAnswer

/** Adds the progress of unfinished jobs and what to do about failed ones. */
export function jobAnswers(ports: JobAnswerPorts, listedJobs: readonly Job[]): JobAnswer[] {
  const { jobs, settings, now } = ports
  const unfinished = listedJobs.filter(({ finishedAt }) => finishedAt === null)
  const activity = jobs.activity(unfinished.map(({ id }) => id))
  const logLines = jobs.logLines(listedJobs.map(({ id }) => id))
  const stages = {
    redact: unfinished.length === 0 ? String : redactSecrets(settings),
    storeWait: unfinished.length === 0 ? undefined : storeWait(ports, true),
  }
  return listedJobs.map((job) => {
    const active = activity.get(job.id)
    const progress = active && stageOf({ ...job, ...active }, stages)
    return {
      ...job,
      error: job.error && visibleText(job.error),
      position: active?.position ?? null,
      stage: progress?.statusMessage ?? null,
      nextAttemptAt: progress?.nextAttemptAt ?? null,
      elapsedMs: elapsedMs(job, now()),
      logLines: logLines.get(job.id) ?? 0,
      meaning: meaningOf(ports, parseLibraryId(job.project)),
      advice: job.state === 'failed' ? jobAdvice(job) : null,
    }
  })
}

function elapsedMs({ startedAt, finishedAt }: Job, now: Date): number | null {
  if (startedAt === null) return null
  const end = finishedAt === null ? now.getTime() : Date.parse(finishedAt)
  return Math.max(0, end - Date.parse(startedAt))
}
