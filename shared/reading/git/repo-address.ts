import { AppError } from '../../errors.ts'
import type { LibraryId } from '../../library.ts'
import type { GitHost, GitSource, Platform } from '../../schemas/git-host.ts'
import { isSsh } from '../../schemas/ssh-address.ts'
import { visibleText } from '../../text/visible-text.ts'
import { adviceFor } from './advice-for.ts'
import { expandAddress } from './expand-address.ts'
import { type GitHosts, hostList, isFrom, listHosts } from './git-hosts.ts'
import { nearestAddress } from './nearest-address.ts'
import { platformPaths } from './platform-paths.ts'

/** A repository of an allowed host. Only `parseRepoUrl` and `movedTo` create one, so its URLs need no further check. */
export type RepoAddress = {
  platform: Platform
  host: Omit<GitHost, 'kind' | 'baseUrl'>
  /** The owner joins nested groups, or organization and project, with `~`, which no name of a group may hold. */
  id: LibraryId
  baseUrl: string
  webUrl: string
  cloneUrl: string
  /** Branch or tag, from `/tree/<ref>` of the address, if given. With a folder, only the part of its name before the first slash may be here. */
  branch?: string
  /** The folder from `/tree/<ref>/<folder>` of the address, if given; may begin with the rest of a branch or tag. */
  folder?: string
}

const maxLength = 500

/**
 * Parses the address of a repository as copied from a browser or written by hand (`expandAddress`): with or without `.git`, a trailing slash and
 * `/tree/<ref>/<folder>` (GitLab: `/-/tree/…`, Gitea: `/src/branch/…`, Bitbucket: `/src/…`); spaces around it, a query and a fragment are
 * ignored. Throws validation_error with the probable address or with what can be sent instead, also for a repository that is not from `source`.
 */
export function parseRepoUrl(repoUrl: string, hosts: GitHosts, source?: GitSource): RepoAddress {
  const address = readOrSuggest(addressIn(repoUrl), hosts, source)
  if (source === undefined || isFrom(source, { name: address.host.name, kind: address.platform })) return address
  throw new AppError('validation_error', `${address.webUrl} is not a repository of ${source}; use the path for its host.`)
}

/** In `owner/repo#next`, `git@…#next` and `….git#next` the fragment is a branch or tag to other programs, so it is not ignored. */
const fragmentIsRef = /^[^./:]+\/|^(?:[^/]*@|ssh:)|\.git\/?#/

