import { parentPort } from 'node:worker_threads'
import { type PackageNames, packageNames } from './discover/package-names.ts'
import { findIncluded, type ReadResult, type ReadTask, readDocument } from './read-document.ts'
import { readPage } from './read-page.ts'
import { repositoryTitles } from './titles/repository-titles.ts'
import type { Titled } from './titles/titled.ts'

export type ReaderRequest =
  | { read: ReadTask }
  | { includes: { root: string; paths: string[]; fileBytes: number } }
  | { packageNames: { root: string } }
  | { titles: { root: string; folders: string[] } }
export type ReaderReply = { read: ReadResult } | { includes: string[] } | { packageNames: PackageNames } | { titles: Titled[] }

async function handle(request: ReaderRequest): Promise<ReaderReply> {
  if ('read' in request) return { read: await readDocument(request.read) }
  if ('packageNames' in request) return { packageNames: await packageNames(request.packageNames.root) }
  if ('titles' in request) return { titles: await repositoryTitles(request.titles.root, request.titles.folders, readPage) }
  const { root, paths, fileBytes } = request.includes
  return { includes: await findIncluded(root, paths, fileBytes) }
}

parentPort?.on('message', async (request: ReaderRequest) => parentPort?.postMessage(await handle(request)))
