import { randomBytes } from 'node:crypto'
import { mkdir, readFile } from 'node:fs/promises'
import { join } from 'node:path'
import { AppError } from '../../shared/errors.ts'
import { fetchGit } from '../../shared/ingest/fetch-git.ts'
import type { GitAccess } from '../../shared/ingest/git-access.ts'
import { findRef } from '../../shared/ingest/git-refs.ts'
import { type IngestProgress, type IngestReport, ingest, type Skipped } from '../../shared/ingest/ingest.ts'
import { packageNames } from '../../shared/ingest/package-names.ts'
import { openRemote, type Remote } from '../../shared/ingest/probe-git.ts'
import { type ProjectSettings, projectFileNames, readProjectFile } from '../../shared/ingest/project-file.ts'
import { removeTree } from '../../shared/ingest/remove-tree.ts'
import { type GitHosts, parseRepoUrl, type RepoAddress } from '../../shared/ingest/repo-address.ts'
import { mergeSelection } from '../../shared/ingest/selection.ts'
import { type SplitPool, splitPool } from '../../shared/ingest/split-pool.ts'
import { printLibraryId, versionName } from '../../shared/library.ts'
import type { SnippetStore } from '../../shared/search/snippet-store.ts'
import { cloneLimits, documentLimits, probeTimeMs, splitLimits } from '../limits.ts'
import type { LibraryFacts, NewVersion, ProjectCatalog, StoredVersion } from '../store/sqlite-catalog.ts'
import type { JobReport } from './job.ts'
import type { ClaimedJob } from './job-store.ts'

export type ParsePorts = {
  catalog: ProjectCatalog
  snippets: SnippetStore
  /** Where git may go, as the settings say now. */
  gitHosts(): GitHosts
  gitAccess: Omit<GitAccess, 'token'>
  /** Folder for clones. */
  clones: string
  now(): Date
}

export type JobProgress = IngestProgress & {
  say(line: string): void
  stage(message: string): void
  suspects: ReadonlySet<string>
}

/** What a run of a job works with. */
type Run = ParsePorts & {
  job: ClaimedJob
  progress: JobProgress
  signal: AbortSignal
  splits: SplitPool
  address: RepoAddress
  remote: Remote
  token: string | undefined
}
type Fetched = { dir: string; commit: string; ref: string; skipped: Skipped[]; project: ProjectSettings }
type Content = { version: NewVersion; report: IngestReport }

const mostSkipped = 1000

/** Fetches, cuts and indexes a repository and the versions asked for, then switches the library to the new content. */
export async function parseLibrary(
  ports: ParsePorts,
  job: ClaimedJob,
  progress: JobProgress,
  signal: AbortSignal,
): Promise<JobReport> {
  const began = ports.now().getTime()
  const folder = join(ports.clones, String(job.id))
  const splits = splitPool(splitLimits)
  try {
    await removeTree(folder)
    await mkdir(folder, { recursive: true, mode: 0o700 })
    const hosts = ports.gitHosts()
    const address = parseRepoUrl(job.request.repoUrl, hosts)
    const token = job.request.anonymous ? undefined : hosts[address.platform].token
    progress.stage('Asking the host for branches and tags')
    const remote = await openRemote(address, { ...ports.gitAccess, token, timeMs: probeTimeMs, signal })
    if (remote.moved) progress.say(`The repository has moved to ${remote.address.webUrl}; it is read from there.`)
    const run = { ...ports, job, progress, signal, splits, address, remote, token }
    const report = await parseAll(run, folder)
    return { ...report, durationMs: ports.now().getTime() - began }
  } finally {
    await splits.close()
    await removeTree(folder)
  }
}

