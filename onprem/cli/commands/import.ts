import { openAsBlob } from 'node:fs'
import { open } from 'node:fs/promises'
import { basename } from 'node:path'
import type { Command } from 'commander'
import { printAnswer } from '../../../shared/cli/print.ts'
import { whyUnreadable } from '../../../shared/cli/read-option.ts'
import { AppError } from '../../../shared/errors.ts'
import { call } from '../api/connection.ts'
import { followJobs } from '../api/follow-jobs.ts'
import { shownCommand } from '../api/show-commands.ts'
import type { CommandPorts, RunCommand } from '../api/with-connection.ts'

type ImportOptions = { force?: boolean; wait?: boolean }

export function importCommand(program: Command, run: RunCommand): void {
  program
    .command('import')
    .description('import a bundle')
    .argument('<file>', 'a zip of the hosted service, or the JSON of its export')
    .option('--force', 'replace existing libraries')
    .option('--wait', 'wait until a running server has finished; without a server, the command always waits')
    .action((file: string, options: ImportOptions) =>
      run('import', (ports) => importFile(ports, file, options).catch((error: unknown) => Promise.reject(asFailure(error)))),
    )
}

/** A file that is missing or no bundle is not wrong usage: the arguments are well-formed. */
const asFailure = (error: unknown): unknown =>
  error instanceof AppError && error.code === 'validation_error'
    ? new AppError('command_failed', error.message, { cause: error })
    : error

async function importFile(ports: CommandPorts, file: string, { force = false, wait = false }: ImportOptions): Promise<void> {
  const body = await bodyOf(file)
  const upload = async (signal?: AbortSignal) => {
    ports.progress.show(`Reading ${basename(file)}`)
    const sent = ports.send(`/api/import-libraries?force=${force}`, { method: 'POST', ...body, ...(signal && { signal }) })
    const answer = (await (await call(sent)).json()) as Imported
    ports.progress.clear()
    return answer
  }
  if (ports.runJobs === undefined && !wait) {
    const answer = await upload()
    report(ports, answer)
    for (const libraryId of answer.queued) printAnswer(`${libraryId} is queued.`)
    return ports.progress.remark(`Watch the jobs with: ${shownCommand('jobs')}`)
  }
  await followJobs(ports, async (signal) => {
    const answer = await upload(signal)
    report(ports, answer)
    return jobsOf(ports.api, answer.queued)
  })
}

type Imported = { message: string; queued: string[]; skipped: { project: string; reason: string }[]; removed?: string[] }

/** Throws if nothing is queued. */
function report({ progress }: CommandPorts, { message, queued, skipped, removed = [] }: Imported): void {
  for (const { project, reason } of skipped) progress.remark(`skipped ${project}: ${reason}`)
  for (const libraryId of removed) progress.remark(`removes ${libraryId}, which the bundle does not hold`)
  if (queued.length > 0) progress.remark(message)
  else throw new AppError('command_failed', 'Nothing was imported.')
}

async function bodyOf(path: string): Promise<{ body: FormData | Blob; headers?: Record<string, string> }> {
  try {
    if (!(await isZip(path))) {
      const body = await openAsBlob(path)
      return { body, headers: { 'content-type': 'application/json', 'content-length': String(body.size) } }
    }
    const body = new FormData()
    body.append('bundleFile', await openAsBlob(path), basename(path))
    return { body }
  } catch (error) {
    throw new AppError('command_failed', `The file ${path} ${whyUnreadable(error)}.`, { cause: error })
  }
}

async function isZip(path: string): Promise<boolean> {
  const file = await open(path)
  try {
    const { buffer } = await file.read(Buffer.alloc(2), 0, 2, 0)
    return buffer.toString('latin1') === 'PK'
  } finally {
    await file.close()
  }
}

/** The newest job of each library, oldest job first. */
async function jobsOf(api: CommandPorts['api'], libraryIds: readonly string[]): Promise<number[]> {
  const missing = new Set(libraryIds)
  const ids: number[] = []
  for (let page = 1; missing.size > 0; page++) {
    const { jobs } = await (await call(api.jobs.$get({ query: { page: String(page), pageSize: '200' } }))).json()
    if (jobs.length === 0) break
    for (const { id, project } of jobs) if (missing.delete(project)) ids.push(id)
  }
  return ids.reverse()
}
