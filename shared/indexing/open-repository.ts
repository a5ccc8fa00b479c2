import { openRemote } from '../reading/git/probe-git.ts'
import { parseRepoUrl, type RepoAddress } from '../reading/git/repo-address.ts'
import type { JobRequest } from './index-job.ts'
import type { IndexingPorts, JobProgress, OpenRemote } from './job-run.ts'

export type OpenRepositoryPorts = Pick<IndexingPorts, 'gitAccess' | 'gitHosts' | 'gitToken'> & {
  limits: Pick<IndexingPorts['limits'], 'probeMs'>
}

/** Asks the host for the branches and tags of a repository. Throws validation_error and what `openRemote` throws. */
export async function openRepository(
  { gitAccess, gitHosts, gitToken, limits }: OpenRepositoryPorts,
  request: Pick<JobRequest, 'repoUrl' | 'anonymous'>,
  progress: Pick<JobProgress, 'log' | 'stage'>,
  signal: AbortSignal,
): Promise<OpenRemote> {
  const tokenFor = ({ platform }: RepoAddress) => (request.anonymous ? undefined : gitToken(platform))
  const address = parseRepoUrl(request.repoUrl, gitHosts())
  progress.stage(`Asking the host ${new URL(address.baseUrl).host} for branches and tags`)
  const remote = await openRemote(address, {
    ...gitAccess,
    timeMs: limits.probeMs,
    signal,
    // The token is decrypted only when it is needed: a public repository can be read even if the stored token cannot.
    get token() {
      return tokenFor(address)
    },
  })
  if (remote.moved) progress.log(`The repository has moved to ${remote.address.webUrl}; it is read from there.`)
  return { remote, token: remote.isPublic ? undefined : tokenFor(address) }
}