async function parseAll(run: Run, folder: string): Promise<JobReport> {
  const { job, catalog, address, progress } = run
  const before = catalog.versions(address.id)
  const asked = job.request.branch ?? address.branch
  const unchanged = unchangedVersion(run, before, asked)
  const fetched = unchanged && !job.request.versions?.length ? undefined : await fetchDefault(run, folder, asked)
  if (!fetched) {
    progress.say(`Commit ${unchanged?.commit.slice(0, 12)} is indexed already; nothing to do. Force parses it again.`)
    return emptyReport(unchanged?.snippets ?? 0, unchanged?.tokens ?? 0)
  }
  const contents: Content[] = []
  const skipped: Skipped[] = []
  try {
    contents.push(await indexTree(run, fetched, ''))
    refuseLoss(run, contents[0] as Content, before)
    skipped.push(...fetched.skipped, ...(contents[0]?.report.skipped ?? []))
    for (const ref of versionsOf(run, fetched)) {
      const other = await indexVersion(run, folder, ref)
      if ('reason' in other) skipped.push(other)
      else contents.push(other)
    }
    run.signal.throwIfAborted()
    const facts = await describe(run, fetched, contents[0] as Content)
    catalog.publish(
      facts,
      contents.map((each) => each.version),
    )
  } catch (error) {
    for (const { version } of contents) await discard(run, version.generation)
    throw error
  }
  const reports = contents.map((each) => each.report)
  const sum = (of: (report: IngestReport) => number) => reports.reduce((total, each) => total + of(each), 0)
  return {
    ...emptyReport(
      0,
      sum((each) => each.tokens),
    ),
    filesRead: sum((each) => each.filesRead),
    skipped: skipped.sort((a, b) => (a.path < b.path ? -1 : 1)).slice(0, mostSkipped),
    snippetsBefore: before.find((each) => each.version === '')?.snippets ?? 0,
    snippetsAfter: contents[0]?.report.snippets ?? 0,
  }
}

/** The default content where nothing could have changed since it was indexed. */
function unchangedVersion(
  { job, remote, catalog, address }: Run,
  before: StoredVersion[],
  asked: string | undefined,
): StoredVersion | undefined {
  const { branch, versions, folders, excludeFolders, excludeFiles } = job.request
  const stored = catalog.settings(address.id)
  const same = JSON.stringify([stored.branch, stored.versions, stored.folders, stored.excludeFolders, stored.excludeFiles])
  if (job.request.force || same !== JSON.stringify([branch, versions, folders, excludeFolders, excludeFiles])) return undefined
  const current = before.find((each) => each.version === '')
  const ref = asked ?? current?.ref
  return current && findRef(remote, ref).commit === current.commit ? current : undefined
}

async function fetchDefault(run: Run, folder: string, asked: string | undefined): Promise<Fetched> {
  const fetched = await fetchTree(run, folder, asked)
  const branch = fetched.project.branch
  if (asked !== undefined || branch === undefined || branch === fetched.ref) return fetched
  run.progress.say(`The project file names the branch ${branch}.`)
  return fetchTree(run, folder, branch)
}

async function fetchTree(
  { progress, remote, token, gitAccess, signal }: Run,
  folder: string,
  ref: string | undefined,
): Promise<Fetched> {
  const into = join(folder, randomBytes(4).toString('hex'))
  await mkdir(into)
  const onProgress = ({ stage, percent }: { stage: string; percent: number }) => progress.stage(`${stage}: ${percent} %`)
  const tree = await fetchGit(remote, { ...gitAccess, token, ref, into, limits: cloneLimits, signal, onProgress })
  progress.say(`Fetched ${tree.ref} at ${tree.commit.slice(0, 12)}.`)
  const { settings, problems } = await readProjectSettings(tree.dir)
  for (const problem of problems) progress.say(`Project file: ${problem}`)
  return { ...tree, project: settings }
}

async function readProjectSettings(dir: string): Promise<{ settings: ProjectSettings; problems: string[] }> {
  for (const name of projectFileNames) {
    const text = await readFile(join(dir, name), 'utf8').catch(() => undefined)
    if (text !== undefined) return readProjectFile(text)
  }
  return { settings: {}, problems: [] }
}

