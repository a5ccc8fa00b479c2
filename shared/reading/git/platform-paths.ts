import type { Platform } from '../../schemas/git-host.ts'
import { addressAtLines, type Lines } from '../../text/file-of-address.ts'

/** A path of a host, split into the names of a repository and what follows them. */
export type PathParts = {
  owners: string[]
  /** Empty if the path names none. */
  repo: string
  page: string[]
}

type Shape = {
  /** The name of the software. */
  label: string
  /** The user name that hosts of this kind expect with a token. Without one, the token is no password but a bearer token. */
  tokenUser?: string
  owner: RegExp
  repo: RegExp
  split(segments: string[]): PathParts
  /** The path of the repository's web page. */
  webPath(names: Pick<PathParts, 'owners' | 'repo'>): string
  /** The path of git over https. */
  clonePath(names: Pick<PathParts, 'owners' | 'repo'>): string
  /** The branch or tag with the folders after it, from the page of a folder. Undefined for another page. */
  tree(page: string[]): string[] | undefined
  /** The words between a repository and a branch in the address of a folder. */
  treePath: string
  /** The address of a file's page, and of its bytes. */
  blob(webUrl: string, commit: string, path: string): string
  raw?(webUrl: string, commit: string, path: string): string
}

const joined = ({ owners, repo }: Pick<PathParts, 'owners' | 'repo'>): string => [...owners, repo].join('/')

function firstTwo(segments: string[]): PathParts {
  const names = segments.slice(0, 2)
  return { owners: names.slice(0, -1), repo: names.at(-1) ?? '', page: segments.slice(2) }
}

const common = {
  owner: /^[A-Za-z0-9][A-Za-z0-9._-]*$/,
  repo: /^[A-Za-z0-9._][A-Za-z0-9._-]*$/,
  split: firstTwo,
  webPath: joined,
  clonePath: (names: Pick<PathParts, 'owners' | 'repo'>) => `${joined(names)}.git`,
  tree: ([word, ...path]: string[]) => (word === 'tree' ? path : undefined),
  treePath: 'tree',
}

/** Data Center writes `/projects/KEY/repos/slug`, `/users/name/repos/slug` and, for git, `/scm/key/slug.git` and `/scm/~name/slug.git`. */
function splitDataCenter([kind, owner = '', word, repo = '', ...page]: string[]): PathParts {
  if (kind === 'scm' && word !== undefined) return { owners: [owner.toLowerCase()], repo: word, page: [] }
  const isUser = kind === 'users'
  if ((kind !== 'projects' && !isUser) || word !== 'repos' || owner === '') return { owners: [], repo: '', page: [] }
  return { owners: [`${isUser ? '~' : ''}${owner.toLowerCase()}`], repo, page }
}

/** A space in the name of a project is `+` in an id, which no such name may hold. */
const azureName = (name: string): string => name.replaceAll('%20', '+')
const azurePath = ({ owners, repo }: Pick<PathParts, 'owners' | 'repo'>): string =>
  [...owners, '_git', repo].map((name) => name.replaceAll('+', '%20')).join('/')

function splitAzure(segments: string[]): PathParts {
  const at = segments.indexOf('_git')
  const [repo = '', ...page] = at < 0 ? [] : segments.slice(at + 1)
  return { owners: segments.slice(0, Math.max(0, at)).map(azureName), repo: azureName(repo), page }
}

