import { z } from 'zod'
import { defaultGitHosts, type GitHosts, withBitbucket } from '../../shared/reading/git/git-hosts.ts'
import { BaseUrl } from '../../shared/schemas/base-url.ts'
import { GitHostList } from '../../shared/schemas/git-host-list.ts'
import { readEnvironment } from '../../shared/settings/read-environment.ts'

const Environment = z.object({
  GITHUB_BASE_URL: BaseUrl.default(defaultGitHosts.github.baseUrl),
  GITLAB_BASE_URL: BaseUrl.default(defaultGitHosts.gitlab.baseUrl),
  GIT_HOSTS: GitHostList.default([]),
})

/** The git hosts of a stage: GITHUB_BASE_URL and GITLAB_BASE_URL, or the public hosts, Bitbucket, and those of the list GIT_HOSTS. Throws validation_error. */
export function stageGitHosts(env: Record<string, string | undefined>): GitHosts {
  const { GITHUB_BASE_URL, GITLAB_BASE_URL, GIT_HOSTS } = readEnvironment(Environment, env)
  return withBitbucket({ github: { baseUrl: GITHUB_BASE_URL }, gitlab: { baseUrl: GITLAB_BASE_URL }, others: GIT_HOSTS })
}
