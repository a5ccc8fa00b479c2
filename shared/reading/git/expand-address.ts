import type { GitSource } from '../../schemas/git-host.ts'
import { isSsh, readSsh, type SshAddress } from '../../schemas/ssh-address.ts'
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
  const ssh = readSsh(text)
  const overSsh = ssh && baseUrls.filter((each) => isSsh(each) && isAt(ssh, readSsh(each)))
  // A host that is read by ssh and one over https may have the same name.
  if (ssh && overSsh?.[0] !== undefined)
    return overSsh.length > 1 ? text : `${overSsh[0]}${ssh.path.slice(readSsh(overSsh[0])?.path.length)}`
  const [, host, path] = /^ssh:\/\/git@([^/:@]+)\/(.*)$/.exec(text) ?? /^git@([^/:@]+):(.*)$/.exec(text) ?? []
  const meant = new Set(baseUrls.filter((baseUrl) => new URL(baseUrl).hostname === host))
  const [baseUrl] = meant
  // ssh addresses have no base path, so one host with two base URLs is ambiguous.
  return baseUrl === undefined || meant.size > 1 ? text : `${baseUrl}/${path}`
}

/** True for an address below that of a host. One without a port may mean any. */
const isAt = (place: SshAddress, host: SshAddress | undefined): boolean =>
  host !== undefined &&
  place.host === host.host &&
  place.user === host.user &&
  (place.port === '' || place.port === host.port) &&
  place.path.startsWith(`${host.path}/`)

/** `owner/repo`, also with the branch or tag and the folder, as the platform writes them. */
const shortForm = (treePath: string): RegExp => new RegExp(`^[A-Za-z0-9][A-Za-z0-9_-]*/[^/:@]+(?:/?$|/${treePath}/)`)

const withoutScheme = (baseUrl: string): string => baseUrl.replace(/^https?:\/\//, '')
