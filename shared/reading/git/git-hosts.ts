import type { GitHost, GitSource } from '../../schemas/git-host.ts'

/** The hosts in the settings. No other host is ever contacted. */
export type GitHosts = {
  github: { baseUrl: string; appId?: string | undefined }
  gitlab: { baseUrl: string }
  others?: readonly GitHost[]
}

/** The hosts with settings of their own. */
export type FieldHost = 'github' | 'gitlab'

export const defaultGitHosts: GitHosts = {
  github: { baseUrl: 'https://github.com' },
  gitlab: { baseUrl: 'https://gitlab.com' },
}

export const listHosts = ({ github, gitlab, others = [] }: GitHosts): GitHost[] => [
  { name: 'github', kind: 'github', ...github },
  { name: 'gitlab', kind: 'gitlab', ...gitlab },
  ...others,
]

/** `https://a.example/, https://b.example/ and https://c.example/` */
export function hostList(hosts: GitHosts): string {
  const urls = listHosts(hosts).map(({ baseUrl }) => `${baseUrl}/`)
  return `${urls.slice(0, -1).join(', ')} and ${urls.at(-1)}`
}

export function isFrom(source: GitSource, { name, kind }: Pick<GitHost, 'name' | 'kind'>): boolean {
  if (source === 'git') return name !== 'github' && name !== 'gitlab'
  return kind === source || (source === 'bitbucket' && kind === 'bitbucket-server')
}

/** The hosts of the hosted half that a teamspace may store a token for. */
export const tokenHosts = ['github', 'gitlab', 'bitbucket'] as const
export type TokenHost = (typeof tokenHosts)[number]

const bitbucket: GitHost = { name: 'bitbucket', kind: 'bitbucket', baseUrl: 'https://bitbucket.org' }

/** The hosts of the hosted half: with bitbucket.org, unless the settings have a host of that name or address. */
export function withBitbucket(hosts: GitHosts): GitHosts {
  const isListed = listHosts(hosts).some(({ name, baseUrl }) => name === bitbucket.name || baseUrl === bitbucket.baseUrl)
  return isListed ? hosts : { ...hosts, others: [...(hosts.others ?? []), bitbucket] }
}
