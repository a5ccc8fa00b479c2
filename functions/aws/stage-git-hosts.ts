import { z } from 'zod'
import { defaultGitHosts, type GitHosts } from '../../shared/reading/git/git-hosts.ts'
import { BaseUrl } from '../../shared/schemas/base-url.ts'
import { readEnvironment } from '../../shared/settings/read-environment.ts'

const Environment = z.object({
  GITHUB_BASE_URL: BaseUrl.default(defaultGitHosts.github.baseUrl),
  GITLAB_BASE_URL: BaseUrl.default(defaultGitHosts.gitlab.baseUrl),
})

/** The git hosts of a stage: GITHUB_BASE_URL and GITLAB_BASE_URL, or the public hosts. Throws validation_error. */
export function stageGitHosts(env: Record<string, string | undefined>): GitHosts {
  const { GITHUB_BASE_URL, GITLAB_BASE_URL } = readEnvironment(Environment, env)
  return { github: { baseUrl: GITHUB_BASE_URL }, gitlab: { baseUrl: GITLAB_BASE_URL } }
}
