import type { GitHost, Platform } from '../../schemas/git-host.ts'
import { editDistance } from '../../text/edit-distance.ts'
import { visibleText } from '../../text/visible-text.ts'
import { defaultGitHosts, type GitHosts, listHosts } from './git-hosts.ts'
import { platformPaths } from './platform-paths.ts'

/** The address that was probably meant by one that cannot be parsed. `isValid` checks candidates. Undefined if there is none. */
export function nearestAddress(text: string, hosts: GitHosts, isValid: (address: string) => boolean): string | undefined {
  const visible = visibleText(text.slice(0, 1_000)).trim()
  // A space or a letter such as é cannot be part of an address; without it, another folder or repository would be suggested.
  const [start = ''] = visible.split(/\s/, 1)
  const badAt = start.search(/[^\x21-\x7e]/)
  const printable = badAt < 0 ? start : start.slice(0, start.lastIndexOf('/', badAt) + 1)
  const short = printable.replace(/^\/+/, '')
  const isCut = printable !== visible
  const path = /^[\w-]+\/[^/:@?#]+/.exec(short)?.[0]
  if (path !== undefined) return [`${hosts.github.baseUrl}/${path}`].find(isValid)
  const url = URL.parse(/^[a-z+]+:\/\//i.test(short) ? short.replace(/^[a-z+]+:/i, 'https:') : `https://${fromScp(short)}`)
  if (url === null) return undefined
  const within = addressWithin(url.pathname, hosts)
  if (within !== undefined && isValid(within)) return within
  const host = url.hostname
    .toLowerCase()
    .replace(/^www\./, '')
    .replace(/\.$/, '')
  const typos = ({ baseUrl }: GitHost) => {
    const name = new URL(baseUrl).hostname
    return host !== name && publicHosts.has(host) ? Infinity : editDistance(host, name, 2)
  }
  const near = listHosts(hosts).filter((each) => typos(each) <= maxTypos(host))
  for (const { kind, baseUrl } of near.sort((a, b) => typos(a) - typos(b))) {
    const base = new URL(baseUrl)
    const folder = base.pathname.replace(/\/$/, '')
    const full = url.pathname.startsWith(`${folder}/`) ? url.pathname.slice(folder.length) : url.pathname
    const candidate = candidatesOf(kind, full).map((each) => baseUrl + each)
    const valid = (isCut ? candidate.slice(-1) : candidate).find(isValid)
    if (valid !== undefined) return valid
  }
  return undefined
}

/** Package registries and archives have the address of a repository in theirs. */
function addressWithin(path: string, hosts: GitHosts): string | undefined {
  for (const { baseUrl } of listHosts(hosts)) {
    const [, rest] = path.split(`/${baseUrl.replace(/^https?:\/\//, '')}/`)
    if (rest !== undefined) return `${baseUrl}/${rest.split('/').slice(0, 2).join('/')}`
  }
  return undefined
}

/** github.com and gitlab.com differ by two letters, so neither is a typo of the other. */
const publicHosts = new Set(listHosts(defaultGitHosts).map(({ baseUrl }) => new URL(baseUrl).hostname))
const maxTypos = (host: string): number => (/^[\d.:[\]]+$/.test(host) ? 0 : 2)
const fromScp = (text: string): string => text.replace(/^(?:[^@/]*@)?([^:/]+):(?!\d+(?:\/|$))/, '$1/')

const isPage = /^(?:blob|raw|blame|edit|tree)$/

/** The folder of a file's page, else its repository. */
function candidatesOf(kind: Platform, path: string): string[] {
  const shape = platformPaths[kind]
  const segments = path.split('/').filter((segment) => segment !== '')
  if (kind !== 'github' && kind !== 'gitlab') {
    const { owners, repo } = shape.split(segments)
    return repo === '' ? [] : [`/${shape.webPath({ owners, repo })}`]
  }
  const pageAt = segments.includes('-') ? segments.indexOf('-') : segments.findIndex((each, at) => at > 1 && isPage.test(each))
  const names = segments.slice(0, kind === 'github' ? 2 : pageAt < 0 ? undefined : pageAt)
  const repository = `/${names.join('/')}`
  const page = segments.slice(names.length)
  const [word, ref, ...file] = page[0] === '-' ? page.slice(1) : page
  if (ref === undefined || !isPage.test(word ?? '')) return [repository]
  const folder = word === 'tree' ? file : file.slice(0, -1)
  return [[`${repository}/${shape.treePath}/${ref}`, ...folder].join('/'), repository]
}
