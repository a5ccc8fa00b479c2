import { AppError } from '../errors.ts'
import { defaultGitHosts, type FieldHost, type GitHosts, hostList } from '../reading/git/git-hosts.ts'
import { parseRepoUrl, type RepoAddress } from '../reading/git/repo-address.ts'
import type { GitSource } from '../schemas/git-host.ts'
import { excerpt } from '../text/excerpt.ts'
import { visibleText } from '../text/visible-text.ts'
import { type KnownRepository, repositoryCalled, repositoryOfPackage } from './known-libraries.ts'
import { ecosystems, type PackageName, packageName } from './registries/package-name.ts'
import { packageOfPage } from './registries/package-page.ts'

/** A repository that can be parsed. */
export type FoundRepository = {
  address: RepoAddress
  /** Where the documentation of a known library is; empty if a parse finds it. */
  folders: readonly string[]
  /** The title of a known library. */
  title?: string
}

/**
 * The repository that a text names: by an address, as `owner/repo`, by the title of a known library, or by the name or page of one of its packages. Nothing is
 * requested. Throws validation_error with what can be sent instead.
 */
export function findRepository(text: string, hosts: GitHosts, source?: GitSource): FoundRepository {
  const name = visibleText(text).trim()
  const page = packageOfPage(name)
  if (page) return findPackage(page, hosts, source)
  const known = mayBeName(name) ? repositoryCalled(name) : undefined
  if (known) return found(known, hosts, source)
  if (isUnknownName(name)) throw unknown(name)
  return { address: parseRepoUrl(withHost(name, hosts), hosts, source), folders: [] }
}

/** The repository of a package. Throws validation_error. */
export function findPackage(name: PackageName, hosts: GitHosts, source?: GitSource): FoundRepository {
  const known = repositoryOfPackage(name)
  if (!known) throw unknown(name.name)
  return found(known, hosts, source)
}

/** A path is a repository, except that of `@scope/name` and after the name of a registry. */
const mayBeName = (text: string): boolean => text.length <= 300 && (!text.includes('/') || /^(?:@|[a-z]+:[^/])/.test(text))

/** Package managers write `github:owner/repo`; a domain alone is a website. */
function withHost(text: string, hosts: GitHosts): string {
  const [, host, path] = /^(github|gitlab):(?!\/)(.+)$/.exec(text) ?? []
  if (host !== undefined) return `${hosts[host as FieldHost].baseUrl}/${path}`
  return isDomain.test(text) ? `https://${text}` : text
}

const isDomain = /^[\w-]+(?:\.[\w-]+)*\.(?!js$)[a-z]{2,}$/i

const isUnknownName = (text: string): boolean =>
  mayBeName(text) && !isDomain.test(text) && ecosystems.some((ecosystem) => packageName(ecosystem, text))

function found({ title, repository, folders }: KnownRepository, hosts: GitHosts, source?: GitSource): FoundRepository {
  const { baseUrl } = defaultGitHosts.github
  const url = `${baseUrl}/${repository}`
  if (hosts.github.baseUrl === baseUrl) return { address: parseRepoUrl(url, hosts, source), folders, title }
  throw new AppError(
    'validation_error',
    `The documentation of ${title} is in ${url}, but repositories are read only from ${hostList(hosts)}. Send the address of a copy there.`,
  )
}

const unknown = (name: string): AppError =>
  new AppError(
    'validation_error',
    `No repository of "${excerpt(name)}" is known here. Send the address of the repository that its documentation is in.`,
  )
