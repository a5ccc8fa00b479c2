import { parentPort } from 'node:worker_threads'
import { type PackageNames, packageNames } from './discover/package-names.ts'
import { findIncluded, type ReadResult, type ReadTask, readDocument } from './read-document.ts'

export type WorkerRequest =
  | { split: ReadTask }
  | { includes: { root: string; paths: string[]; fileBytes: number } }
  | { packageNames: { root: string } }
export type WorkerAnswer = { split: ReadResult } | { includes: string[] } | { packageNames: PackageNames }

async function answer(request: WorkerRequest): Promise<WorkerAnswer> {
  if ('split' in request) return { split: await readDocument(request.split) }
  if ('packageNames' in request) return { packageNames: await packageNames(request.packageNames.root) }
  const { root, paths, fileBytes } = request.includes
  return { includes: await findIncluded(root, paths, fileBytes) }
}

parentPort?.on('message', async (request: WorkerRequest) => parentPort?.postMessage(await answer(request)))
