import { basename } from 'node:path'
import type { Command } from 'commander'
import type { InferResponseType } from 'hono/client'
import { type Colour, coloured, printAnswer, printDone, printRemark } from '../../../shared/cli/print.ts'
import { UsageError } from '../../../shared/cli/usage-error.ts'
import { AppError } from '../../../shared/errors.ts'
import { pluralize } from '../../../shared/text/figures.ts'
import { maxManifestBytes } from '../../declared/parse-yaml.ts'
import { confirm } from '../api/confirm.ts'
import { call } from '../api/connection.ts'
import { followJobs } from '../api/follow-jobs.ts'
import { readTextFile } from '../api/read-text-file.ts'
import { shownCommand } from '../api/show-commands.ts'
import type { CommandPorts, RunCommand } from '../api/with-connection.ts'

type ApplyOptions = { dryRun?: boolean; prune?: boolean; yes?: boolean; wait?: boolean }
type Plan = InferResponseType<CommandPorts['api']['gitops']['plan']['$post'], 200>
type Change = Plan['libraries'][number]['change']

export function applyCommand(program: Command, run: RunCommand): void {
  program
    .command('apply')
    .description('add and change libraries and settings as a file declares them')
    .argument('<file>', 'such as carrel.yaml; - reads the standard input')
    .option('--dry-run', 'show what would change, and change nothing')
    .option('--prune', 'delete libraries and versions that an applied file declared before and this one does not')
    .option('-y, --yes', 'with --prune: do not ask; required where nobody can be asked')
    .option('--wait', 'wait until a running server has finished; without a server, the command always waits')
    .action((path: string, options: ApplyOptions) => {
      if (options.yes && !options.prune) throw new UsageError('--yes answers the question of --prune.')
      return run('apply', (ports) => apply(ports, path, options))
    })
}

async function apply(ports: CommandPorts, path: string, options: ApplyOptions): Promise<void> {
  const { api, progress } = ports
  const file = await readTextFile(path, maxManifestBytes)
  const json = { file, prune: options.prune ?? false, ...(path !== '-' && { name: basename(path) }) }
  const plan = await (await call(api.gitops.plan.$post({ json })).catch(asFailure)).json()
  progress.clear()
  showPlan(plan)
  if (options.dryRun || !isAnyChange(plan)) return
  if (!(await mayPrune(plan, options, path))) return printRemark('Nothing was changed.')
  const applied = await (await call(api.gitops.apply.$post({ json })).catch(asFailure)).json()
  const skippedBefore = new Set(plan.libraries.filter(({ change }) => change === 'skipped').map(({ id }) => id))
  for (const { id, change, details } of applied.libraries)
    if (change === 'skipped' && !skippedBefore.has(id)) progress.remark(`${id} was skipped: ${details.join('; ')}`)
  const { created, updated, pruned, skipped } = applied.counts
  const settings = applied.settings.filter(({ change }) => change === 'changed').length
  const counts = [
    `${created} added`,
    `${updated} changed`,
    `${pruned} deleted`,
    ...(skipped > 0 ? [`${skipped} skipped`] : []),
    pluralize(settings, 'setting'),
  ]
  printDone(`Applied: ${counts.join(', ')}.`)
  if (skipped > 0) process.exitCode = 1
  if (ports.runJobs === undefined && !options.wait) {
    if (applied.jobs.length > 0)
      printAnswer(`${pluralize(applied.jobs.length, 'job')} queued. List them with: ${shownCommand('jobs')}`)
    return
  }
  await followJobs(ports, async () => applied.jobs)
  // A running server sweeps the deleted content later.
  if (pruned > 0) await ports.runJobs?.([])
}

const marks: Record<Change, { mark: string; colour: Colour }> = {
  added: { mark: '+', colour: 'green' },
  changed: { mark: '~', colour: 'yellow' },
  removed: { mark: '-', colour: 'red' },
  skipped: { mark: '!', colour: 'red' },
  kept: { mark: ' ', colour: 'dim' },
  unchanged: { mark: ' ', colour: 'dim' },
}

/** One line for each difference, then how many things do not change. */
function showPlan({ libraries, settings }: Plan): void {
  const line = (change: Change, text: string) => {
    const { mark, colour } = marks[change]
    process.stdout.write(`${coloured(colour, mark)} `)
    printAnswer(text)
  }
  for (const { name, change, from, to } of settings) if (change === 'changed') line(change, `${name}: ${from} → ${to}`)
  for (const { id, change, details } of libraries) {
    if (change === 'unchanged') continue
    const more = change === 'kept' ? ['no longer declared; --prune deletes it'] : details
    line(change, more.length === 0 ? id : `${id} (${more.join('; ')})`)
  }
  const same = [...libraries, ...settings].filter(({ change }) => change === 'unchanged').length
  printAnswer(isAnyChange({ libraries, settings }) ? `${same} unchanged.` : `Nothing to change: ${same} unchanged.`)
}

const isAnyChange = ({ libraries, settings }: Plan): boolean =>
  libraries.some(({ change }) => change === 'added' || change === 'changed' || change === 'removed') ||
  settings.some(({ change }) => change === 'changed')

/** Asks before something is deleted. Throws a usage error where nobody can be asked. */
async function mayPrune({ libraries }: Plan, { yes = false }: ApplyOptions, path: string): Promise<boolean> {
  const removed = libraries.filter(
    ({ change, details }) => change === 'removed' || details.some((each) => /^version .* removed$/.test(each)),
  )
  if (removed.length === 0 || yes) return true
  if (!process.stdin.isTTY || path === '-')
    throw new UsageError('apply --prune asks before it deletes, and nobody can answer here. Give --yes. Nothing was changed.')
  return confirm(`Delete ${pluralize(removed.length, 'library', 'libraries')} or versions that are marked above? [y/N] `)
}

/** A file that is wrong is no wrong usage. */
const asFailure = (error: unknown): never => {
  if (error instanceof AppError && error.code === 'validation_error')
    throw new AppError('command_failed', error.message, { cause: error })
  throw error
}
