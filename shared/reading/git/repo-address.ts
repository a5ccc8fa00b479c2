import { AppError } from '../../errors.ts'
import type { LibraryId } from '../../library.ts'
import { visibleText } from '../../text/visible-text.ts'
import { adviceFor } from './advice-for.ts'
import { type GitHosts, type Platform, platforms } from './git-hosts.ts'
import { nearestAddress } from './nearest-address.ts'

/** A repository of an allowed host. Only `parseRepoUrl` and `movedTo` create one, so its URLs need no further check. */
export type RepoAddress = {
  platform: Platform
  /** The owner joins GitLab's nested groups with `~`, which no group name may hold. */
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
const namePattern = {
  github: { owner: /^[A-Za-z0-9][A-Za-z0-9_-]*$/, repo: /^[A-Za-z0-9._][A-Za-z0-9._-]*$/ },
  gitlab: { owner: /^[A-Za-z0-9._][A-Za-z0-9._-]*$/, repo: /^[A-Za-z0-9._][A-Za-z0-9._+-]*$/ },
}

/**
 * Parses the address of a repository as copied from a browser or written by hand (`expandAddress`): with or without `.git`, a trailing slash and
 * `/tree/<ref>/<folder>` (GitLab: `/-/tree/…`); spaces around it, a query and a fragment are ignored. Throws validation_error with the probable
 * address or with what can be sent instead, also for a repository of another platform than `platform`.
 */
export function parseRepoUrl(repoUrl: string, hosts: GitHosts, platform?: Platform): RepoAddress {
  const address = readOrSuggest(addressIn(repoUrl), hosts, platform)
  if (platform === undefined || address.platform === platform) return address
  throw new AppError('validation_error', `${address.webUrl} is not a repository of ${platform}; use the path for its host.`)
}

/** In `owner/repo#next`, `git@…#next` and `….git#next` the fragment is a branch or tag to other programs, so it is not ignored. */
const fragmentIsRef = /^[^./:]+\/|^(?:[^/]*@|ssh:)|\.git\/?#/

function addressIn(text: string): string {
  const address = text.trim().replace(/\?.*$/s, '')
  return fragmentIsRef.test(address) ? address : address.replace(/#.*$/s, '')
}

function readOrSuggest(repoUrl: string, hosts: GitHosts, platform: Platform | undefined): RepoAddress {
  try {
    return readAddress(expandAddress(repoUrl, hosts, platform), hosts)
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
  const { baseUrl: gitlab } = hosts.gitlab
  if (repoUrl.length > maxLength) throw invalid(`The address is longer than ${maxLength} characters`, github)
  if (repoUrl.includes('#')) throw invalid('The address ends with a fragment. Send a branch or tag in branch', github)
  if (/[^\x21-\x7e]/.test(repoUrl)) throw invalid('The address holds spaces, control or non-ASCII characters', github)
  const [, scheme, authority = ''] = /^(https?):\/\/([^/?#]*)/.exec(repoUrl) ?? []
  if (scheme === undefined && bareSite.test(repoUrl)) throw otherHost(`https://${repoUrl}`, hosts)
  if (scheme === undefined) throw invalid('The address is neither owner/repo nor one of a configured git host', github)
  if (authority.includes('@')) throw invalid(`The address holds a user name or token; ${tokensInSettings}`, github)
  const under = (baseUrl: string): boolean => repoUrl === baseUrl || repoUrl.startsWith(`${baseUrl}/`)
  const isGitlab = under(gitlab) && !(under(github) && github.length >= gitlab.length)
  if (isGitlab) return readPath('gitlab', gitlab, repoUrl.slice(gitlab.length + 1))
  if (under(github)) return readPath('github', github, repoUrl.slice(github.length + 1))
  throw otherHost(repoUrl, hosts)
}

/** An address of another host without its scheme. */
const bareSite = /^[\w-]+(?:\.[\w-]+)+\//

function otherHost(address: string, { github, gitlab }: GitHosts): AppError {
  const [origin = ''] = /^https?:\/\/[^/?#]*/.exec(address) ?? []
  const url = URL.parse(address)
  const advice = url === null ? '' : ` ${adviceFor(url)}`
  const message = `Repositories are read from ${github.baseUrl}/ and ${gitlab.baseUrl}/, not from ${origin}.${advice}`
  return new AppError('validation_error', message)
}

/** The new address of a moved or renamed repository; undefined if it is not a repository of the same host. */
export function movedTo({ platform, baseUrl, cloneUrl }: RepoAddress, location: string): RepoAddress | undefined {
  const href = URL.parse(location, cloneUrl)?.href ?? ''
  const repoUrl = href.slice(0, Math.max(0, href.search(/\/info\/refs(?:\?|$)/)))
  if (!repoUrl.startsWith(`${baseUrl}/`)) return undefined
  try {
    return readPath(platform, baseUrl, repoUrl.slice(baseUrl.length + 1))
  } catch (error) {
    if (error instanceof AppError) return undefined
    throw error
  }
}

/** The web address of a file at a commit; `line` is 1-based. */
export function blobUrl(address: Pick<RepoAddress, 'platform' | 'webUrl'>, commit: string, path: string, line?: number): string {
  const encoded = path.toWellFormed().split('/').map(encodeURIComponent).join('/')
  const dash = address.platform === 'gitlab' ? '/-' : ''
  return `${address.webUrl}${dash}/blob/${commit}/${encoded}${line === undefined ? '' : `#L${line}`}`
}

function readPath(platform: Platform, baseUrl: string, path: string): RepoAddress {
  if (path.includes('\\')) throw invalid('The address holds a backslash', baseUrl)
  const segments = path.replace(/\/$/, '').split('/')
  const end = platform === 'github' ? 2 : segments.indexOf('-')
  const names = end < 0 ? segments : segments.slice(0, end)
  const page = end < 0 ? [] : segments.slice(platform === 'github' ? end : end + 1)
  if (names.some((name) => name.includes('%')))
    throw invalid('The address holds a percent sign in the name of an owner or repository', baseUrl)
  const tree = readTree(page, baseUrl)
  const owners = names.slice(0, -1)
  const repo = (names.at(-1) ?? '').replace(/\.git$/, '')
  const { owner: ownerPattern, repo: repoPattern } = namePattern[platform]
  const wrong = owners.find((name) => !isName(name, ownerPattern)) ?? (isName(repo, repoPattern) ? undefined : repo)
  // Links of older GitLab releases have no "/-/". GitLab accepts neither word as the name of a project or subgroup.
  if (platform === 'gitlab' && names.slice(1).some((name) => /^(?:tree|blob)$/.test(name)))
    throw invalid('The address leads to a page or folder inside a repository, which GitLab separates with /-/', baseUrl)
  if (owners.length === 0 || wrong === '') throw invalid('The address names no repository, or holds an empty part', baseUrl)
  if (wrong !== undefined) throw invalid(`"${wrong}" cannot be the name of an owner or repository`, baseUrl)
  const webUrl = `${baseUrl}/${[...owners, repo].join('/')}`
  const address = { platform, id: { owner: owners.join('~'), repo }, baseUrl, webUrl, cloneUrl: `${webUrl}.git` }
  return { ...address, ...tree }
}

const isName = (name: string, pattern: RegExp): boolean => pattern.test(name) && !/\.\.|^\.$|\.(?:git|atom)$/i.test(name)

/** The name of a folder that is no pattern in the field `folders`. */
const folderName = /^(?!\.\.?$)[^*?\\]+$/

/** The branch or tag, and the folder, after the repository in an address. */
function readTree([word, ...path]: string[], baseUrl: string): Pick<RepoAddress, 'branch' | 'folder'> {
  if (word === undefined) return {}
  const [branch, ...folders] = decoded(path.join('/'), baseUrl).split('/')
  if (word === 'tree' && branch?.startsWith('-')) throw invalid('A branch or tag cannot begin with "-"', baseUrl)
  const isTree = word === 'tree' && branch !== undefined && branch !== ''
  if (isTree && folders.length === 0) return { branch }
  if (isTree && folders.every((name) => folderName.test(name))) return { branch, folder: folders.join('/') }
  const advice = word === 'tree' ? '; send the branch and the folders in their own fields' : ''
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

/** `owner/repo`, also with the branch or tag and the folder, as the platform writes them. */
const shortForm = {
  github: /^[A-Za-z0-9][A-Za-z0-9_-]*\/[^/:@]+(?:\/?$|\/tree\/)/,
  gitlab: /^[A-Za-z0-9][A-Za-z0-9_-]*\/[^/:@]+(?:\/?$|\/-\/tree\/)/,
}

/**
 * The address that a common form means, with the host as in the settings: `owner/repo`, an address without its scheme, with `http://`
 * for https or with `www.`, `git@host:owner/repo.git` and `ssh://git@host/owner/repo`. Returns any other text unchanged.
 */
function expandAddress(text: string, hosts: GitHosts, platform: Platform = 'github'): string {
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
