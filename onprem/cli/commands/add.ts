import type { Command } from 'commander'
import type { InferRequestType, InferResponseType } from 'hono/client'
import { printAnswer } from '../../../shared/cli/print.ts'
import { readOption } from '../../../shared/cli/read-option.ts'
import { UsageError } from '../../../shared/cli/usage-error.ts'
import { AppError } from '../../../shared/errors.ts'
import { readSchedule, ScheduleText } from '../../../shared/freshness/refresh-schedule.ts'
import { TagRule } from '../../../shared/freshness/tag-rule.ts'
import { defaultGitHosts, type FieldHost } from '../../../shared/reading/git/git-hosts.ts'
import { parseRepoUrl } from '../../../shared/reading/git/repo-address.ts'
import { tokenSetting } from '../../../shared/schemas/git-host.ts'
import { hasGitSecret } from '../../../shared/settings/git-secrets.ts'
import { commandName } from '../../../shared/system/command-name.ts'
import { choosePrivate } from '../api/choose-private.ts'
import { call } from '../api/connection.ts'
import { eachOf } from '../api/each-of.ts'
import { followJobs } from '../api/follow-jobs.ts'
import { queueJob } from '../api/queue-job.ts'
import { recognizeFile } from '../api/recognize-file.ts'
import { shownCommand } from '../api/show-commands.ts'
import type { CommandPorts, RunCommand } from '../api/with-connection.ts'

type AddOptions = {
  from?: string
  withVersions?: boolean
  branch?: string
  version?: string[]
  folder?: string[]
  language?: string[]
  schedule?: string
  tags?: string
  keep?: string
  private?: boolean
  force?: boolean
  wait?: boolean
}

export function addCommand(program: Command, run: RunCommand): void {
  program
    .command('add')
    .description('add the documentation of repositories, or refresh it')
    .argument('[repository...]', 'their addresses, owner/repo, or names of packages')
    .option(
      '--from <file>',
      'add those that a list, a manifest such as package.json or a lock file names; - reads the standard input',
    )
    .option('--with-versions', 'with --from: add the versions that the file names, too, if the repositories have their tags')
    .option('--branch <name>', 'branch or tag to read instead of the default branch')
    .option('--version <tag>', 'tag or branch to read as a version of its own; can be repeated', collect)
    .option('--folder <path>', 'read only this folder; can be repeated', collect)
    .option('--language <code>', 'read the documentation in this language, such as de; can be repeated', collect)
    .option('--schedule <times>', 'when to compare it with its repository: off, daily, weekly, or cron and a time zone')
    .option('--tags <pattern>', 'tags that become versions, such as v*')
    .option('--keep <number>', 'with --tags: how many of the newest of each major version, by default 1')
    .option('--private', 'the repository is private: fail if no token for its host is stored')
    .option('--force', 'also refresh what has not changed, and replace an imported library')
    .option('--wait', 'wait until a running server has finished; without a server, the command always waits')
    .action((repositories: string[], options: AddOptions) => {
      if (repositories.length === 0 && options.from === undefined)
        throw new UsageError('Name a repository, or a file with --from.')
      if (options.withVersions && options.from === undefined)
        throw new UsageError('--with-versions adds the versions that a file names: name the file with --from.')
      if (options.keep !== undefined && options.tags === undefined)
        throw new UsageError('--keep says how many versions a rule keeps: give its tags with --tags.')
      if (repositories.length > 1 || options.from !== undefined) rejectOfOne(options)
      return run('add', async (ports) => add(ports, await sourcesOf(ports, repositories, options), options))
    })
}

/** Throws a usage error if an option can only be meant for one repository. */
function rejectOfOne({ branch, version, folder }: AddOptions): void {
  if (branch ?? version ?? folder)
    throw new UsageError('--branch, --version and --folder differ between repositories. Add one at a time with them.')
}

const collect = (value: string, values: string[] = []): string[] => [...values, value]

/** A repository, and the folders of its documentation if it is a known library. */
type Source = { repoUrl: string; folders?: string[]; title?: string | null; version?: string | null }

