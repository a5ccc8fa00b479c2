import type { GitSource } from '../../schemas/git-host.ts'
import { type GitHosts, listHosts } from './git-hosts.ts'
import { platformPaths } from './platform-paths.ts'

/**
 * The address that a common form means, with the host as in the settings: `owner/repo`, an address without its scheme, with `http://`
 * for https or with `www.`, `git@host:owner/repo.git` and `ssh://git@host/owner/repo`. Returns any other text unchanged.
 */
export function expandAddress(text: string, hosts: GitHosts, source: GitSource = 'github'): string {
  const all = listHosts(hosts)
  const preferred = source === 'git' ? undefined : all.find(({ kind }) => kind === source)
  if (preferred && shortForm(platformPaths[preferred.kind].treePath).test(text)) return `${preferred.baseUrl}/${text}`
  const baseUrls = all.map(({ baseUrl }) => baseUrl)
  for (const bare of [text.replace(/^http:\/\//, ''), text.replace(/^(?:https?:\/\/)?www\./, '')]) {
    const baseUrl = baseUrls.find((each) => `${bare}/`.startsWith(`${withoutScheme(each)}/`))
    if (baseUrl !== undefined) return baseUrl + bare.slice(withoutScheme(baseUrl).length)
  }
  // Azure DevOps puts the name of the organization before its host, which is no secret.
  const [, user, place] = /^https:\/\/([\w.-]+)@(.*)$/.exec(text) ?? []
  const azure = all.find(({ kind, baseUrl }) => kind === 'azure' && `https://${place}`.startsWith(`${baseUrl}/${user}/`))
  if (azure) return `https://${place}`
  const [, host, path] = /^ssh:\/\/git@([^/:@]+)\/(.*)$/.exec(text) ?? /^git@([^/:@]+):(.*)$/.exec(text) ?? []
  const meant = new Set(baseUrls.filter((baseUrl) => new URL(baseUrl).hostname === host))
  const [baseUrl] = meant
  // ssh addresses have no base path, so one host with two base URLs is ambiguous.
  return baseUrl === undefined || meant.size > 1 ? text : `${baseUrl}/${path}`
}

/** `owner/repo`, also with the branch or tag and the folder, as the platform writes them. */
const shortForm = (treePath: string): RegExp => new RegExp(`^[A-Za-z0-9][A-Za-z0-9_-]*/[^/:@]+(?:/?$|/${treePath}/)`)

const withoutScheme = (baseUrl: string): string => baseUrl.replace(/^https?:\/\//, '')
