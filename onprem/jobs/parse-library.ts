import { mkdir } from 'node:fs/promises'
import { join } from 'node:path'
import { AppError } from '../../shared/errors.ts'
import { findRef } from '../../shared/ingest/git-refs.ts'
import type { IngestReport, Skipped } from '../../shared/ingest/ingest.ts'
import { openRemote } from '../../shared/ingest/probe-git.ts'
import { removeTree } from '../../shared/ingest/remove-tree.ts'
import { parseRepoUrl } from '../../shared/ingest/repo-address.ts'
import { splitPool } from '../../shared/ingest/split-pool.ts'
import { parseLibraryId, versionName } from '../../shared/library.ts'
import type { StoredVersion } from '../store/sqlite-catalog.ts'
import { fetchDefault, fetchVersion } from './fetch-version.ts'
import { discard, indexVersion } from './index-version.ts'
import type { JobReport } from './job.ts'
import type { ClaimedJob } from './job-store.ts'
import { describe, heldFacts } from './library-facts.ts'
import type { Content, Fetched, JobProgress, ParsePorts, Run } from './run.ts'

/** What is served, by version. */
type Held = Map<string, StoredVersion>

const mostSkipped = 1000

/**
 * Repository → files → generations → the library switched to them in one write. Whatever goes wrong before that leaves the old content
 * served and nothing else behind.
 */
export async function parseLibrary(
  ports: ParsePorts,
  job: ClaimedJob,
  progress: JobProgress,
  signal: AbortSignal,
): Promise<JobReport> {
  const began = ports.now().getTime()
  const folder = join(ports.clones, String(job.id))
  const splits = splitPool(ports.limits.split)
  const stopReading = () => void splits.close()
  signal.addEventListener('abort', stopReading, { once: true })
  try {
    await removeTree(folder)
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
  const contents: Content[] = []
  const skipped: Skipped[] = []
  try {
    const fetched = isCurrent(run, held.get(''), run.job.request.branch) ? undefined : await fetchDefault(run)
    const facts = await indexDefault(run, fetched, held, contents)
    skipped.push(...(fetched?.skipped ?? []), ...(contents[0]?.report.skipped ?? []))
    for (const ref of versionsOf(run, fetched, held)) {
      const other = await indexOther(run, ref, held.get(versionName(ref)))
      if ('reason' in other) skipped.push(other)
      else if ('version' in other) contents.push(other)
    }
    signal.throwIfAborted()
    const versions = contents.map((each) => each.version)
    catalog.publish(facts, versions)
  } catch (error) {
    for (const content of contents) await discard(run, content)
    throw error
  }
  return reportOf(contents, skipped, held)
}

/** Writes the default content where it has changed, and answers what is known of the library. */
async function indexDefault(run: Run, fetched: Fetched | undefined, held: Held, contents: Content[]) {
  const project = run.catalog.find(run.id)
  const current = held.get('')
  const unchanged = fetched === undefined || isCurrent(run, current, fetched.ref)
  if (project && current && unchanged) {
    run.progress.say(`Commit ${current.commit.slice(0, 12)} is indexed already. Force parses it again.`)
    return heldFacts(run, project)
  }
  if (!fetched) throw new AppError('library_not_found', 'The library was deleted while it was parsed.')
  const content = await indexVersion(run, fetched, '', current)
  contents.push(content)
  const facts = await describe(run, fetched, content.report)
  await removeTree(fetched.folder)
  return facts
}
