import { readFileSync, realpathSync, statSync } from 'node:fs'
import { basename, extname, join, relative, sep } from 'node:path'
import { normalize } from 'node:path/posix'
import { fileFindings, withFindings } from '../screening/flag-text.ts'
import type { PackedChunks } from '../search/rows/packed-chunks.ts'
import { megabytes } from '../text/figures.ts'
import { isPlainlyVisible, visible, visibleText } from '../text/visible-text.ts'
import { type AnalysedPage, analysePage, withGeneratedNote } from './analyse-page.ts'
import { maxSourceBytes, NeedsProcess } from './api-reference/parse-source.ts'
import { type Chunk, chunkPage } from './chunk.ts'
import { decodeText } from './discover/decode-text.ts'
import { type PageLanguage, pageLanguage } from './discover/languages/page-language.ts'
import { textTarget } from './discover/text-target.ts'
import { withDistinctTitle } from './distinct-title.ts'
import { documentEndingWith } from './document-paths.ts'
import { type FileAddress, fileUrl } from './file-url.ts'
import type { Enrichments } from './missing-text.ts'
import { moduleAliasesIn } from './module-aliases.ts'
import type { Origin, Page, ReaderContext } from './page/page.ts'
import { parsedOnce } from './parsed-once.ts'
import { peekTitle } from './peek-title.ts'
import { includesOf, isBinaryFormat, isSourceFormat, readBinaryPage, readPage } from './read-page.ts'

/** One file of a clone to read. */
export type ReadTask = {
  root: string
  path: string
  address: FileAddress
  commit: string
  fileBytes: number
  /** The language of the documentation that the page belongs to, if that has several. */
  docsLanguage?: string | undefined
  /** Titles and descriptions for chunks that lack them. */
  enrichments?: Enrichments
  /** The other files of its page: those of a Go package. */
  parts?: readonly string[] | undefined
  /** Several pages have its title. */
  repeatsTitle?: boolean
  /** The source file that a generated page describes: its snippets link to it. */
  source?: string
}
/** A page on its way between threads. */
export type PackedPage = Omit<AnalysedPage, 'chunks'> & { chunks: PackedChunks }
/**
 * `omitted`: the missing part of the page. `unread`: the file could not be read within the limits, or was not
 * tried. `isExpected`: the report does not list the file.
 */
export type ReadResult<Page = PackedPage> = (
  | { page: Page; language?: PageLanguage | undefined; omitted?: string }
  | { skipped: string; unread?: 'timed out' | 'crashed' | 'not tried'; isExpected?: true }
) & {
  /** Paths of the other files that the result depends on, whether or not they exist. Absent if there are none. */
  consulted?: string[] | 'too many'
}

/**
 * The largest real pages have several times fewer. A page with more, tiny chunks would need a hundred times its size in memory.
 */
const maxChunks = 20_000
const lfsPointer = 'version https://git-lfs.github.com/spec/'
/** Limits of one message to the main thread; included files beyond them are indexed as separate pages. */
const maxIncludes = 5_000
const maxIncludeChars = 500_000
/** Other files that are recorded for one page. */
const maxConsulted = 2_000

/**
 * Reads, chunks and analyses one file of a clone. A file that cannot be read is skipped with a reason. Throws only in a thread of the server,
 * `NeedsProcess`.
 */
export async function readDocument(task: ReadTask, { isInThread = false } = {}): Promise<ReadResult<AnalysedPage>> {
  const consulted = new Set<string>()
  const readOther = (path: string) => {
    if (consulted.size <= maxConsulted) consulted.add(normalize(join('/', path)).slice(1))
    return textOrNothing(task.root, path, task.fileBytes)
  }
  let searches = 0
  const findDocument = (ending: string) => {
    searches++
    return documentEndingWith(task.root, task.commit, ending)
  }
  const readOnce = <T>(path: string, name: string, parse: (text: string) => Promise<T>) => {
    consulted.add(path)
    return parsedOnce({ clone: `${task.root} ${task.commit}`, name: `${name} ${path}` }, async () => {
      const text = readOther(path)
      return text === undefined ? undefined : parse(text)
    })
  }
  const result = await readFile(task, { readFile: readOther, findDocument, readOnce, isInThread, parts: task.parts })
  if (consulted.size + searches === 0) return result
  return { ...result, consulted: consulted.size > maxConsulted || searches > 0 ? 'too many' : [...consulted] }
}

