import { type GitHosts, type Platform, platforms } from './git-hosts.ts'

/** `owner/repo`, also with the branch or tag and the folder, as the platform writes them. */
const shortForm = {
  github: /^[A-Za-z0-9][A-Za-z0-9_-]*\/[^/:@]+(?:\/?$|\/tree\/)/,
  gitlab: /^[A-Za-z0-9][A-Za-z0-9_-]*\/[^/:@]+(?:\/?$|\/-\/tree\/)/,
}

/**
 * The https address that a common short form stands for: `owner/repo`, an address without its scheme, `git@host:owner/repo.git` and
 * `ssh://git@host/owner/repo`. The host must be spelled as in the settings. Returns any other text unchanged.
 */
export function expandAddress(text: string, hosts: GitHosts, platform: Platform = 'github'): string {
  if (shortForm[platform].test(text)) return `${hosts[platform].baseUrl}/${text}`
  const bare = platforms.map((each) => hosts[each].baseUrl).find((baseUrl) => text.startsWith(`${withoutScheme(baseUrl)}/`))
  if (bare !== undefined) return bare + text.slice(withoutScheme(bare).length)
  const [, host, path] = /^ssh:\/\/git@([^/:@]+)\/(.*)$/.exec(text) ?? /^git@([^/:@]+):(.*)$/.exec(text) ?? []
  const meant = new Set(platforms.map((each) => hosts[each].baseUrl).filter((baseUrl) => new URL(baseUrl).hostname === host))
  const [baseUrl] = meant
  // ssh addresses have no base path, so one host with two base URLs is ambiguous.
  return baseUrl === undefined || meant.size > 1 ? text : `${baseUrl}/${path}`
}

const withoutScheme = (baseUrl: string): string => baseUrl.replace(/^https?:\/\//, '')
