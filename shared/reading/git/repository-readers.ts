import { z } from 'zod'
import { AppError } from '../../errors.ts'
import { openConnections } from '../../network/connections.ts'
import { networkOf } from './git-access.ts'
import { gitRequest } from './git-request.ts'
import type { ProbeOptions } from './remote.ts'
import type { RepoAddress } from './repo-address.ts'
import { apiUrl } from './token-owner.ts'

/** The people whom the host of a repository lets read it: everyone, all people with an account there, or these accounts in small letters. */
export type RepositoryReaders = 'everyone' | 'accounts' | string[]

const maxAnswerBytes = 4 * 2 ** 20
const perPage = 100
/** More accounts than this are an error, because those beyond would be refused without a reason. */
const maxAccounts = 20_000

const Login = z.string().max(255).toLowerCase()

/** `GET /repos/{owner}/{repo}` and `…/collaborators`, from docs.github.com/rest/collaborators, November 2026. All collaborators may read. */
const GithubRepository = z.object({ visibility: z.string().optional(), private: z.boolean() })
const GithubPeople = z.array(z.object({ login: Login }))

/**
 * `GET /projects/{id}` and `…/members/all`, from docs.gitlab.com/api/members, November 2026: guests (10) and planners (15) cannot read the
 * repository of a private project.
 */
const GitlabProject = z.object({ visibility: z.string() })
const GitlabPeople = z.array(z.object({ username: Login, state: z.string(), access_level: z.int() }))
const reporter = 20

/** True for a host whose API tells who may read a repository. */
export const tellsReaders = ({ platform }: Pick<RepoAddress, 'platform'>): boolean =>
  platform === 'github' || platform === 'gitlab'

/**
 * Asks the API of GitHub or GitLab who may read a repository. Throws an AppError if the host does not answer in time, or does not tell it to the
 * token.
 */
export async function readRepositoryReaders(address: RepoAddress, options: ProbeOptions): Promise<RepositoryReaders> {
  const connections = await openConnections(networkOf(address, options), options.timeMs)
  const signal = AbortSignal.any([options.signal, AbortSignal.timeout(options.timeMs)])
  const { token } = options
  const headers = { accept: 'application/json', ...(token !== undefined && { authorization: `Bearer ${token}` }) }
  const limit = { bytes: maxAnswerBytes, error: () => untold(address, 'its API sent more than 4 MB') }
  const get = async <T>(url: string, answer: z.ZodType<T>): Promise<T> => {
    const { status, body } = await gitRequest(url, { connections, headers, signal, limit })
    if (status !== 200) throw untold(address, `its API answered with status ${status}`)
    const { data } = answer.safeParse(jsonOf(body))
    if (data === undefined) throw untold(address, 'its API answered something else')
    return data
  }
  const all = async <T>(url: string, people: z.ZodType<T[]>, accountOf: (person: T) => string | undefined): Promise<string[]> => {
    const accounts = new Set<string>()
    for (let page = 1; ; page++) {
      const some = await get(`${url}?per_page=${perPage}&page=${page}`, people)
      for (const account of some.map(accountOf)) if (account !== undefined) accounts.add(account)
      if (some.length < perPage) return [...accounts].sort()
      if (accounts.size > maxAccounts) throw untold(address, `it lists more than ${maxAccounts} accounts`)
    }
  }
  try {
    const path = address.webUrl.slice(address.baseUrl.length + 1)
    if (address.platform === 'gitlab') {
      const url = `${apiUrl({ platform: 'gitlab', baseUrl: address.baseUrl })}/projects/${encodeURIComponent(path)}`
      const { visibility } = await get(url, GitlabProject)
      if (visibility === 'public') return 'everyone'
      if (visibility === 'internal') return 'accounts'
      return await all(`${url}/members/all`, GitlabPeople, ({ username, state, access_level }) =>
        state === 'active' && access_level >= reporter ? username : undefined,
      )
    }
    const url = `${apiUrl({ platform: 'github', baseUrl: address.baseUrl })}/repos/${path}`
    const repository = await get(url, GithubRepository)
    if (!repository.private && (repository.visibility ?? 'public') === 'public') return 'everyone'
    return await all(`${url}/collaborators`, GithubPeople, ({ login }) => login)
  } catch (error) {
    options.signal.throwIfAborted()
    throw error instanceof AppError ? error : untold(address, 'it did not answer in time', error)
  } finally {
    connections.close()
  }
}

function jsonOf(body: Buffer): unknown {
  try {
    return JSON.parse(body.toString())
  } catch {
    return undefined
  }
}

const untold = ({ webUrl }: RepoAddress, why: string, cause?: unknown): AppError =>
  new AppError('provider_unavailable', `The host of ${webUrl} does not tell who may read it: ${why}.`, {
    cause,
    retry: 'limited',
  })