async function readFile(
  { root, path, address, commit, fileBytes, docsLanguage, enrichments, source, repeatsTitle }: ReadTask,
  context: Omit<ReaderContext, 'path'>,
): Promise<ReadResult<AnalysedPage>> {
  try {
    const maxBytes = isSourceFormat(path) ? Math.min(fileBytes, maxSourceBytes) : fileBytes
    const opened = isBinaryFormat(path) ? binaryFile(root, path, fileBytes) : textFile(root, path, maxBytes, context)
    if ('skipped' in opened) return opened
    const { text = '', source: raw = '', file } = opened
    const read = file === undefined ? await readPage(text, { path, ...context }) : await readBinaryPage(file, path)
    const page = repeatsTitle ? withDistinctTitle(read, path, peekTitle(text, path)) : read
    const own = chunkPage(page, titleFromPath(source ?? path)).map(inRealFile(root, path))
    // Readers decode escapes and entities, so their output may hold hidden characters again.
    const marked = source === undefined ? own : own.map((chunk) => withNote(chunk, source))
    const shown = marked.map((chunk) => ({ ...visibleChunk(chunk), ...(docsLanguage && { docsLanguage }) }))
    const chunks = isSourceFormat(path) ? shown : withFindings(shown, fileFindings(raw, path, fileUrl(address, commit, path)))
    if (chunks.length === 0 && page.omitted !== undefined) return { skipped: page.omitted }
    if (chunks.length === 0 && isSourceFormat(path)) return { skipped: 'it exports no documented names', isExpected: true }
    if (chunks.length === 0) return { skipped: whyEmpty(text, page) }
    const linked = ({ line, endLine, file = path }: Origin) =>
      source === undefined
        ? fileUrl(address, commit, file, line > 0 ? { first: line, last: endLine } : undefined)
        : fileUrl(address, commit, source)
    const isTitled = page.title !== undefined
    const kept = analysePage(chunks.slice(0, maxChunks), visibleText(source ?? path), linked, {
      isTitled,
      enrichments: visible(enrichments),
    })
    const language = source === undefined ? pageLanguage(chunks) : undefined
    const cut = chunks.length > maxChunks ? `it has ${chunks.length} sections; only the first ${maxChunks} are kept` : undefined
    const omitted = [page.omitted, cut].filter((reason) => reason !== undefined).join('; ')
    return { page: kept, language, ...(omitted !== '' && { omitted }) }
  } catch (error) {
    if (error instanceof NeedsProcess) throw error
    return { skipped: reasonOf(error) }
  }
}

/** `source` is the text before hidden characters were removed. */
type OpenedFile = { text?: string; source?: string; file?: string } | { skipped: string }

function textFile(root: string, path: string, fileBytes: number, context: Pick<ReaderContext, 'readFile'>): OpenedFile {
  const source = decodedText(root, path, fileBytes)
  if (typeof source !== 'string') return { skipped: source.reason }
  const text = visibleText(source)
  const target = textTarget(path, text)
  if (target !== undefined && context.readFile(target) !== undefined)
    return { skipped: `it is a link that was committed as a text file; it leads to ${target}` }
  return { text, source }
}

function binaryFile(root: string, path: string, fileBytes: number): OpenedFile {
  const { file, reason } = fileWithin(root, path, fileBytes)
  return reason === undefined ? { file } : { skipped: reason }
}

/** The files that documents include, the title of each as its first lines show it, and how each imports modules (`moduleAliasesIn`). */
export type Scan = { includes: string[]; titles: [path: string, title: string][]; imports: string[] }

