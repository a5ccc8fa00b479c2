import { z } from 'zod'
import { AppError } from '../../errors.ts'
import { openConnections } from '../../network/connections.ts'
import { visibleText } from '../../text/visible-text.ts'
import { networkOf } from './git-access.ts'
import { gitRequest } from './git-request.ts'
import type { ProbeOptions } from './probe-git.ts'
import type { RepoAddress } from './repo-address.ts'
import { apiUrl } from './token-owner.ts'

/** The facts of a repository, from the API of its host. An unknown fact is absent. */
export type RepositoryFacts = {
  /** The number of the repository at its host, which a new name does not change. */
  hostId: string
  description?: string | undefined
  stars?: number | undefined
  /** SPDX id. */
  license?: string | undefined
  topics?: string[] | undefined
  archived?: boolean | undefined
  defaultBranch?: string | undefined
}

/** The last known facts of the repository of a library. */
export type RepositoryState = Partial<RepositoryFacts> & {
  /** The address that it was read from. */
  address: string
  /** The id of its new name, if its host has redirected the old one, which the library keeps. */
  movedTo?: string | undefined
  /** The old address, which is asked at each refresh whether it still redirects. */
  movedFrom?: string | undefined
  /** The reason why its host does not show it any more. The content of the library stays. */
  unavailable?: string | undefined
}

const maxAnswerBytes = 2 ** 20
const maxMs = 5_000
const maxTopics = 50

const text = (maxChars: number) =>
  z
    .string()
    .min(1)
    .overwrite((value) => visibleText(value).slice(0, maxChars))
    .optional()
    .catch(undefined)
const count = z.int().min(0).optional().catch(undefined)
const topics = z
  .array(z.string().max(100).overwrite(visibleText))
  .overwrite((names) => names.slice(0, maxTopics))
  .optional()
  .catch(undefined)
const flag = z.boolean().optional().catch(undefined)
/** NOASSERTION and `other` are licenses that the host does not know. */
const license = z
  .string()
  .regex(/^(?!NOASSERTION$|other$)[A-Za-z0-9.+_-]{1,64}$/i)
  .optional()
  .catch(undefined)

/** `GET /repos/{owner}/{repo}` of GitHub, from docs.github.com/rest/repos/repos, November 2026. */
const GithubRepository = z.object({
  id: z.int(),
  description: text(1_000),
  stargazers_count: count,
  license: z.object({ spdx_id: license }).optional().catch(undefined),
  topics,
  archived: flag,
  default_branch: text(255),
})
/** `GET /projects/{id}?license=true` of GitLab, from docs.gitlab.com/api/projects, November 2026. */
const GitlabProject = z.object({
  id: z.int(),
  description: text(1_000),
  star_count: count,
  license: z.object({ key: license }).optional().catch(undefined),
  topics,
  archived: flag,
  default_branch: text(255),
})

/**
 * Asks the API of the host of a repository for its facts, with one request. Undefined if the API does not respond like one within 5 s, or if the
 * token may not read the repository.
 */
export async function readRepositoryFacts(address: RepoAddress, options: ProbeOptions): Promise<RepositoryFacts | undefined> {
  const { token } = options
  const url = factsUrl(address)
  if (url === undefined) return undefined
  const timeMs = Math.min(maxMs, options.timeMs)
  const signal = AbortSignal.any([options.signal, AbortSignal.timeout(timeMs)])
  const connections = await openConnections(networkOf(address, options), timeMs)
  const headers = { accept: 'application/json', ...(token !== undefined && { authorization: `Bearer ${token}` }) }
  try {
    const limit = { bytes: maxAnswerBytes, error: () => new AppError('provider_unavailable', 'The API sent more than 1 MB.') }
    const { status, body } = await gitRequest(url, { connections, headers, signal, limit })
    return status === 200 ? factsIn(address, JSON.parse(body.toString())) : undefined
  } catch {
    options.signal.throwIfAborted()
    return undefined
  } finally {
    connections.close()
  }
}

/** The API of other platforms is not asked. */
function factsUrl({ platform, baseUrl, webUrl }: RepoAddress): string | undefined {
  const path = webUrl.slice(baseUrl.length + 1)
  if (platform === 'gitlab') return `${apiUrl({ platform, baseUrl })}/projects/${encodeURIComponent(path)}?license=true`
  return platform === 'github' ? `${apiUrl({ platform, baseUrl })}/repos/${path}` : undefined
}

function factsIn({ platform }: RepoAddress, answer: unknown): RepositoryFacts {
  if (platform === 'gitlab') {
    const { id, star_count: stars, license, default_branch: defaultBranch, ...facts } = GitlabProject.parse(answer)
    return { ...facts, hostId: String(id), stars, license: license?.key, defaultBranch }
  }
  const { id, stargazers_count: stars, license, default_branch: defaultBranch, ...facts } = GithubRepository.parse(answer)
  return { ...facts, hostId: String(id), stars, license: license?.spdx_id, defaultBranch }
}
