import { AppError } from '../../shared/errors.ts'
import { defaultGitHosts, type GitHosts } from '../../shared/reading/git/git-hosts.ts'
import { BaseUrl } from '../../shared/schemas/base-url.ts'

type Env = Record<string, string | undefined>

/** The git hosts of a stage: GITHUB_BASE_URL and GITLAB_BASE_URL, or the public hosts. Throws validation_error. */
export const stageGitHosts = (env: Env): GitHosts => ({
  github: { baseUrl: addressIn(env, 'GITHUB_BASE_URL') ?? defaultGitHosts.github.baseUrl },
  gitlab: { baseUrl: addressIn(env, 'GITLAB_BASE_URL') ?? defaultGitHosts.gitlab.baseUrl },
})

/** An empty variable is treated as unset. */
function addressIn(env: Env, name: string): string | undefined {
  if (!env[name]) return undefined
  const read = BaseUrl.safeParse(env[name])
  if (read.success) return read.data
  throw new AppError('validation_error', `${name} ${read.error.issues[0]?.message}.`)
}