export async function scanDocuments(root: string, paths: string[], fileBytes: number): Promise<Scan> {
  const included = new Set<string>()
  const titles: Scan['titles'] = []
  const imports: string[] = []
  const readFile = (path: string) => textOrNothing(root, path, fileBytes)
  let chars = 0
  for (const path of paths) {
    const text = isBinaryFormat(path) || isSourceFormat(path) ? undefined : readFile(path)
    if (text === undefined) continue
    const title = peekTitle(text, path)
    if (title !== '') titles.push([path, title])
    imports.push(...moduleAliasesIn(text))
    if (included.size >= maxIncludes || chars > maxIncludeChars) continue
    for (const each of (await includesOf(text, { path, readFile })).slice(0, maxIncludes)) {
      const real = realPath(root, each)
      if (each === path || included.has(each) || real === undefined) continue
      chars += each.length + (real === each ? 0 : real.length)
      if (included.size >= maxIncludes || chars > maxIncludeChars) break
      included.add(each).add(real)
    }
  }
  return { includes: [...included], titles, imports }
}

function readText(root: string, path: string, fileBytes: number): string | { reason: string } {
  const text = decodedText(root, path, fileBytes)
  return typeof text === 'string' ? visibleText(text) : text
}

function decodedText(root: string, path: string, fileBytes: number): string | { reason: string } {
  const { file, reason } = fileWithin(root, path, fileBytes)
  if (reason !== undefined) return { reason }
  const text = decodeText(readFileSync(file))
  if (typeof text !== 'string') return text
  return text.startsWith(lfsPointer) ? { reason: 'it is a Git LFS pointer, whose content is not fetched' } : text
}

/** The path of a file on disk without links, and the reason why it is not read. */
function fileWithin(root: string, path: string, fileBytes: number): { file: string; reason?: string } {
  const file = realpathSync.native(join(root, path))
  if (!file.startsWith(realpathSync.native(root) + sep)) return { file, reason: 'it is a link that leads out of the repository' }
  const { size } = statSync(file)
  return size > fileBytes ? { file, reason: `it has ${inTenths(size)}, the limit is ${inTenths(fileBytes)}` } : { file }
}

function textOrNothing(root: string, path: string, fileBytes: number): string | undefined {
  try {
    const text = readText(root, path, fileBytes)
    return typeof text === 'string' ? text : undefined
  } catch {
    return undefined
  }
}

/** The path without links, below the real root. Undefined if there is no such file. */
function realPath(root: string, path: string): string | undefined {
  try {
    return relative(realpathSync.native(root), realpathSync.native(join(root, path)))
  } catch {
    return undefined
  }
}

/** Replaces the path of an included file by that without links, to which an address leads. */
function inRealFile(root: string, page: string): (chunk: Chunk) => Chunk {
  const realPaths = new Map<string, string | undefined>()
  return ({ file, ...chunk }) => {
    if (file === undefined) return chunk
    if (!realPaths.has(file)) realPaths.set(file, realPath(root, file))
    const real = realPaths.get(file) ?? file
    return real === page ? chunk : { ...chunk, file: real }
  }
}

/** The content holds the prose and the code. */
const visibleChunk = (chunk: Chunk): Chunk =>
  isPlainlyVisible(chunk.content) && chunk.breadcrumb.every(isPlainlyVisible) ? chunk : visible(chunk)

const withNote = (chunk: Chunk, source: string): Chunk => ({ ...chunk, content: withGeneratedNote(chunk.content, source) })

const inTenths = (bytes: number): string => megabytes(bytes, (value) => value.toFixed(1))

function titleFromPath(path: string): string {
  const name = basename(path, extname(path))
  const folder = basename(join(path, '..'))
  const words = (/^(index|readme|_index)$/i.test(name) && folder !== '.' && folder !== '' ? folder : name)
    .replace(/[-_]+/g, ' ')
    .trim()
  return words === '' ? path : words.charAt(0).toUpperCase() + words.slice(1)
}

function whyEmpty(text: string, { title, sections }: Page): string {
  if (text.trim() === '') return 'it is empty'
  const hasHeading = title !== undefined || sections.some(({ headings }) => headings.length > 0)
  return hasHeading ? 'it holds no text besides headings' : 'it holds no text'
}

function reasonOf(error: unknown): string {
  const message = error instanceof Error ? error.message : String(error)
  if (message.includes('Maximum call stack size exceeded')) return 'it is nested too deeply'
  return (message.split('\n')[0] ?? 'it cannot be parsed').slice(0, 300)
}
