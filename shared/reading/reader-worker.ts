import { statSync } from 'node:fs'
import { join } from 'node:path'
import { chunkBuffers, packChunks } from '../search/rows/packed-chunks.ts'
import { maxThreadSourceBytes, NeedsProcess } from './api-reference/parse-source.ts'
import type { PackageNames } from './discover/package-names.ts'
import { type ReadResult, type ReadTask, readDocument, type Scan, scanDocuments } from './read-document.ts'
import { isBinaryFormat, isSourceFormat, readPage } from './read-page.ts'
import { serveBatches } from './serve-batches.ts'
import type { Titled } from './titles/titled.ts'

export type ReaderRequest =
  | { read: ReadTask; maxBytes: number }
  | { scan: { root: string; paths: string[]; fileBytes: number } }
  | { packageNames: { root: string } }
  | { titles: { root: string; folders: string[] } }
  | { descriptionTitles: { root: string } }
export type ReaderReply =
  | { read: ReadResult }
  | { tooLarge: true }
  | { scan: Scan }
  | { packageNames: PackageNames }
  | { titles: Titled[] }

/** Parsers of some formats allocate memory that the heap limit of a thread does not bound. */
function maxThreadBytes(path: string): number {
  if (isBinaryFormat(path)) return -1
  return isSourceFormat(path) ? maxThreadSourceBytes : Number.POSITIVE_INFINITY
}

async function handle(request: ReaderRequest): Promise<ReaderReply> {
  if ('read' in request) {
    const { read, maxBytes } = request
    if (sizeOf(read) > Math.min(maxBytes, Number.isFinite(maxBytes) ? maxThreadBytes(read.path) : maxBytes))
      return { tooLarge: true }
    try {
      return { read: await readPacked(read, Number.isFinite(maxBytes)) }
    } catch (error) {
      if (error instanceof NeedsProcess) return { tooLarge: true }
      throw error
    }
  }
  // These modules are loaded on first use: most threads only read pages, and loading them would make the start slower.
  if ('packageNames' in request) {
    const { packageNames } = await import('./discover/package-names.ts')
    return { packageNames: await packageNames(request.packageNames.root) }
  }
  if ('titles' in request) {
    const { repositoryTitles } = await import('./titles/repository-titles.ts')
    return { titles: await repositoryTitles(request.titles.root, request.titles.folders, readPage) }
  }
  if ('descriptionTitles' in request) {
    const { descriptionTitles } = await import('./titles/description-titles.ts')
    return { titles: await descriptionTitles(request.descriptionTitles.root) }
  }
  const { root, paths, fileBytes } = request.scan
  return { scan: await scanDocuments(root, paths, fileBytes) }
}

/** The size of the largest file of a page. Follows links. 0 for a file that cannot be read, for which the reader reports the reason. */
const sizeOf = ({ root, path, parts = [] }: ReadTask): number =>
  [path, ...parts].reduce((max, each) => Math.max(max, fileSize(join(root, each))), 0)

function fileSize(file: string): number {
  try {
    return statSync(file).size
  } catch {
    return 0
  }
}

async function readPacked(task: ReadTask, isInThread: boolean): Promise<ReadResult> {
  const result = await readDocument(task, { isInThread })
  if ('skipped' in result) return result
  const { page, ...rest } = result
  return { ...rest, page: { ...page, chunks: packChunks(page.chunks) } }
}

serveBatches(handle, buffersOf)

function buffersOf(reply: ReaderReply): ArrayBuffer[] {
  return 'read' in reply && 'page' in reply.read ? chunkBuffers(reply.read.page.chunks) : []
}