export const platformPaths: Record<Platform, Shape> = {
  github: {
    ...common,
    label: 'GitHub',
    tokenUser: 'x-access-token',
    owner: /^[A-Za-z0-9][A-Za-z0-9_-]*$/,
    blob: (webUrl, commit, path) => `${webUrl}/blob/${commit}/${path}`,
    // github.com serves files from a host of its own. Its other address for them only redirects to that.
    raw: (webUrl, commit, path) =>
      webUrl.startsWith('https://github.com/')
        ? `https://raw.githubusercontent.com${webUrl.slice('https://github.com'.length)}/${commit}/${path}`
        : `${webUrl}/raw/${commit}/${path}`,
  },
  gitlab: {
    ...common,
    label: 'GitLab',
    tokenUser: 'oauth2',
    owner: /^[A-Za-z0-9._][A-Za-z0-9._-]*$/,
    repo: /^[A-Za-z0-9._][A-Za-z0-9._+-]*$/,
    split(segments) {
      const end = segments.indexOf('-')
      const names = end < 0 ? segments : segments.slice(0, end)
      return {
        owners: names.slice(0, -1),
        repo: names.at(-1) ?? '',
        page: end < 0 ? [] : segments.slice(end + 1),
      }
    },
    treePath: '-/tree',
    blob: (webUrl, commit, path) => `${webUrl}/-/blob/${commit}/${path}`,
    raw: (webUrl, commit, path) => `${webUrl}/-/raw/${commit}/${path}`,
  },
  gitea: {
    ...common,
    label: 'Gitea',
    tokenUser: 'oauth2',
    tree: ([word, kind, ...path]) => (word === 'src' && /^(?:branch|tag|commit)$/.test(kind ?? '') ? path : undefined),
    treePath: 'src/branch',
    blob: (webUrl, commit, path) => `${webUrl}/src/commit/${commit}/${path}`,
    raw: (webUrl, commit, path) => `${webUrl}/raw/commit/${commit}/${path}`,
  },
  bitbucket: {
    ...common,
    label: 'Bitbucket',
    tokenUser: 'x-token-auth',
    tree: ([word, ...path]) => (word === 'src' || word === 'branch' ? path : undefined),
    treePath: 'src',
    blob: (webUrl, commit, path) => `${webUrl}/src/${commit}/${path}`,
    raw: (webUrl, commit, path) => `${webUrl}/raw/${commit}/${path}`,
  },
  'bitbucket-server': {
    ...common,
    label: 'Bitbucket Data Center',
    owner: /^~?[A-Za-z0-9_][A-Za-z0-9._-]*$/,
    split: splitDataCenter,
    webPath: ({ owners: [owner = ''], repo }) =>
      owner.startsWith('~') ? `users/${owner.slice(1)}/repos/${repo}` : `projects/${owner.toUpperCase()}/repos/${repo}`,
    clonePath: ({ owners: [owner], repo }) => `scm/${owner}/${repo}.git`,
    // The branch is in the query of such an address, and `branch` names it.
    tree: () => undefined,
    blob: (webUrl, commit, path) => `${webUrl}/browse/${path}?at=${commit}`,
    raw: (webUrl, commit, path) => `${webUrl}/raw/${path}?at=${commit}`,
  },
  azure: {
    ...common,
    label: 'Azure DevOps',
    tokenUser: 'carrel',
    owner: /^[A-Za-z0-9_][A-Za-z0-9._()+-]*$/,
    repo: /^[A-Za-z0-9_][A-Za-z0-9._()+-]*$/,
    split: splitAzure,
    webPath: azurePath,
    clonePath: azurePath,
    tree: () => undefined,
    blob: (webUrl, commit, path) => `${webUrl}?version=GC${commit}&path=/${path}`,
  },
  git: {
    ...common,
    label: 'git',
    tokenUser: 'git',
    owner: /^~?[A-Za-z0-9._][A-Za-z0-9._+-]*$/,
    repo: /^[A-Za-z0-9._][A-Za-z0-9._+-]*$/,
    split: (segments) => ({ owners: segments.slice(0, -1), repo: segments.at(-1) ?? '', page: [] }),
    clonePath: joined,
    tree: () => undefined,
    // The web pages of such a host are unknown, so a link leads to the repository and names the file.
    blob: (webUrl, commit, path) => `${webUrl}#/blob/${commit}/${path}`,
  },
}

const encodedPath = (path: string): string => path.toWellFormed().split('/').map(encodeURIComponent).join('/')

type Place = { platform: Platform; webUrl: string }

/** The web address of a file at a commit, or of lines in it. */
export function blobUrl({ platform, webUrl }: Place, commit: string, path: string, lines?: Lines): string {
  return addressAtLines(platformPaths[platform].blob(webUrl, commit, encodedPath(path)), lines)
}

/** The address of a file's bytes at a commit. Undefined if the host has none that needs no account. */
export const rawUrl = ({ platform, webUrl }: Place, commit: string, path: string): string | undefined =>
  platformPaths[platform].raw?.(webUrl, commit, encodedPath(path))
