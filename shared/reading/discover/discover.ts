import { opendir, realpath, stat } from 'node:fs/promises'
import { extname, join } from 'node:path'
import { pluralize } from '../../text/figures.ts'
import { isGraphqlSchema } from '../graphql/is-graphql-schema.ts'
import { isApiDescription } from '../openapi/is-api-description.ts'
import { documentKind } from './document-kind.ts'
import { type FolderLink, isAround } from './folders-through-links.ts'
import { junkOf } from './junk.ts'
import { whyNoText } from './junk-text.ts'
import type { DocumentLanguages } from './languages/choose-languages.ts'
import { brokenLink, linkTargets } from './link-target.ts'
import { missingFolders, patternPath } from './missing-folders.ts'
import { isReferenceSource } from './reference-source.ts'
import { ancestors, type CloneSelection, type Selector, selector } from './selection.ts'
import type { Skipped } from './skipped.ts'
import { submoduleReason } from './submodule.ts'
import { type Survey, surveyDocuments } from './survey.ts'

export type DiscoverLimits = { fileBytes: number; files: number }

/** A document by its path from the root, with `/`, and its language if the documents have several; or a skipped file or folder that a user would expect to be read. */
export type Discovered = { path: string; sizeBytes: number; language?: string | undefined } | Skipped

type Walk = {
  root: string
  select: Selector
  limits: DiscoverLimits
  survey: Survey
  targetOf: ReturnType<typeof linkTargets>
  /** Files that links led to. */
  linked: Set<string>
  folderLinks: FolderLink[]
  /** The paths of submodules and of links to them, which are listed at the end. */
  submodules: Set<string>
  /** The reasons why folders are not read. */
  closed: Map<string, string>
  /** Folders without documentation, with the number of files that would be documents elsewhere. */
  junk: Map<string, { reason: string; files: number }>
  /** Documents in formats that no reader has, by extension. */
  unread: Map<string, { first: string; files: number }>
  /** Patterns of `folders` that have met no document yet. */
  empty: readonly Selector['named'][number][]
  omitted: number
  readsOffice: boolean
  apiReference: boolean
}

/** Files that excludeFiles omits are reported one by one up to this number, then with one line per folder and pattern. */
const maxOmitted = 1_000

/**
 * Finds the documents of a repository's working tree, in no particular order, after a look at all their paths.
 * Never leaves the tree: a link to a file is read as its target, once, if that is inside the tree and is not read otherwise; `selection` names
 * the targets of links to folders.
 */
export async function* discover(
  dir: string,
  selection: CloneSelection,
  limits: DiscoverLimits,
  onLanguages: (languages: DocumentLanguages) => void = () => undefined,
): AsyncGenerator<Discovered> {
  const root = await realpath(dir)
  const select = selector(selection)
  const survey = await surveyDocuments(root, select, selection)
  onLanguages(survey.languages)
  const walk: Walk = {
    root,
    select,
    limits,
    survey,
    targetOf: linkTargets(root),
    linked: new Set(),
    folderLinks: [],
    submodules: new Set(selection.submodules?.map(({ path }) => path)),
    closed: new Map(),
    junk: new Map(),
    unread: new Map(),
    empty: select.named,
    omitted: 0,
    readsOffice: selection.readsOffice ?? false,
    apiReference: selection.apiReference ?? false,
  }
  const waiting = ['']
  let files = 0
  for (let folder = waiting.pop(); folder !== undefined; folder = waiting.pop()) {
    for await (const entry of readFolder(walk, folder, waiting)) {
      if ('sizeBytes' in entry) walk.empty = notMet(walk.empty, entry.path)
      if ('sizeBytes' in entry && ++files > limits.files) {
        yield {
          path: entry.path,
          reason: `only the first ${limits.files} documents are read; this one and the following are skipped`,
        }
        return
      }
      yield entry
    }
  }
  for (const [path, { reason, files }] of walk.junk) yield { path, reason: `${reason}: ${pluralize(files, 'file')}` }
  yield* unreadFormats(walk)
  for (const link of walk.folderLinks) yield { path: link.path, reason: linkReason(walk, link) }
  for (const submodule of selection.submodules ?? []) {
    const isClosed = ancestors(submodule.path).some((folder) => walk.closed.has(folder) || select.excludedBy(folder))
    if (!isClosed && select.inScope(submodule.path)) yield { path: submodule.path, reason: submoduleReason(submodule) }
  }
  yield* emptyFolders(
    root,
    selection,
    walk.empty.map(({ pattern }) => pattern),
  )
}

