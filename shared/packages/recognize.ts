import { AppError } from '../errors.ts'
import type { GitHosts } from '../reading/git/git-hosts.ts'
import { nearestAddress } from '../reading/git/nearest-address.ts'
import { platformPaths } from '../reading/git/platform-paths.ts'
import { parseRepoUrl, type RepoAddress } from '../reading/git/repo-address.ts'
import { shortened } from '../text/excerpt.ts'
import { visibleText } from '../text/visible-text.ts'
import { type FoundRepository, findPackage, findRepository } from './find-repository.ts'
import { type Dependency, readManifest } from './read-manifest.ts'

/** A repository that a text names, once. */
export type RecognizedRepository = FoundRepository & {
  /** The words or packages that named it, as in the text. */
  names: string[]
  /** The version of the first of these packages that the text gives. */
  version?: string | undefined
}

/** A word or package without a repository. */
export type Unrecognized = {
  name: string
  /** Says what can be done instead. */
  problem: string
  /** The address that was probably meant. */
  suggestion?: string | undefined
}

export type Recognized = { repositories: RecognizedRepository[]; unknown: Unrecognized[] }

const maxWords = 1_000
const maxWordsChars = 512 * 1024
const maxNameChars = 200

/**
 * Reads what people paste: addresses of repositories and of their pages, names of packages and addresses of their pages, one or many, or a
 * manifest or lock file. Throws validation_error for more than a thousand words, for bytes that are no text, and what `readManifest` throws.
 */
export function recognize(text: string, hosts: GitHosts, fileName?: string): Recognized {
  if (text.includes('\0')) throw notText(fileName)
  const dependencies = readManifest(text, fileName)
  if (dependencies) return collect(dependencies.map((each) => () => recognizeDependency(each, hosts)))
  return collect(wordsOf(text, hosts).map((word) => () => recognizeWord(word, hosts)))
}

const notText = (fileName = 'This'): AppError =>
  new AppError('validation_error', `${shortened(visibleText(fileName), maxNameChars)} is not a text file.`)

/** A title such as "Ruby on Rails" has spaces. */
function wordsOf(text: string, hosts: GitHosts): string[] {
  const line = visibleText(text.slice(0, maxNameChars * 10)).trim()
  if (line.length <= maxNameChars && /\s/.test(line) && succeeds(() => findRepository(line, hosts))) return [line]
  if (text.length > maxWordsChars) throw tooMany()
  const words = [...new Set(text.split(/[\s,;]+/).map((word) => visibleText(word)))].filter((word) => word !== '')
  if (words.length > maxWords) throw tooMany()
  return words
}

const tooMany = (): AppError =>
  new AppError('validation_error', `This is more than ${maxWords.toLocaleString('en')} names and addresses. Send fewer at once.`)

type Found = RecognizedRepository | Unrecognized

function collect(each: (() => Found)[]): Recognized {
  const repositories = new Map<string, RecognizedRepository>()
  const unknown: Unrecognized[] = []
  for (const item of each.map((recognizeOne) => recognizeOne())) {
    if (!('address' in item)) {
      unknown.push(item)
      continue
    }
    const key = treeUrl(item.address).toLowerCase()
    const earlier = repositories.get(key)
    if (earlier) earlier.names.push(...item.names)
    else repositories.set(key, item)
  }
  return { repositories: [...repositories.values()], unknown }
}

function recognizeDependency(dependency: Dependency, hosts: GitHosts): Found {
  if ('repository' in dependency) return recognizeWord(dependency.repository, hosts)
  const { name, version } = dependency
  return found(name, () => ({ ...findPackage(dependency, hosts), version }))
}

function recognizeWord(word: string, hosts: GitHosts): Found {
  const asWritten = found(word, () => findRepository(word, hosts))
  if ('address' in asWritten) return asWritten
  const suggestion = nearestAddress(word, hosts, (address) => succeeds(() => parseRepoUrl(address, hosts)))
  if (suggestion === undefined) return asWritten
  const address = parseRepoUrl(suggestion, hosts)
  // The page of an issue or a file is on the host of its repository; another host was a typing error.
  const isPage = word.toLowerCase().includes(`${new URL(address.baseUrl).host}/`) && !/:\/\/[^/]*@/.test(word)
  return isPage ? { names: [shown(word)], address, folders: [] } : { ...asWritten, suggestion }
}

function found(name: string, find: () => FoundRepository & { version?: string | undefined }): Found {
  try {
    return { names: [shown(name)], ...find() }
  } catch (error) {
    if (!(error instanceof AppError)) throw error
    return { name: shown(name), problem: visibleText(error.message) }
  }
}

/** A name as it is shown: without what is invisible, and without the token of an address. */
const shown = (name: string): string => shortened(visibleText(name), maxNameChars).replace(/:\/\/(?!git@)[^/@]*@/, '://…@')

function succeeds(work: () => unknown): boolean {
  try {
    work()
    return true
  } catch (error) {
    if (error instanceof AppError) return false
    throw error
  }
}

/** The address of a repository with its branch or tag and folder, as `parseRepoUrl` reads it. */
export function treeUrl({ platform, webUrl, branch, folder }: RepoAddress): string {
  const path = [branch, folder].filter((part) => part !== undefined).join('/')
  if (path === '') return webUrl
  return `${webUrl}/${platformPaths[platform].treePath}/${path.split('/').map(encodeURIComponent).join('/')}`
}
