import { type Command, Option } from 'commander'
import { printAnswer } from '../../../shared/cli/print.ts'
import { AppError } from '../../../shared/errors.ts'
import { addAddress } from '../add/add-address.ts'
import { type AddOptions, rejectCombinations, rejectForeignOptions } from '../add/add-options.ts'
import { hostsIn, type Repository, repositoryRequest, type ShownSettings } from '../add/add-repository.ts'
import { addressKinds, type SourceKind, sourceKind } from '../add/source-kind.ts'
import { type LocalSource, listSource, uploadFiles } from '../add/upload-files.ts'
import { watchFiles } from '../add/watch-files.ts'
import { call } from '../api/connection.ts'
import { eachOf } from '../api/each-of.ts'
import { followJobs } from '../api/follow-jobs.ts'
import { queueJob } from '../api/queue-job.ts'
import { recognizeFile } from '../api/recognize-file.ts'
import { shownCommand } from '../api/show-commands.ts'
import type { CommandPorts, RunCommand } from '../api/with-connection.ts'

export function addCommand(program: Command, run: RunCommand): void {
  program
    .command('add')
    .description('add documentation of repositories, websites or files, or refresh it')
    .argument('[source...]', 'addresses, owner/repo, names of packages, or files and folders such as ./docs')
    .option(
      '--from <file>',
      'add those that a list, a manifest such as package.json or a lock file names; - reads the standard input',
    )
    .option('--with-versions', 'with --from: add the versions that the file names, too, if the repositories have their tags')
    .addOption(new Option('--kind <kind>', 'what an address is, if it is recognised wrongly').choices(addressKinds))
    .option('--branch <name>', 'branch or tag to read instead of the default branch')
    .option('--version <tag>', 'tag or branch to read as a version of its own; can be repeated', collect)
    .option('--folder <path>', 'read only this folder; can be repeated', collect)
    .option('--language <code>', 'read the documentation in this language, such as de; can be repeated', collect)
    .option('--api-reference', 'read an API reference from the source files, too')
    .option('--schedule <times>', 'when to compare it with its repository: off, daily, weekly, or cron and a time zone')
    .option('--tags <pattern>', 'tags that become versions, such as v*')
    .option('--keep <number>', 'with --tags: how many of the newest of each major version, by default 1')
    .option('--private', 'the repository is private: fail if no token for its host is stored')
    .option('--name <name>', 'of files: name of the library in its id; by default that of the folder or file')
    .option('--title <text>', 'of websites, Confluence, API descriptions and files: title of the library')
    .option('--description <text>', 'of websites, Confluence, API descriptions and files: description of the library')
    .option('--max-pages <number>', 'of websites: largest number of pages, by default 100')
    .option('--max-depth <number>', 'of websites: largest number of links from the first page, by default 3')
    .option('--exclude <path>', 'of websites: paths that are not read, such as /blog/*; can be repeated', collect)
    .option('--watch', 'of files: upload them again after each change, until Ctrl-C')
    .option('--force', 'also refresh what has not changed, and replace an imported library')
    .option('--wait', 'wait until a running server has finished; without a server, the command always waits')
    .action((sources: string[], options: AddOptions) => {
      rejectCombinations(sources, options)
      return run('add', (ports) => add(ports, sources, options))
    })
}

const collect = (value: string, values: string[] = []): string[] => [...values, value]

type Queued = { project: string; queueId: number }
type Post = (signal?: AbortSignal) => Promise<Queued>

async function add(ports: CommandPorts, sources: string[], options: AddOptions): Promise<void> {
  const settings = await (await call(ports.api.settings.$get())).json()
  const named = sources.map((source) => ({ source, kind: kindOf(source, settings, options) }))
  for (const { source, kind } of named) rejectForeignOptions(source, kind, options)
  const [only] = named
  if (options.watch && only) return watchFiles(ports, localSource(only.source, only.kind, options))
  const posts: Post[] = []
  for (const { source, kind } of named) posts.push(await postOf(ports, settings, source, kind, options))
  if (options.from !== undefined)
    for (const repository of await recognizeFile(ports, options.from))
      posts.push(await postRepository(ports, settings, repository, options))
  if (posts.length > 0) await queue(ports, posts, options)
}

function kindOf(source: string, settings: ShownSettings, { kind }: AddOptions): SourceKind {
  const recognized = sourceKind(source, {
    git: hostsIn(settings),
    allowed: settings['sources.allowedHosts'] ?? [],
    confluence: settings['confluence.baseUrl'],
  })
  return recognized === 'files' || recognized === 'openapi-upload' ? recognized : (kind ?? recognized)
}

async function postOf(
  ports: CommandPorts,
  settings: ShownSettings,
  source: string,
  kind: SourceKind,
  options: AddOptions,
): Promise<Post> {
  if (kind === 'repository') return postRepository(ports, settings, { repoUrl: source }, options)
  if (kind !== 'files' && kind !== 'openapi-upload')
    return () => addAddress(ports, kind, source, options, settings['sources.allowedHosts'] ?? [])
  const local = localSource(source, kind, options)
  return async (signal) => uploadFiles(ports, local, await listSource(local), signal)
}

async function postRepository(
  ports: CommandPorts,
  settings: ShownSettings,
  repository: Repository,
  options: AddOptions,
): Promise<Post> {
  const json = await repositoryRequest(ports, settings, repository, options)
  return async () => (await call(ports.api.parse.$post({ json }))).json()
}

function localSource(path: string, kind: SourceKind, { name, title, description, force = false }: AddOptions): LocalSource {
  if (kind === 'files' || kind === 'openapi-upload')
    return { path, kind, fields: { name, projectTitle: title, description, force } }
  throw new AppError('validation_error', `--watch is for files, and ${path} is none.`)
}

async function queue(ports: CommandPorts, posts: readonly Post[], options: AddOptions): Promise<void> {
  if (ports.runJobs === undefined && !options.wait) {
    await eachOf(posts, ports, async (post) => printQueued(await post()))
    return
  }
  const added: string[] = []
  await followJobs(ports, (signal) =>
    eachOf(posts, ports, async (post) => {
      const { project, queueId } = await queueJob(ports, () => post(signal), signal)
      added.push(project)
      return queueId
    }),
  )
  if (process.exitCode === undefined) ports.progress.remark(`Ask it: ${shownCommand(`ask ${added[0]} "your question"`)}`)
}

export function printQueued({ project, queueId }: Queued): void {
  printAnswer(`${project} is queued as job ${queueId}. Watch it with: ${shownCommand(`jobs ${queueId} --wait`)}`)
}
