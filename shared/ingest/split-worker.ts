import { parentPort } from 'node:worker_threads'
import { findIncluded, type SplitResult, type SplitTask, splitFile } from './split-file.ts'

export type WorkerRequest = { split: SplitTask } | { includes: { root: string; paths: string[]; fileBytes: number } }
export type WorkerAnswer = { split: SplitResult } | { includes: string[] }

const answer = async (request: WorkerRequest): Promise<WorkerAnswer> =>
  'split' in request
    ? { split: await splitFile(request.split) }
    : { includes: await findIncluded(request.includes.root, request.includes.paths, request.includes.fileBytes) }

parentPort?.on('message', async (request: WorkerRequest) => parentPort?.postMessage(await answer(request)))
