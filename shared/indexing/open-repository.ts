import { printLibraryId } from '../library.ts'
import { fetchGit } from '../reading/git/fetch-git.ts'
import { openRemote, probeGit } from '../reading/git/probe-git.ts'
import { parseRepoUrl, type RepoAddress } from '../reading/git/repo-address.ts'
import { readRepositoryFacts } from '../reading/git/repository-facts.ts'
import type { OpenedSource } from '../reading/opened-source.ts'
import type { JobRequest } from './index-job.ts'
import type { IndexingPorts, JobProgress } from './job-run.ts'

export type OpenRepositoryPorts = Pick<IndexingPorts, 'gitAccess' | 'gitHosts' | 'gitToken' | 'appToken' | 'rejectMoved'> & {
  limits: Pick<IndexingPorts['limits'], 'probeMs' | 'clone'>
}

/** Asks the host for the branches and tags of a repository. Throws validation_error and what `openRemote` throws. */
export async function openRepository(
  { gitAccess, gitHosts, gitToken, appToken, rejectMoved, limits }: OpenRepositoryPorts,
  request: Pick<JobRequest, 'repoUrl' | 'anonymous'>,
  progress: Pick<JobProgress, 'log' | 'stage'>,
  signal: AbortSignal,
): Promise<OpenedSource> {
  const tokenFor = ({ host }: RepoAddress) => (request.anonymous ? undefined : gitToken(host.name))
  const requestToken = async (of: RepoAddress) => (request.anonymous ? undefined : appToken?.(of, signal))
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
    requestToken: () => requestToken(address),
  })
  if (remote.moved) rejectMoved?.(address, remote.address)
  if (remote.moved) progress.log(`The repository has moved to ${remote.address.webUrl}; it is read from there.`)
  /** With a token, a host answers more requests about public repositories. One that cannot be decrypted is not needed for them. */
  const tokenOf = async (of: RepoAddress): Promise<{ token?: string }> => {
    try {
      const token = tokenFor(of) ?? (await requestToken(of))
      return token === undefined ? {} : { token }
    } catch {
      return {}
    }
  }
  const token = remote.isPublic ? undefined : (tokenFor(address) ?? (await requestToken(address)))
  return {
    refs: remote.refs,
    defaultRef: remote.defaultRef,
    isPublic: remote.isPublic,
    url: remote.address.webUrl,
    files: { platform: remote.address.platform, webUrl: remote.address.webUrl },
    repository: {
      moved: remote.moved ? { from: address.webUrl, to: printLibraryId(remote.address.id) } : undefined,
      async isRedirected(from) {
        const old = parseRepoUrl(from, gitHosts())
        const probed = await probeGit(old, { ...gitAccess, ...(await tokenOf(old)), timeMs: limits.probeMs, signal })
        return 'remote' in probed && probed.remote.moved && probed.remote.address.webUrl === remote.address.webUrl
      },
      facts: async (ended) =>
        readRepositoryFacts(remote.address, {
          ...gitAccess,
          ...(await tokenOf(remote.address)),
          timeMs: limits.probeMs,
          signal: ended,
        }),
    },
    fetch: ({ ref, ...options }) =>
      fetchGit(remote, { ...gitAccess, token, limits: limits.clone, ...options, ...(ref !== undefined && { ref }) }),
  }
}
