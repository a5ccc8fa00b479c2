import { type LibraryId, parseLibraryId } from '../library.ts'

const quotes = /^(["'`]?)(.*)\1$/s
const address = /^(?:https?:\/\/|ssh:\/\/|git@|(?:www\.)?(?:github\.com|gitlab\.com|bitbucket\.org|codeberg\.org)\/)/i
/** Hosts whose repositories have one owner. */
const flatHost = /^(?:www\.)?(?:github\.com|bitbucket\.org|codeberg\.org)$/i
/** Addresses of hosts that may nest groups. More than two names in others are mostly the path of a website. */
const nestedAddress = /^[^/]*git|\.git\/?$|\/-\//i
/** The first segment behind a repository in the address of one of its pages. */
const pageWord = /^(?:-|tree|blob|raw|src|wiki|issues|pulls?|releases|tags)$/

/**
 * The id that a caller plainly means: also without the first slash, with slashes at the end, in quotes, with a slash in its version, and the
 * address of the repository or one of its pages. Throws what `parseLibraryId` throws.
 */
export function readLibraryId(text: string): LibraryId {
  const [, , typed = ''] = quotes.exec(text) ?? []
  const path = typed.replace(/^\/+/, '')
  return parseLibraryId((address.test(path) ? idOfAddress(path) : idOfPath(path)) ?? text)
}

function idOfPath(path: string): string | undefined {
  if (/["'`<>\\\s]/.test(path)) return undefined
  const [owner, repo, ...version] = segmentsOf(path)
  return repo === undefined ? undefined : `/${owner}/${withoutGit(repo)}${printVersion(version)}`
}

/** Returns undefined if the address does not name a repository. */
function idOfAddress(text: string): string | undefined {
  const bare = text
    .replace(/^[a-z]+:\/\//i, '')
    .replace(/[?#].*$/s, '')
    .replace(/^[^/@]*@/, '')
    .replace(/^([^/:]+):(?!\d+\/)/, '$1/')
  const [host = '', ...path] = segmentsOf(bare)
  const page = path.findIndex((segment, at) => at > 1 && pageWord.test(segment))
  const end = flatHost.test(host) ? 2 : page < 0 ? path.length : page
  const names = path.slice(0, end)
  const repo = names.pop()
  if (repo === undefined || names.length === 0 || (names.length > 1 && !nestedAddress.test(bare))) return undefined
  const [word, ...version] = path.slice(end).filter((segment) => segment !== '-')
  return `/${names.join('~')}/${withoutGit(repo)}${word === 'tree' ? printVersion(version) : ''}`
}

const segmentsOf = (path: string): string[] => path.split('/').filter((segment) => segment !== '')

const withoutGit = (repo: string): string => repo.replace(/(?<=.)\.git$/, '')

/** A slash in the name of a branch or tag is `~` in ids. */
const printVersion = (segments: string[]): string => (segments.length === 0 ? '' : `/${segments.join('~')}`)