/** Folders that do not exist are reported by `missingFolders`. */
async function* emptyFolders(root: string, selection: CloneSelection, folders: string[]): AsyncGenerator<Skipped> {
  if (folders.length === 0) return
  const { links, submodules } = selection
  const missing = new Set((await missingFolders(root, { folders, links, submodules })).map(({ path }) => path))
  for (const path of folders.map((folder) => patternPath('folders', folder)))
    if (!missing.has(path)) yield { path, reason: 'it holds no documents that are read' }
}

function notMet<Named extends Selector['named'][number]>(named: readonly Named[], path: string): readonly Named[] {
  const segments = path.split('/')
  return named.some(({ covers }) => covers(segments)) ? named.filter(({ covers }) => !covers(segments)) : named
}

/** Reads one folder and adds the folders below it to `waiting`. */
async function* readFolder(walk: Walk, folder: string, waiting: string[]): AsyncGenerator<Discovered> {
  const below: string[] = []
  const skipped: Skipped[] = []
  try {
    for await (const entry of await opendir(join(walk.root, folder), { bufferSize: 256 })) {
      const path = childOf(folder, entry.name)
      const kind = entry.isSymbolicLink() ? 'link' : documentKind(path)
      if (entry.isDirectory()) below.push(entry.name)
      else if (kind === undefined || (kind === 'office' && /\.pdf$/i.test(path) && !walk.readsOffice)) continue
      else if (kind === 'source' && !(walk.apiReference && isReferenceSource(path))) continue
      else if (kind === 'unread' || (kind === 'office' && !walk.readsOffice)) countUnread(walk, path)
      else if (walk.select.includes(path)) {
        const document = entry.isSymbolicLink() ? await followLink(walk, path) : await examine(walk, path)
        if (document === undefined || isInJunk(walk, document.path)) continue
        const junk = junkOf(document.path, walk.select.leadsToNamed)
        const reason = junk ? undefined : (walk.survey.whyFile(document.path) ?? (await whyUnlikeText(walk, document.path)))
        if (reason === undefined) yield junk ?? withLanguage(walk, document)
        else skipped.push({ path: document.path, reason })
      } else if (!entry.isSymbolicLink()) {
        const pattern = walk.select.omittedBy(path)
        if (pattern === undefined || !(await examine(walk, path)) || isInJunk(walk, path)) continue
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
    else {
      const reason = `excludeFolders: ${pattern}`
      walk.closed.set(path, reason)
      if (walk.select.inScope(path) || walk.select.leadsToNamed(path)) yield { path: `${path}/`, reason }
    }
  }
  for (const name of candidates) {
    const path = childOf(folder, name)
    const reason = walk.survey.whyFolder(path)
    if (isBroken(name)) yield { path: `${path}/`, reason: brokenName }
    else if (reason !== undefined) {
      walk.closed.set(path, reason)
      yield { path: `${path}/`, reason }
    } else waiting.push(path)
  }
}

/** True for a file in a folder of junk, which is counted: such folders are reported in one line each. */
function isInJunk({ select, junk }: Walk, path: string): boolean {
  const found = junkOf(path, select.leadsToNamed)
  if (!found?.path.endsWith('/')) return false
  junk.set(found.path, { reason: found.reason, files: (junk.get(found.path)?.files ?? 0) + 1 })
  return true
}

function withLanguage({ survey }: Walk, document: Discovered): Discovered {
  const language = survey.languageOf(document.path)
  return 'sizeBytes' in document && language !== undefined ? { ...document, language } : document
}

async function whyUnlikeText({ select, root }: Walk, path: string): Promise<string | undefined> {
  return select.leadsToNamed(path) ? undefined : whyNoText(join(root, path)).catch(() => undefined)
}

function countUnread({ select, unread }: Walk, path: string): void {
  if (!select.includes(path) || junkOf(path, select.leadsToNamed)) return
  const format = `*${extname(path).toLowerCase()}`
  const { first, files } = unread.get(format) ?? { first: path, files: 0 }
  unread.set(format, { first: path < first ? path : first, files: files + 1 })
}

function* unreadFormats({ unread }: Walk): Generator<Skipped> {
  for (const [path, { first, files }] of unread) {
    const which = files === 1 ? first : `${files} files, the first is ${first}`
    yield { path, reason: `a format that is not read: ${which}` }
  }
}

/** A document, a document that is too large, or undefined for everything else. */
async function examine(walk: Walk, path: string): Promise<Discovered | undefined> {
  const kind = documentKind(path)
  if (kind === undefined || kind === 'unread' || (kind === 'office' && !walk.readsOffice)) return undefined
  if (kind === 'source' && !(walk.apiReference && isReferenceSource(path))) return undefined
  if (isBroken(path)) return { path, reason: brokenName }
  try {
    const file = join(walk.root, path)
    const stats = await stat(file)
    const sizeBytes = stats.size
    if (!stats.isFile()) return undefined
    if (kind === 'openapi' && !(await isApiDescription(file, sizeBytes))) return undefined
    if (kind === 'graphql' && !(await isGraphqlSchema(file))) return undefined
    if (sizeBytes <= walk.limits.fileBytes) return { path, sizeBytes }
    return { path, reason: `${sizeBytes} bytes, more than the limit of ${walk.limits.fileBytes}` }
  } catch (error) {
    return { path, reason: unreadable(error) }
  }
}

async function followLink(walk: Walk, path: string): Promise<Discovered | undefined> {
  const target = await walk.targetOf(path)
  if (target === undefined) return walk.submodules.has(path) ? undefined : { path, reason: brokenLink }
  if (target.isFolder) {
    walk.folderLinks.push({ path, target: target.path })
    return undefined
  }
  const above = ancestors(target.path).slice(0, -1)
  const isSkipped = above.some((folder) => walk.select.excludedBy(folder) !== undefined)
  if (!isSkipped) walk.empty = notMet(walk.empty, path)
  const isReadAnyway = walk.select.inScope(target.path) || walk.linked.has(target.path)
  if (isSkipped || isReadAnyway) return undefined
  walk.linked.add(target.path)
  return examine(walk, target.path)
}

/** Call it after the walk, which closes folders. */
function linkReason({ select, closed }: Walk, { path, target }: FolderLink): string {
  const excluded = ancestors(path).find((folder) => select.excludedBy(folder))
  if (excluded !== undefined) return `excludeFolders: ${select.excludedBy(excluded)}`
  if (isAround(target, path)) return 'a link to a folder that contains it'
  const inside = ancestors(target).find((folder) => closed.has(folder))
  if (inside !== undefined) return `a link to a folder: ${target}/ is not read (${inside}/: ${closed.get(inside)})`
  return `a link to a folder: ${target}/ is ${select.inScope(target) ? 'read at its own path' : 'not in folders'}`
}

const brokenName = 'its name is not valid UTF-8'
const isBroken = (name: string): boolean => name.includes('\uFFFD')
const childOf = (folder: string, name: string): string => (folder === '' ? name : `${folder}/${name}`)
const unreadable = (error: unknown): string =>
  `cannot be read: ${error instanceof Error && 'code' in error ? error.code : 'unknown error'}`
