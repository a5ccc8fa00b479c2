import { type GitHosts, type Platform, platforms } from './git-hosts.ts'

/** `owner/repo`, also with the branch or tag and the folder, as the platform writes them. */
const shortForm = {
  github: /^[A-Za-z0-9][A-Za-z0-9_-]*\/[^/:@]+(?:\/?$|\/tree\/)/,
  gitlab: /^[A-Za-z0-9][A-Za-z0-9_-]*\/[^/:@]+(?:\/?$|\/-\/tree\/)/,
}

/**
 * The address that a common form means, with the host as in the settings: `owner/repo`, an address without its scheme, with `http://`
 * for https or with `www.`, `git@host:owner/repo.git` and `ssh://git@host/owner/repo`. Returns any other text unchanged.
 */
export function expandAddress(text: string, hosts: GitHosts, platform: Platform = 'github'): string {
  const baseUrls = platforms.map((each) => hosts[each].baseUrl)
  if (shortForm[platform].test(text)) return `${hosts[platform].baseUrl}/${text}`
  for (const bare of [text.replace(/^http:\/\//, ''), text.replace(/^(?:https?:\/\/)?www\./, '')]) {
    const baseUrl = baseUrls.find((each) => `${bare}/`.startsWith(`${withoutScheme(each)}/`))
    if (baseUrl !== undefined) return baseUrl + bare.slice(withoutScheme(baseUrl).length)
  }
  const [, host, path] = /^ssh:\/\/git@([^/:@]+)\/(.*)$/.exec(text) ?? /^git@([^/:@]+):(.*)$/.exec(text) ?? []
  const meant = new Set(baseUrls.filter((baseUrl) => new URL(baseUrl).hostname === host))
  const [baseUrl] = meant
  // ssh addresses have no base path, so one host with two base URLs is ambiguous.
  return baseUrl === undefined || meant.size > 1 ? text : `${baseUrl}/${path}`
}

const withoutScheme = (baseUrl: string): string => baseUrl.replace(/^https?:\/\//, '')
