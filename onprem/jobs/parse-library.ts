import { randomBytes } from 'node:crypto'
import { mkdir } from 'node:fs/promises'
import { join } from 'node:path'
import { AppError } from '../../shared/errors.ts'
import type { ProjectSettings } from '../../shared/ingest/discover/project-file.ts'
import { findRef } from '../../shared/ingest/git/git-refs.ts'
import { openRemote } from '../../shared/ingest/git/probe-git.ts'
import { removeTree } from '../../shared/ingest/git/remove-tree.ts'
import { parseRepoUrl } from '../../shared/ingest/git/repo-address.ts'
import type { Skipped } from '../../shared/ingest/ingest.ts'
import { splitPool } from '../../shared/ingest/split-pool.ts'
import { parseLibraryId, versionName } from '../../shared/library.ts'
import type { LibraryFacts, Project, SourceSettings, StoredVersion } from '../store/sqlite-catalog.ts'
import { fetchDefault, fetchVersion } from './fetch-version.ts'
import { indexVersion } from './index-version.ts'
import type { JobReport } from './job.ts'
import type { ClaimedJob } from './job-store.ts'
import { describe, heldFacts } from './library-facts.ts'
import type { Content, JobProgress, ParsePorts, Run } from './run.ts'

/** What is served, by version. */
type Held = Map<string, StoredVersion>

const mostSkipped = 1000

/**
 * Repository → files → generations → the library switched to them in one write. Whatever goes wrong before that leaves the old content
 * served; what was written until then is of no ended job and is swept.
 */
export async function parseLibrary(
  ports: ParsePorts,
  job: ClaimedJob,
  progress: JobProgress,
  signal: AbortSignal,
): Promise<JobReport> {
  const began = ports.now().getTime()
  const folder = join(ports.clones, `${job.id}-${randomBytes(4).toString('hex')}`)
  const splits = splitPool(ports.limits.split)
  const stopReading = () => void splits.close()
  signal.addEventListener('abort', stopReading, { once: true })
  try {
    await mkdir(folder, { recursive: true, mode: 0o700 })
    const hosts = ports.gitHosts()
    const address = parseRepoUrl(job.request.repoUrl, hosts)
    const token = job.request.anonymous ? undefined : hosts[address.platform].token
    progress.stage('Asking the host for branches and tags')
    const remote = await openRemote(address, { ...ports.gitAccess, token, timeMs: ports.limits.probeMs, signal })
    if (remote.moved) progress.say(`The repository has moved to ${remote.address.webUrl}; it is read from there.`)
    const id = parseLibraryId(job.project)
    const report = await parseVersions({ ...ports, job, id, progress, signal, splits, remote, token, folder })
    return { ...report, durationMs: ports.now().getTime() - began }
  } finally {
    signal.removeEventListener('abort', stopReading)
    await splits.close()
    await removeTree(folder).catch(() => progress.say('The clone cannot be removed now; the next start removes it.'))
  }
}

async function parseVersions(run: Run): Promise<JobReport> {
  const { catalog, id, signal } = run
  const held: Held = new Map(catalog.versions(id).map((each) => [each.version, each]))
  const same = isSameSource(run)
  const { facts, content, skipped, named } = await indexDefault(run, same, held.get(''))
  const contents = content ? [content] : []
  for (const ref of new Set([...(run.job.request.versions ?? []), ...named, ...refsOf(held)])) {
    const other = await indexOther(run, same, ref, held.get(versionName(ref)))
    if (other && 'reason' in other) skipped.push(other)
    else if (other) contents.push(other)
  }
  signal.throwIfAborted()
  catalog.publish(
    facts,
    contents.map((each) => each.version),
  )
  return reportOf(contents, skipped, held.get(''))
}

type Default = {
  facts: LibraryFacts
  /** Undefined where what is served is what the repository holds. */
  content: Content | undefined
  skipped: Skipped[]
  /** Tags and branches that the project file names. */
  named: string[]
}

async function indexDefault(run: Run, same: boolean, held: StoredVersion | undefined): Promise<Default> {
  const project = run.catalog.find(run.id)
  const unchanged = (at: { ref: string; commit: string }) => same && held?.ref === at.ref && held.commit === at.commit
  const keep = (of: Project, named: string[]): Default => {
    run.progress.say(`Commit ${held?.commit.slice(0, 12)} is indexed already. Force parses it again.`)
    return { facts: heldFacts(run, of), content: undefined, skipped: [], named }
  }
  const { name, commit } = findRef(run.remote, run.job.request.branch)
  if (project && unchanged({ ref: name, commit })) return keep(project, [])
  const fetched = await fetchDefault(run)
  const named = versionsIn(fetched.project)
  if (project && unchanged(fetched)) return keep(project, named)
  const content = await indexVersion(run, fetched, '', held)
  const facts = await describe(run, fetched, content.report)
  await removeTree(fetched.folder)
  return { facts, content, skipped: [...fetched.skipped, ...content.report.skipped], named }
}

/** Undefined where the version is indexed already. One that cannot be indexed is told in the report; it does not fail the library. */
async function indexOther(
  run: Run,
  same: boolean,
  ref: string,
  held: StoredVersion | undefined,
): Promise<Content | Skipped | undefined> {
  const name = versionName(ref)
  try {
    if (same && held?.commit === findRef(run.remote, ref).commit) return undefined
    const fetched = await fetchVersion(run, ref)
    const content = await indexVersion(run, fetched, name, held)
    await removeTree(fetched.folder)
    return content
  } catch (error) {
    run.signal.throwIfAborted()
    if (!(error instanceof AppError) || error.transient) throw error
    run.progress.say(`Version ${name}: ${error.message}`)
    return { path: `@${name}`, reason: error.message }
  }
}

/** Whether what is served was read from the same place with the same selection, so that an unchanged commit means unchanged content. */
function isSameSource({ job, catalog, id }: Run): boolean {
  const project = catalog.find(id)
  if (!project || project.imported || job.request.force) return false
  const selection = ({ branch, folders, excludeFolders, excludeFiles }: SourceSettings) =>
    JSON.stringify([branch, folders, excludeFolders, excludeFiles])
  return selection(catalog.settings(id)) === selection(job.request)
}

const refsOf = (held: Held): string[] => [...held.values()].filter(({ version }) => version !== '').map(({ ref }) => ref)

const versionsIn = ({ previousVersions = [], branchVersions = [] }: ProjectSettings): string[] => [
  ...previousVersions.map(({ tag }) => tag),
  ...branchVersions.map(({ branch }) => branch),
]

function reportOf(contents: Content[], skipped: Skipped[], held: StoredVersion | undefined): JobReport {
  const served = contents.find(({ version }) => version.version === '')?.version ?? held
  const others = contents.filter(({ version }) => version.version !== '')
  return {
    filesRead: contents.reduce((sum, { report }) => sum + report.filesRead, 0),
    skipped: skipped.sort((a, b) => (a.path < b.path ? -1 : 1)).slice(0, mostSkipped),
    snippetsBefore: held?.snippets ?? 0,
    snippetsAfter: served?.snippets ?? 0,
    tokens: others.reduce((sum, { version }) => sum + version.tokens, served?.tokens ?? 0),
    durationMs: 0,
    textsEmbedded: 0,
    llmTokens: 0,
  }
}