async function sourcesOf(ports: CommandPorts, repositories: string[], { from }: AddOptions): Promise<Source[]> {
  const named = repositories.map((repoUrl) => ({ repoUrl }))
  return from === undefined ? named : [...named, ...(await recognizeFile(ports, from))]
}

async function add(ports: CommandPorts, sources: Source[], options: AddOptions): Promise<void> {
  if (sources.length === 0) return
  const settings = await (await call(ports.api.settings.$get())).json()
  const requests = sources.map((source) => requestOf(source, options))
  for (const [at, request] of requests.entries()) {
    if (options.private) requireToken(settings, request.repoUrl)
    const { versions: _, force: __, ...previewed } = request
    // A known library is public.
    if (!sources[at]?.title) await chooseIfPrivate(ports, settings, previewed)
  }
  const post = async (json: ParseRequest) => (await call(ports.api.parse.$post({ json }))).json()
  if (ports.runJobs === undefined && !options.wait) {
    await eachOf(requests, ports, async (request) => printQueued(await post(request)))
    return
  }
  const added: string[] = []
  await followJobs(ports, (signal) =>
    eachOf(requests, ports, async (request) => {
      const { project, queueId } = await queueJob(ports, () => post(request), signal)
      added.push(project)
      return queueId
    }),
  )
  if (process.exitCode === undefined) ports.progress.remark(`Ask it: ${shownCommand(`ask ${added[0]} "your question"`)}`)
}

type ParseRequest = InferRequestType<CommandPorts['api']['parse']['$post']>['json']

const requestOf = (
  { repoUrl, folders = [], version: named }: Source,
  { branch, version, folder, language, schedule, tags, keep = '1', withVersions, force = false }: AddOptions,
) => ({
  repoUrl,
  branch,
  versions: version,
  optionalVersions: withVersions && named ? [named] : undefined,
  folders: folder ?? (folders.length > 0 ? folders : undefined),
  languages: language,
  schedule: schedule === undefined ? undefined : readSchedule(readOption('--schedule', ScheduleText, schedule)),
  tagRule: tags === undefined ? undefined : readOption('--tags or --keep', TagRule, { tags, keep: Number(keep) }),
  force,
})

export function printQueued({ project, queueId }: { project: string; queueId: number }): void {
  printAnswer(`${project} is queued as job ${queueId}. Watch it with: ${shownCommand(`jobs ${queueId} --wait`)}`)
}

/** The server would clone the repository without a token, and fail later. */
function requireToken(settings: ShownSettings, repoUrl: string): void {
  const baseUrl = (host: FieldHost) => ({ baseUrl: settings[`${host}.baseUrl`] ?? defaultGitHosts[host].baseUrl })
  const hosts = { github: baseUrl('github'), gitlab: baseUrl('gitlab'), others: settings['git.hosts'] ?? [] }
  const { host, ...address } = parseRepoUrl(repoUrl, hosts)
  const name = tokenSetting(host.name)
  if (settings[name]) return
  const store = shownCommand(`settings set ${name} -`)
  throw new AppError(
    'forbidden',
    `No token for ${address.baseUrl} is stored, so private repositories cannot be read. Store one: ${store}`,
  )
}

type ShownSettings = InferResponseType<CommandPorts['api']['settings']['$get'], 200>
type PreviewRequest = InferRequestType<CommandPorts['api']['parse']['preview']['$post']>['json']

/**
 * An admin who adds a private repository chooses who can read it, unless that was chosen before. Only a stored token can read
 * one.
 */
async function chooseIfPrivate({ api, progress }: CommandPorts, settings: ShownSettings, json: PreviewRequest): Promise<void> {
  if (settings['permissions.privateChosen'] || !hasGitSecret(settings)) return
  // A preview that fails here also fails in the parse, or is only too large for a preview.
  const preview = await call(api.parse.preview.$post({ json })).catch(() => undefined)
  if (!preview || !(await preview.json()).private) return
  progress.clear()
  await call(api.settings.$patch({ json: await choosePrivate('This repository is private.', commandName()) }))
}
