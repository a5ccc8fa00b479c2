import { type Command, Option } from 'commander'
import { type Colour, printAnswer } from '../../../shared/cli/print.ts'
import { type Columns, jsonOption, printFields, printList } from '../../../shared/cli/print-list.ts'
import { UsageError } from '../../../shared/cli/usage-error.ts'
import { filesReadAndKept, isUnchanged } from '../../../shared/text/figures.ts'
import { call } from '../api/connection.ts'
import { followJobs } from '../api/follow-jobs.ts'
import type { CommandPorts, RunCommand } from '../api/with-connection.ts'

type JobsOptions = { json?: boolean; wait?: boolean; failed?: boolean }

export function jobsCommand(program: Command, run: RunCommand): void {
  program
    .command('jobs')
    .description('list the jobs, newest first, or show one with the end of its log')
    .argument('[id]', 'number of a job')
    .option('--failed', 'only jobs that failed')
    .addOption(new Option('--wait', 'wait until this job has ended; without a server, run it if it is queued').conflicts('json'))
    .addOption(jsonOption())
    .action((id: string | undefined, options: JobsOptions) => {
      if (id === undefined && options.wait) throw new UsageError('--wait needs the number of a job; "carrel jobs" lists them.')
      if (id !== undefined && options.failed) throw new UsageError('--failed is a filter of the list; omit the number of a job.')
      return run('jobs', (ports) => (id === undefined ? listJobs(ports, options) : showJob(ports, id, options)))
    })
}

type Job = {
  id: number
  project: string
  kind: string
  state: string
  snippets: number
  createdAt: string
  startedAt: string | null
  finishedAt: string | null
  error: string | null
  stage: string | null
  report: { snippetsAfter: number } | null
}

const colours: Record<string, Colour> = { done: 'green', failed: 'red', cancelled: 'dim' }

const shownState = (state: string) => ({ text: state === 'parsing' ? 'running' : state, colour: colours[state] ?? 'yellow' })

const columns: Columns<Job> = {
  job: ({ id }) => id,
  library: ({ project }) => project,
  kind: ({ kind }) => kind,
  state: ({ state }) => shownState(state),
  snippets: ({ report, snippets }) => report?.snippetsAfter ?? snippets,
  created: ({ createdAt }) => ({ time: createdAt }),
  error: ({ error }) => error,
  stage: ({ stage }) => stage,
}

const pageSize = 200
const terminalRows = 20
const lastLines = 20

async function listJobs({ api, progress }: CommandPorts, { json = false, failed = false }: JobsOptions): Promise<void> {
  const isShort = !json && process.stdout.isTTY
  const listedJobs = []
  let total = 0
  for (let page = 1; ; page++) {
    const query = { page: String(page), pageSize: String(isShort ? terminalRows : pageSize), ...(failed && { state: 'failed' }) }
    const answer = await (await call(api.jobs.$get({ query }))).json()
    listedJobs.push(...answer.jobs)
    total = answer.total
    if (isShort || answer.jobs.length === 0 || listedJobs.length >= total) break
  }
  printList(columns, listedJobs, { json, none: failed ? 'No job has failed.' : 'There are no jobs yet.' })
  if (isShort && total > listedJobs.length)
    progress.remark(`These are the newest ${listedJobs.length} of ${total} jobs. A pipe lists all.`)
}

async function showJob(ports: CommandPorts, id: string, { json = false, wait = false }: JobsOptions): Promise<void> {
  const job = await (await call(ports.api.jobs[':id'].$get({ param: { id: encodeURIComponent(id) } }))).json()
  if (wait) return followJobs(ports, async () => [job.id])
  if (json) return printAnswer(JSON.stringify(job, null, 2))
  const { project, kind, state, filesDone, filesTotal, snippets, createdAt, startedAt, finishedAt, error, stage, report, log } =
    job
  printFields({
    job: job.id,
    library: project,
    kind,
    state: shownState(state),
    ...(kind === 'parse' && { files: report ? filesOf(state, report) : `${filesDone} of ${filesTotal}` }),
    snippets: report?.snippetsAfter ?? snippets,
    created: { time: createdAt },
    ...(startedAt === null ? {} : { started: { time: startedAt } }),
    ...(finishedAt === null ? {} : { finished: { time: finishedAt } }),
    ...(stage === null ? {} : { stage }),
    ...(report && { skipped: report.skipped.length }),
    ...(error === null ? {} : { error }),
  })
  for (const { at, line } of log.slice(-lastLines)) printAnswer(`${at}  ${line}`)
}

const filesOf = (state: string, report: Parameters<typeof isUnchanged>[0]): string =>
  state === 'done' && isUnchanged(report) ? 'unchanged' : filesReadAndKept(report)
