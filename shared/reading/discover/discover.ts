import { opendir, realpath, stat } from 'node:fs/promises'
import { join, relative, sep } from 'node:path'
import { pluralize } from '../../text/pluralize.ts'
import { isOpenapi } from '../openapi/is-openapi.ts'
import { documentKind, whyData } from './document-kind.ts'
import { outdatedFolders } from './outdated-folders.ts'
import { ancestors, type Selection, type Selector, selector } from './selection.ts'
import type { Skipped } from './skipped.ts'

export type DiscoverLimits = { fileBytes: number; files: number }

/** A document by its path from the root, with `/`; or a skipped file or folder that a user would expect to be read. */
export type Discovered = { path: string; sizeBytes: number } | Skipped

type Walk = { root: string; select: Selector; limits: DiscoverLimits; linked: Set<string>; omitted: number }

/** Files that excludeFiles omits are reported one by one up to this number, then with one line per folder and pattern. */
const maxOmitted = 1_000

/**
 * Finds the documents of a repository's working tree, in no particular order. Memory grows with the number of pending folders, not of files.
 * Never leaves the tree: a link is read as its target, once, if that is inside the tree and is not read otherwise.
 */
export async function* discover(root: string, selection: Selection, limits: DiscoverLimits): AsyncGenerator<Discovered> {
  const walk: Walk = { root: await realpath(root), select: selector(selection), limits, linked: new Set(), omitted: 0 }
  const waiting = ['']
  let files = 0
  for (let folder = waiting.pop(); folder !== undefined; folder = waiting.pop()) {
    for await (const found of readFolder(walk, folder, waiting)) {
      if ('sizeBytes' in found && ++files > limits.files) {
        yield {
          path: found.path,
          reason: `only the first ${limits.files} documents are read; this one and the following are skipped`,
        }
        return
      }
      yield found
    }
  }
}

/** Reads one folder and adds the folders below it to `waiting`. */
async function* readFolder(walk: Walk, folder: string, waiting: string[]): AsyncGenerator<Discovered> {
  const below: string[] = []
  const skipped: Skipped[] = []
  try {
    for await (const entry of await opendir(join(walk.root, folder), { bufferSize: 256 })) {
      const path = childOf(folder, entry.name)
      if (entry.isDirectory()) below.push(entry.name)
      else if (!entry.isSymbolicLink() && documentKind(path) === undefined) continue
      else if (walk.select.includes(path)) {
        const found = entry.isSymbolicLink() ? await followLink(walk, path) : await examine(walk, path)
        const data = found && dataReason(walk, found.path)
        if (found && data) skipped.push({ path: found.path, reason: data })
        else if (found) yield found
      } else if (!entry.isSymbolicLink()) {
        const pattern = walk.select.omittedBy(path)
        if (pattern === undefined || !(await examine(walk, path))) continue
        const omitted = { path: path, reason: `excludeFiles: ${pattern}` }
        if (++walk.omitted > maxOmitted) skipped.push(omitted)
        else yield omitted
      }
    }
  } catch (error) {
    yield { path: `${folder}/`, reason: unreadable(error) }
  }
  yield* summary(skipped)
  yield* chooseFolders(walk, folder, below, waiting)
}

/** One line per folder and reason: a test folder may hold thousands of files. */
function* summary(skipped: Skipped[]): Generator<Discovered> {
  for (const [reason, [first, ...others]] of Map.groupBy(skipped, (each) => each.reason)) {
    const more = others.length === 0 ? '' : `; likewise ${pluralize(others.length, 'more file')} of this folder`
    if (first) yield { path: first.path, reason: reason + more }
  }
}

function* chooseFolders(walk: Walk, folder: string, names: string[], waiting: string[]): Generator<Discovered> {
  const candidates: string[] = []
  for (const name of names) {
    const path = childOf(folder, name)
    const pattern = walk.select.excludedBy(path)
    if (pattern === undefined) candidates.push(name)
    else if (walk.select.inScope(path)) yield { path: `${path}/`, reason: `excludeFolders: ${pattern}` }
  }
  const outdated = outdatedFolders(candidates.filter((name) => walk.select.inScope(childOf(folder, name))))
  for (const name of candidates) {
    const path = childOf(folder, name)
    const newer = outdated.get(name)
    if (isBroken(name)) yield { path: `${path}/`, reason: brokenName }
    else if (newer !== undefined && !walk.select.leadsToNamed(path))
      yield { path: `${path}/`, reason: `an older version of ${childOf(folder, newer)}/` }
    else waiting.push(path)
  }
}

/** The reason to skip a data file, unless `folders` names the file itself or its test folder. */
function dataReason({ select }: Walk, path: string): string | undefined {
  const reason = whyData(path)
  if (reason === undefined || select.leadsToNamed(path)) return undefined
  return reason === 'test data' && ancestors(path).some(select.leadsToNamed) ? undefined : reason
}

/** A document, a document that is too large, or undefined for everything else. */
async function examine(walk: Walk, path: string): Promise<Discovered | undefined> {
  const kind = documentKind(path)
  if (kind === undefined) return undefined
  if (isBroken(path)) return { path, reason: brokenName }
  try {
    const file = join(walk.root, path)
    const stats = await stat(file)
    const sizeBytes = stats.size
    if (!stats.isFile() || (kind === 'openapi' && !(await isOpenapi(file, sizeBytes)))) return undefined
    if (sizeBytes <= walk.limits.fileBytes) return { path, sizeBytes }
    return { path, reason: `${sizeBytes} bytes, more than the limit of ${walk.limits.fileBytes}` }
  } catch (error) {
    return { path, reason: unreadable(error) }
  }
}

async function followLink(walk: Walk, path: string): Promise<Discovered | undefined> {
  const target = await realTarget(walk.root, path)
  if (target.path === undefined) return { path, reason: 'a link that is broken or leads out of the repository' }
  if (target.isFolder) return { path, reason: `a link to a folder: ${target.path}/ is read at its own path` }
  const above = ancestors(target.path).slice(0, -1)
  const isSkipped = above.some((folder) => walk.select.excludedBy(folder) !== undefined)
  const isReadAnyway = walk.select.inScope(target.path) || walk.linked.has(target.path)
  if (isSkipped || isReadAnyway) return undefined
  walk.linked.add(target.path)
  return examine(walk, target.path)
}

async function realTarget(root: string, path: string): Promise<{ path?: string; isFolder: boolean }> {
  try {
    const real = await realpath(join(root, path))
    const isFolder = (await stat(real)).isDirectory()
    return real.startsWith(root + sep) ? { path: relative(root, real), isFolder } : { isFolder }
  } catch {
    return { isFolder: false }
  }
}

const brokenName = 'its name is not valid UTF-8'
const isBroken = (name: string): boolean => name.includes('\uFFFD')
const childOf = (folder: string, name: string): string => (folder === '' ? name : `${folder}/${name}`)
const unreadable = (error: unknown): string =>
  `cannot be read: ${error instanceof Error && 'code' in error ? error.code : 'unknown error'}`
