import { editDistance } from '../../text/edit-distance.ts'
import { visibleText } from '../../text/visible-text.ts'
import { defaultGitHosts, type GitHosts, type Platform, platforms } from './git-hosts.ts'

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
  const typos = (platform: Platform) => {
    const hostOfPlatform = new URL(hosts[platform].baseUrl).hostname
    return host !== hostOfPlatform && publicHosts.has(host) ? Infinity : editDistance(host, hostOfPlatform, 2)
  }
  for (const platform of platforms.filter((each) => typos(each) <= maxTypos(host)).sort((a, b) => typos(a) - typos(b))) {
    const { baseUrl } = hosts[platform]
    const base = new URL(baseUrl)
    const folder = base.pathname.replace(/\/$/, '')
    const full = url.pathname.startsWith(`${folder}/`) ? url.pathname.slice(folder.length) : url.pathname
    const candidate = candidatesOf(platform, full).map((each) => baseUrl + each)
    const valid = (isCut ? candidate.slice(-1) : candidate).find(isValid)
    if (valid !== undefined) return valid
  }
  return undefined
}

/** Package registries and archives have the address of a repository in theirs. */
function addressWithin(path: string, hosts: GitHosts): string | undefined {
  for (const { baseUrl } of platforms.map((platform) => hosts[platform])) {
    const [, rest] = path.split(`/${baseUrl.replace(/^https?:\/\//, '')}/`)
    if (rest !== undefined) return `${baseUrl}/${rest.split('/').slice(0, 2).join('/')}`
  }
  return undefined
}

/** github.com and gitlab.com differ by two letters, so neither is a typo of the other. */
const publicHosts = new Set(platforms.map((each) => new URL(defaultGitHosts[each].baseUrl).hostname))
const maxTypos = (host: string): number => (/^[\d.:[\]]+$/.test(host) ? 0 : 2)
const fromScp = (text: string): string => text.replace(/^(?:[^@/]*@)?([^:/]+):(?!\d+(?:\/|$))/, '$1/')

const isPage = /^(?:blob|raw|blame|edit|tree)$/

/** The folder of a file's page, else its repository. */
function candidatesOf(platform: Platform, path: string): string[] {
  const segments = path.split('/').filter((segment) => segment !== '')
  const pageAt = segments.includes('-') ? segments.indexOf('-') : segments.findIndex((each, at) => at > 1 && isPage.test(each))
  const names = segments.slice(0, platform === 'github' ? 2 : pageAt < 0 ? undefined : pageAt)
  const repository = `/${names.join('/')}`
  const page = segments.slice(names.length)
  const [kind, ref, ...file] = page[0] === '-' ? page.slice(1) : page
  if (ref === undefined || !isPage.test(kind ?? '')) return [repository]
  const folder = kind === 'tree' ? file : file.slice(0, -1)
  return [[`${repository}${platform === 'gitlab' ? '/-' : ''}/tree/${ref}`, ...folder].join('/'), repository]
}