async function indexTree(run: Run, { dir, commit, ref, project }: Fetched, version: string): Promise<Content> {
  const { job, catalog, progress, snippets, splits, remote, signal } = run
  const generation = `g${job.id}-${randomBytes(6).toString('hex')}`
  catalog.reserve(generation, job.id)
  const selection = mergeSelection(job.request, project)
  const work = {
    root: dir,
    address: remote.address,
    commit,
    selection,
    limits: documentLimits,
    generation,
    suspects: progress.suspects,
  }
  const report = await ingest({ snippets, splits, progress }, work, signal)
  progress.say(
    `${version === '' ? ref : version}: ${report.snippets} snippets from ${report.filesRead} files, ${report.skipped.length} skipped.`,
  )
  const rules = project.rules ?? []
  return { report, version: { version, ref, generation, commit, rules, tokens: report.tokens, snippets: report.snippets } }
}

/** A version that cannot be indexed is told in the report; it does not fail the library. */
async function indexVersion(run: Run, folder: string, ref: string): Promise<Content | Skipped> {
  const name = versionName(ref)
  try {
    const found = findRef(run.remote, ref)
    const held = run.catalog.versions(run.address.id).find((each) => each.version === name)
    if (held?.commit === found.commit && !run.job.request.force)
      return { path: `@${name}`, reason: 'its commit is indexed already' }
    return await indexTree(run, await fetchTree(run, folder, ref), name)
  } catch (error) {
    run.signal.throwIfAborted()
    if (!(error instanceof AppError) || error.transient) throw error
    run.progress.say(`Version ${name}: ${error.message}`)
    return { path: `@${name}`, reason: error.message }
  }
}

function versionsOf({ job }: Run, { project }: Fetched): string[] {
  const owner = [
    ...(project.previousVersions ?? []).map((each) => each.tag),
    ...(project.branchVersions ?? []).map((each) => each.branch),
  ]
  return [...new Set([...(job.request.versions ?? []), ...owner])]
}

function refuseLoss({ job, address }: Run, { report }: Content, before: StoredVersion[]): void {
  const held = before.find((each) => each.version === '')?.snippets ?? 0
  if (job.request.force || report.snippets * 2 >= held) return
  throw new AppError(
    'library_too_large',
    `The new content has ${report.snippets} snippets where ${printLibraryId(address.id)} has ${held}: more than half would be lost. The old content stays; parse with force to accept the loss.`,
  )
}

async function describe(
  { job, address, remote, signal }: Run,
  { dir, ref, project }: Fetched,
  { report }: Content,
): Promise<LibraryFacts> {
  signal.throwIfAborted()
  const names = await packageNames(dir)
  const { branch, versions, folders, excludeFolders, excludeFiles } = job.request
  const readmeTitle = report.readme && report.readme.title.length <= 60 ? report.readme.title : undefined
  return {
    id: printLibraryId(address.id),
    title: project.projectTitle ?? names.title ?? readmeTitle ?? address.id.repo,
    description:
      project.description ??
      names.description ??
      (firstWords(report.readme?.lead ?? '') || `Documentation of ${address.id.owner}/${address.id.repo}`),
    branch: ref,
    sourceUrl: remote.address.webUrl,
    private: !remote.isPublic,
    aliases: names.names,
    settings: { branch, versions, folders, excludeFolders, excludeFiles },
  }
}

function firstWords(prose: string): string {
  const paragraph = prose.split('\n\n').find((each) => /\p{L}{3}.* \p{L}/u.test(each)) ?? ''
  const plain = paragraph.replace(/\s+/g, ' ').replace(/[*_`]/g, '').trim()
  return plain.length <= 200 ? plain : `${plain.slice(0, 199).replace(/\s\S*$/, '')}…`
}

async function discard({ snippets, catalog }: Run, generation: string): Promise<void> {
  await snippets.drop(generation)
  catalog.forget(generation)
}

const emptyReport = (snippets: number, tokens: number): JobReport => ({
  filesRead: 0,
  skipped: [],
  snippetsBefore: snippets,
  snippetsAfter: snippets,
  tokens,
  durationMs: 0,
  textsEmbedded: 0,
  llmTokens: 0,
})
