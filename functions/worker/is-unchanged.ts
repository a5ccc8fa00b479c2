import pLimit from 'p-limit'
import { hasSameCommits } from '../../shared/indexing/has-same-commits.ts'
import type { JobRequest } from '../../shared/indexing/index-job.ts'
import { callerSettings, selection } from '../../shared/indexing/source-settings.ts'
import { parseLibraryId } from '../../shared/library.ts'
import type { GitAccess } from '../../shared/reading/git/git-access.ts'
import type { GitHosts } from '../../shared/reading/git/git-hosts.ts'
import { probeGit } from '../../shared/reading/git/probe-git.ts'
import { parseRepoUrl } from '../../shared/reading/git/repo-address.ts'
import { generationFormat } from '../../shared/store/generation-format.ts'
import type { LibraryRecord } from '../catalog/catalog-record.ts'
import type { HostedCatalog } from '../catalog/hosted-catalog.ts'
import type { HostedJob } from '../jobs/hosted-jobs.ts'

export type UnchangedPorts = {
  catalog: Pick<HostedCatalog, 'whole'>
  gitHosts(): GitHosts
  gitAccess: Omit<GitAccess, 'token'>
  /** Time limit of the request to the git host. */
  probeMs: number
  /** True if the content of a generation is stored as it was written. */
  isIntact(generation: string): Promise<boolean>
}

const checksAtOnce = 16

/**
 * True if a worker would find nothing to do: the last parse of a public library succeeded, it had the same settings, each version is at the
 * same commit, and its content is intact. In doubt false, so that a worker decides and reports.
 */
export async function isUnchanged(
  ports: UnchangedPorts,
  { project, request }: Pick<HostedJob, 'project' | 'request'>,
): Promise<boolean> {
  const record = await ports.catalog.whole(parseLibraryId(project))
  if (!record || !mayBeKept(request, record)) return false
  const address = parseRepoUrl(request.repoUrl, ports.gitHosts())
  const access = { ...ports.gitAccess, timeMs: ports.probeMs, signal: new AbortController().signal }
  const probed = await probeGit(address, access)
  if ('refused' in probed || probed.remote.moved || !hasSameCommits(probed.remote, request, record)) return false
  const generations = new Set(Array.from(record.versions.values(), ({ generation }) => generation))
  const intact = await pLimit(checksAtOnce).map(generations, ports.isIntact)
  return !intact.includes(false)
}

function mayBeKept(request: JobRequest, { library, settings, versions, lastError }: LibraryRecord): boolean {
  const { force, rebuild, adds, tree, anonymous, tagRule, schedule, source } = request
  if (force || rebuild || adds || tree !== undefined || !anonymous || library.private || lastError !== undefined) return false
  // Only a worker reads a source that is no repository.
  if (tagRule !== undefined || schedule !== undefined || source !== undefined) return false
  if (!versions.has('') || (settings.outdated ?? []).length > 0) return false
  if (selection(settings) !== selection(request)) return false
  if (JSON.stringify(callerSettings(settings)) !== JSON.stringify(callerSettings(request))) return false
  return [...versions.values()].every(({ format }) => format >= generationFormat)
}
