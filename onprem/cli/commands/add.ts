import type { Command } from 'commander'
import type { InferRequestType, InferResponseType } from 'hono/client'
import { printAnswer } from '../../../shared/cli/print.ts'
import { AppError } from '../../../shared/errors.ts'
import { defaultGitHosts, type Platform } from '../../../shared/reading/git/git-hosts.ts'
import { parseRepoUrl } from '../../../shared/reading/git/repo-address.ts'
import { commandName } from '../../../shared/system/command-name.ts'
import { choosePrivate } from '../api/choose-private.ts'
import { call } from '../api/connection.ts'
import { followJobs } from '../api/follow-jobs.ts'
import { queueJob } from '../api/queue-job.ts'
import { shownCommand } from '../api/show-commands.ts'
import type { CommandPorts, RunCommand } from '../api/with-connection.ts'

type AddOptions = {
  branch?: string
  version?: string[]
  folder?: string[]
  language?: string[]
  private?: boolean
  force?: boolean
  wait?: boolean
}

export function addCommand(program: Command, run: RunCommand): void {
  program
    .command('add')
    .description('parse the documentation of a repository')
    .argument('<repository>', 'its address, or owner/repo')
    .option('--branch <name>', 'branch or tag to read instead of the default branch')
    .option('--version <tag>', 'tag or branch to read as a version of its own; can be repeated', collect)
    .option('--folder <path>', 'read only this folder; can be repeated', collect)
    .option('--language <code>', 'read the documentation in this language, such as de; can be repeated', collect)
    .option('--private', 'the repository is private: fail if no token for its host is stored')
    .option('--force', 'read again what has not changed, and replace an imported library')
    .option('--wait', 'wait until a running server has finished; without a server, the command always waits')
    .action((repository: string, options: AddOptions) => run('add', (ports) => add(ports, repository, options)))
}

const collect = (value: string, values: string[] = []): string[] => [...values, value]

async function add(ports: CommandPorts, repoUrl: string, options: AddOptions): Promise<void> {
  const { branch, version: versions, folder: folders, language: languages, force = false } = options
  const settings = await (await call(ports.api.settings.$get())).json()
  if (options.private) requireToken(settings, repoUrl)
  await chooseIfPrivate(ports, settings, { repoUrl, branch, folders, languages })
  const post = async () =>
    (await call(ports.api.parse.$post({ json: { repoUrl, branch, versions, folders, languages, force } }))).json()
  if (ports.runJobs === undefined && !options.wait) return printQueued(await post())
  let libraryId = ''
  await followJobs(ports, async (signal) => {
    const queued = await queueJob(ports, post, signal)
    libraryId = queued.project
    return [queued.queueId]
  })
  if (process.exitCode === undefined) ports.progress.remark(`Ask it: ${shownCommand(`ask ${libraryId} "your question"`)}`)
}

export function printQueued({ project, queueId }: { project: string; queueId: number }): void {
  printAnswer(`${project} is queued as job ${queueId}. Watch it with: ${shownCommand(`jobs ${queueId} --wait`)}`)
}

/** The server would clone the repository without a token, and fail later. */
function requireToken(settings: ShownSettings, repoUrl: string): void {
  const baseUrl = (platform: Platform) => ({ baseUrl: settings[`${platform}.baseUrl`] ?? defaultGitHosts[platform].baseUrl })
  const hosts = { github: baseUrl('github'), gitlab: baseUrl('gitlab') }
  const { platform, ...address } = parseRepoUrl(repoUrl, hosts)
  if (settings[`${platform}.token`]) return
  const store = shownCommand(`settings set ${platform}.token -`)
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
  if (settings['permissions.privateChosen'] || !(settings['github.token'] || settings['gitlab.token'])) return
  // A preview that fails here also fails in the parse, or is only too large for a preview.
  const preview = await call(api.parse.preview.$post({ json })).catch(() => undefined)
  if (!preview || !(await preview.json()).private) return
  progress.clear()
  await call(api.settings.$patch({ json: await choosePrivate('This repository is private.', commandName()) }))
}
