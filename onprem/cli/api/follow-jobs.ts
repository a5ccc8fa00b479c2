import { printDone } from '../../../shared/cli/print.ts'
import { AppError } from '../../../shared/errors.ts'
import { countOf, filesReadAndKept, isUnchanged } from '../../../shared/text/figures.ts'
import { type Connection, call } from './connection.ts'
import { makeVectors } from './make-vectors.ts'
import type { ProgressOutput } from './progress-output.ts'
import { shownCommand } from './show-commands.ts'
import { watchJob } from './watch-job.ts'

type FollowPorts = Pick<Connection, 'api' | 'runJobs'> & { progress: ProgressOutput }

/** Exit codes of a shell for a command that a signal has ended. */
const exitCodes = { SIGINT: 130, SIGTERM: 143, SIGHUP: 129 } as const

/** A second Ctrl-C ends the process immediately. npm may send one Ctrl-C twice. */
const minBetweenMs = 500

/**
 * Queues jobs, waits until they have ended, and prints what each has read. Runs them in this process if no server does. After Ctrl-C, the jobs
 * continue at a running server; jobs of this process are cancelled. Throws the reason of a failure.
 */
export async function followJobs(ports: FollowPorts, queue: (signal: AbortSignal) => Promise<readonly number[]>): Promise<void> {
  const interrupt = new AbortController()
  let interruptedAt = Number.POSITIVE_INFINITY
  const end = (signal: keyof typeof exitCodes) => {
    process.exitCode = exitCodes[signal]
    if (performance.now() - interruptedAt > minBetweenMs) process.exit()
    interruptedAt = Math.min(interruptedAt, performance.now())
    interrupt.abort()
  }
  const signals = Object.keys(exitCodes) as (keyof typeof exitCodes)[]
  for (const signal of signals) process.on(signal, end)
  let ids: readonly number[] = []
  try {
    ids = await queue(interrupt.signal)
    if (ids.length === 0) return
    await ports.runJobs?.(ids)
    const projects = await followEach(ports, ids, interrupt.signal)
    if (ports.runJobs) await makeVectors({ ...ports, runJobs: ports.runJobs }, projects, interrupt.signal)
  } catch (error) {
    if (!interrupt.signal.aborted) throw error
    await interrupted(ports, ids)
  } finally {
    for (const signal of signals) process.off(signal, end)
  }
}

/** Returns the ids of the libraries whose jobs are done. */
async function followEach(ports: FollowPorts, ids: readonly number[], signal: AbortSignal): Promise<string[]> {
  const failures: Error[] = []
  const projects: string[] = []
  for (const id of ids) {
    try {
      const job = await watchJob(ports, id, { ...ports, signal })
      printDone(summaryOf(job))
      projects.push(job.project)
    } catch (error) {
      if (signal.aborted || ids.length === 1 || !(error instanceof AppError)) throw error
      failures.push(error)
      ports.progress.remark(error.message)
    }
  }
  if (failures.length > 0) throw new AppError('command_failed', `${failures.length} of ${ids.length} jobs failed.`)
  return projects
}

async function interrupted({ api, runJobs, progress }: FollowPorts, ids: readonly number[]): Promise<void> {
  progress.clear()
  if (ids.length === 0 && runJobs) return progress.remark('Stopped before a job was queued.')
  if (ids.length === 0)
    return progress.remark(
      `Stopped. The server may have received the request before; its jobs are listed by: ${shownCommand('jobs')}`,
    )
  const jobs = ids.length === 1 ? `Job ${ids[0]}` : 'The jobs'
  if (!runJobs) {
    const follow = ids.length === 1 ? `jobs ${ids[0]} --wait` : 'jobs'
    progress.remark(`${jobs} ${ids.length === 1 ? 'continues' : 'continue'} at the server. Watch with: ${shownCommand(follow)}`)
    return
  }
  // Jobs that have ended already cannot be cancelled.
  for (const id of ids) await call(api.jobs[':id'].cancel.$post({ param: { id: String(id) } })).catch(() => undefined)
  progress.remark(`${jobs} ${ids.length === 1 ? 'was' : 'were'} cancelled. Run the command again to start over.`)
}

type Ended = Pick<Awaited<ReturnType<typeof watchJob>>, 'kind' | 'project' | 'report' | 'snippets'>

/** One line about a job that is done. */
export function summaryOf({ kind, project, report, snippets: counted }: Ended): string {
  const snippets = countOf(report?.snippetsAfter ?? counted, 'snippet')
  if (!report || kind !== 'parse') return `${project}: ${snippets}.`
  const skipped = report.skipped.length === 0 ? '' : `, ${countOf(report.skipped.length, 'file')} skipped`
  if (isUnchanged(report)) return `${project}: unchanged, ${snippets}${skipped}.`
  const seconds = (report.durationMs / 1000).toLocaleString('en', { maximumFractionDigits: 1 })
  const files = report.filesKept ? `, ${filesReadAndKept(report)}` : ` from ${countOf(report.filesRead, 'file')}`
  return `${project}: ${snippets}${files}${skipped}, in ${seconds} s.`
}
