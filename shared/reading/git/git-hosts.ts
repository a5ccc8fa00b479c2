export type Platform = 'github' | 'gitlab'

/** The hosts in the settings, as `BaseUrl` normalizes them. No other host is ever contacted. */
export type GitHosts = Record<Platform, { baseUrl: string }>

export const defaultGitHosts: GitHosts = {
  github: { baseUrl: 'https://github.com' },
  gitlab: { baseUrl: 'https://gitlab.com' },
}

export const platforms: readonly Platform[] = ['github', 'gitlab']