function addressIn(text: string): string {
  const address = text.trim().replace(/\?.*$/s, '')
  return fragmentIsRef.test(address) ? address : address.replace(/#.*$/s, '')
}

function readOrSuggest(repoUrl: string, hosts: GitHosts, source: GitSource | undefined): RepoAddress {
  try {
    return readAddress(expandAddress(repoUrl, hosts, source), hosts)
  } catch (error) {
    if (!(error instanceof AppError) || error.message.includes(tokensInSettings)) throw error
    const nearest = nearestAddress(repoUrl, hosts, (address) => isReadable(address, hosts))
    if (nearest === undefined) throw error
    const why = error.message.replace(/ Expected an address like \S+$/, '')
    throw new AppError('validation_error', `${why} Did you mean ${nearest}?`, { cause: error })
  }
}

function isReadable(address: string, hosts: GitHosts): boolean {
  try {
    readAddress(address, hosts)
    return true
  } catch (error) {
    if (error instanceof AppError) return false
    throw error
  }
}

const tokensInSettings = 'tokens belong in the settings github.token and gitlab.token'

function readAddress(repoUrl: string, hosts: GitHosts): RepoAddress {
  const { baseUrl: github } = hosts.github
  if (repoUrl.length > maxLength) throw invalid(`The address is longer than ${maxLength} characters`, github)
  if (repoUrl.includes('#')) throw invalid('The address ends with a fragment. Send a branch or tag in branch', github)
  if (/[^\x21-\x7e]/.test(repoUrl)) throw invalid('The address holds spaces, control or non-ASCII characters', github)
  const isListedSsh = isSsh(repoUrl) && hostOf(repoUrl, hosts) !== undefined
  const [, scheme, authority = ''] = isListedSsh ? ['', 'ssh'] : (/^(https?):\/\/([^/?#]*)/.exec(repoUrl) ?? [])
  if (scheme === undefined && bareSite.test(repoUrl)) throw otherHost(`https://${repoUrl}`, hosts)
  if (scheme === undefined) throw invalid('The address is neither owner/repo nor one of a configured git host', github)
  if (authority.includes('@')) throw invalid(`The address holds a user name or token; ${tokensInSettings}`, github)
  const host = hostOf(repoUrl, hosts)
  if (host === undefined) throw otherHost(repoUrl, hosts)
  return readPath(host, repoUrl.slice(host.baseUrl.length + 1))
}

/** The host with the longest address that a repository is below. */
export function hostOf(repoUrl: string, hosts: GitHosts): GitHost | undefined {
  const under = ({ baseUrl }: GitHost): boolean => repoUrl === baseUrl || repoUrl.startsWith(`${baseUrl}/`)
  return listHosts(hosts)
    .filter(under)
    .sort((a, b) => b.baseUrl.length - a.baseUrl.length)[0]
}

/** An address of another host without its scheme. */
const bareSite = /^[\w-]+(?:\.[\w-]+)+\//

function otherHost(address: string, hosts: GitHosts): AppError {
  const [origin = ''] = /^https?:\/\/[^/?#]*/.exec(address) ?? []
  const url = URL.parse(address)
  const advice = url === null ? '' : ` ${adviceFor(url)}`
  return new AppError('validation_error', `Repositories are read from ${hostList(hosts)}, not from ${origin}.${advice}`)
}

/** The new address of a moved or renamed repository; undefined if it is not a repository of the same host. */
export function movedTo(address: RepoAddress, location: string): RepoAddress | undefined {
  const { platform: kind, baseUrl, cloneUrl, host } = address
  const href = URL.parse(location, cloneUrl)?.href ?? ''
  const repoUrl = href.slice(0, Math.max(0, href.search(/\/info\/refs(?:\?|$)/)))
  if (!repoUrl.startsWith(`${baseUrl}/`)) return undefined
  try {
    return readPath({ ...host, kind, baseUrl }, repoUrl.slice(baseUrl.length + 1))
  } catch (error) {
    if (error instanceof AppError) return undefined
    throw error
  }
}

function readPath({ kind: platform, baseUrl, ...host }: GitHost, path: string): RepoAddress {
  if (path.includes('\\')) throw invalid('The address holds a backslash', baseUrl)
  const shape = platformPaths[platform]
  const { owners, repo, page } = shape.split(path.replace(/\/$/, '').split('/'))
  const names = [...owners, repo]
  if (names.some((name) => name.includes('%')))
    throw invalid('The address holds a percent sign in the name of an owner or repository', baseUrl)
  const tree = readTree(platform, page, baseUrl)
  const id = withoutGit(repo)
  const wrong = owners.find((name) => !isName(name, shape.owner)) ?? (isName(id, shape.repo) ? undefined : id)
  // Links of older GitLab releases have no "/-/". GitLab accepts neither word as the name of a project or subgroup.
  if (platform === 'gitlab' && names.slice(1).some((name) => /^(?:tree|blob)$/.test(name)))
    throw invalid('The address leads to a page or folder inside a repository, which GitLab separates with /-/', baseUrl)
  const hasOwner = owners.length > 0 || platform === 'git'
  if (!hasOwner || wrong === '') throw invalid('The address names no repository, or holds an empty part', baseUrl)
  if (wrong !== undefined) throw invalid(`"${wrong}" cannot be the name of an owner or repository`, baseUrl)
  // Other servers may know a repository only with, or only without, the ending.
  const named = { owners, repo: platform === 'git' ? repo : id }
  const [webUrl, cloneUrl] = [shape.webPath(named), shape.clonePath(named)].map((each) => `${baseUrl}/${each}`) as [
    string,
    string,
  ]
  const owner = owners.length > 0 ? owners.join('~') : host.name
  return { platform, host, id: { owner, repo: id }, baseUrl, webUrl, cloneUrl, ...tree }
}

const withoutGit = (name: string): string => name.replace(/\.git$/, '')

const isName = (name: string, pattern: RegExp): boolean => pattern.test(name) && !/\.\.|^\.$|\.(?:git|atom)$/i.test(name)

/** The name of a folder that is no pattern in the field `folders`. */
const folderName = /^(?!\.\.?$)[^*?\\]+$/

/** The branch or tag, and the folder, after the repository in an address. */
function readTree(platform: Platform, page: string[], baseUrl: string): Pick<RepoAddress, 'branch' | 'folder'> {
  if (page.length === 0) return {}
  const path = platformPaths[platform].tree(page)
  const [branch, ...folders] = decoded((path ?? page.slice(1)).join('/'), baseUrl).split('/')
  if (path && branch?.startsWith('-')) throw invalid('A branch or tag cannot begin with "-"', baseUrl)
  const isTree = path !== undefined && branch !== undefined && branch !== ''
  if (isTree && folders.length === 0) return { branch }
  if (isTree && folders.every((name) => folderName.test(name))) return { branch, folder: folders.join('/') }
  const advice = path ? '; send the branch and the folders in their own fields' : ''
  throw invalid(`The address leads to a page or folder inside a repository${advice}`, baseUrl)
}

/** Browsers encode what is not plain ASCII in the path of a folder, and `/` in a branch. */
function decoded(path: string, baseUrl: string): string {
  const text = decodeOrNothing(path)
  if (text === undefined || visibleText(text) !== text || /[\n\t]/.test(text))
    throw invalid('The address holds percent signs that encode no name', baseUrl)
  return text
}

function decodeOrNothing(text: string): string | undefined {
  try {
    return decodeURIComponent(text)
  } catch {
    return undefined
  }
}

const invalid = (why: string, baseUrl: string) =>
  new AppError('validation_error', `${why}. Expected an address like ${baseUrl}/owner/repo.`)
