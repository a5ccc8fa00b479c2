import { z } from 'zod'
import { AppError } from '../../errors.ts'
import { openConnections } from '../../network/connections.ts'
import type { Platform } from '../../schemas/git-host.ts'
import { visibleText } from '../../text/visible-text.ts'
import { authorization, networkOf } from './git-access.ts'
import { gitRequest } from './git-request.ts'
import type { ProbeOptions } from './remote.ts'
import type { RepoAddress } from './repo-address.ts'
import { apiUrl } from './token-owner.ts'

/** The facts of a repository, from the API of its host. An unknown fact is absent. */
export type RepositoryFacts = {
  /** The number or UUID of the repository at its host, which a new name does not change. */
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

const name = text(255)
const description = text(1_000)
/** Numbers and UUIDs. */
const hostId = z.union([z.int(), z.string().min(1).max(100)]).transform(String)

type Api = {
  /** The address of a repository, from the address of its host and the path of its web page. */
  url(baseUrl: string, path: string): string
  /** Reads its answer. Throws if that is about no repository. */
  facts: z.ZodType<RepositoryFacts>
}

/** `GET /repos/{owner}/{repo}`, from docs.github.com/rest/repos/repos, November 2026. */
const github: Api = {
  url: (baseUrl, path) => `${apiUrl({ platform: 'github', baseUrl })}/repos/${path}`,
  facts: z
    .object({
      id: hostId,
      description,
      stargazers_count: count,
      license: z.object({ spdx_id: license }).optional().catch(undefined),
      topics,
      archived: flag,
      default_branch: name,
    })
    .transform(({ id, stargazers_count: stars, license, default_branch: defaultBranch, ...facts }) => ({
      ...facts,
      hostId: id,
      stars,
      license: license?.spdx_id,
      defaultBranch,
    })),
}

/** `GET /projects/{id}?license=true`, from docs.gitlab.com/api/projects, November 2026. */
const gitlab: Api = {
  url: (baseUrl, path) => `${apiUrl({ platform: 'gitlab', baseUrl })}/projects/${encodeURIComponent(path)}?license=true`,
  facts: z
    .object({
      id: hostId,
      description,
      star_count: count,
      license: z.object({ key: license }).optional().catch(undefined),
      topics,
      archived: flag,
      default_branch: name,
    })
    .transform(({ id, star_count: stars, license, default_branch: defaultBranch, ...facts }) => ({
      ...facts,
      hostId: id,
      stars,
      license: license?.key,
      defaultBranch,
    })),
}

/** `GET /repos/{owner}/{repo}` of Gitea and Forgejo, from modules/structs/repo.go of Gitea, November 2026. Forgejo tells no license. */
const gitea: Api = {
  url: (baseUrl, path) => `${apiUrl({ platform: 'gitea', baseUrl })}/repos/${path}`,
  facts: z
    .object({
      id: hostId,
      description,
      stars_count: count,
      licenses: z.array(license).optional().catch(undefined),
      topics,
      archived: flag,
      default_branch: name,
    })
    .transform(({ id, stars_count: stars, licenses = [], default_branch: defaultBranch, ...facts }) => ({
      ...facts,
      hostId: id,
      stars,
      // Several licenses are alternatives, or those of several parts: no id names them.
      license: licenses.length === 1 ? licenses[0] : undefined,
      defaultBranch,
    })),
}

/** `GET /repositories/{workspace}/{repo_slug}`, from developer.atlassian.com/cloud/bitbucket/rest, November 2026. It has no stars or licenses. */
const bitbucket: Api = {
  url(baseUrl, path) {
    const { protocol, host } = new URL(baseUrl)
    return `${host === 'bitbucket.org' ? `${protocol}//api.${host}` : `${baseUrl}/api`}/2.0/repositories/${path}`
  },
  facts: z
    .object({ uuid: hostId, description, mainbranch: z.object({ name }).optional().catch(undefined) })
    .transform(({ uuid, description, mainbranch }) => ({ hostId: uuid, description, defaultBranch: mainbranch?.name })),
}

/**
 * `GET /rest/api/latest/projects/{projectKey}/repos/{repositorySlug}`, from developer.atlassian.com/server/bitbucket/rest, November 2026.
 * Repositories of a user are in the project `~name`.
 */
const bitbucketServer: Api = {
  url: (baseUrl, path) => `${baseUrl}/rest/api/latest/${path.replace(/^users\//, 'projects/~')}`,
  facts: z.object({ id: hostId, description, archived: flag }).transform(({ id, ...facts }) => ({ ...facts, hostId: id })),
}

/**
 * `GET /{organization}/{project}/_apis/git/repositories/{repository}`, from learn.microsoft.com/rest/api/azure/devops/git/repositories, November
 * 2026. Servers accept the versions of the API before their own.
 */
const azure: Api = {
  url: (baseUrl, path) => `${baseUrl}/${path.replace(/\/_git\/([^/]+)$/, '/_apis/git/repositories/$1')}?api-version=5.0`,
  facts: z
    .object({ id: hostId, defaultBranch: name })
    .transform(({ id, defaultBranch }) => ({ hostId: id, defaultBranch: defaultBranch?.replace(/^refs\/heads\//, '') })),
}

/** The API of a `git` host is unknown. */
const apis: Record<Platform, Api | undefined> = {
  github,
  gitlab,
  gitea,
  bitbucket,
  'bitbucket-server': bitbucketServer,
  azure,
  git: undefined,
}

/**
 * Asks the API of the host of a repository for its facts, with one request. Undefined if the API does not respond like one within 5 s, or if the
 * token may not read the repository.
 */
export async function readRepositoryFacts(address: RepoAddress, options: ProbeOptions): Promise<RepositoryFacts | undefined> {
  const { token } = options
  const api = apis[address.platform]
  if (!api) return undefined
  const url = api.url(address.baseUrl, address.webUrl.slice(address.baseUrl.length + 1))
  const timeMs = Math.min(maxMs, options.timeMs)
  const signal = AbortSignal.any([options.signal, AbortSignal.timeout(timeMs)])
  const connections = await openConnections(networkOf(address, options), timeMs)
  const headers = { accept: 'application/json', ...(token !== undefined && { authorization: apiAuthorization(address, token) }) }
  try {
    const limit = { bytes: maxAnswerBytes, error: () => new AppError('provider_unavailable', 'The API sent more than 1 MB.') }
    const { status, body } = await gitRequest(url, { connections, headers, signal, limit })
    return status === 200 ? api.facts.parse(JSON.parse(body.toString())) : undefined
  } catch {
    options.signal.throwIfAborted()
    return undefined
  } finally {
    connections.close()
  }
}

/** A token of Azure DevOps is a password, and so is one of Bitbucket that belongs to a user. */
function apiAuthorization(address: RepoAddress, token: string): string {
  const { platform, host } = address
  const isPassword = platform === 'azure' || (platform.startsWith('bitbucket') && host.user !== undefined)
  return isPassword ? authorization(address, token) : `Bearer ${token}`
}
