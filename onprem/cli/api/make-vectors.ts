import { AppError } from '../../../shared/errors.ts'
import { libraryKey, parseLibraryId } from '../../../shared/library.ts'
import { type Connection, call } from './connection.ts'
import type { ProgressOutput } from './progress-output.ts'
import { shownCommand } from './show-commands.ts'
import { watchJob } from './watch-job.ts'

type VectorPorts = Required<Pick<Connection, 'api' | 'runJobs'>> & { progress: ProgressOutput }

/**
 * Makes the vectors that these libraries wait for, in this process. If that is interrupted, or the provider fails, a remark says how to continue:
 * the libraries are searched by their words until then.
 */
export async function makeVectors(ports: VectorPorts, projects: readonly string[], signal: AbortSignal): Promise<void> {
  const { api, progress, runJobs } = ports
  const due = await queuedReindexes(api, new Set(projects.map(libraryOf)))
  if (due.length === 0) return
  await runJobs(due.map(({ id }) => id))
  for (const { id, project } of due) {
    try {
      await watchJob(ports, id, { progress, signal, once: true })
    } catch (error) {
      if (!signal.aborted && !(error instanceof AppError)) throw error
      const why = signal.aborted ? 'Stopped.' : error instanceof AppError ? error.message : ''
      const next = `start the server, or run: ${shownCommand(`jobs ${id} --wait`)}`
      progress.remark(`${why} ${project} is found by its words until its vectors are made: ${next}`)
      return
    }
  }
}

const libraryOf = (project: string): string => libraryKey(parseLibraryId(project))

async function queuedReindexes(api: Connection['api'], libraries: ReadonlySet<string>) {
  const due: { id: number; project: string }[] = []
  const pageSize = 200
  for (let page = 1; ; page++) {
    const query = { kind: 'reindex', state: 'queued', page: String(page), pageSize: String(pageSize) }
    const { jobs, total } = await (await call(api.jobs.$get({ query }))).json()
    due.push(...jobs.filter(({ project }) => libraries.has(libraryOf(project))))
    if (page * pageSize >= total) return due
  }
}
