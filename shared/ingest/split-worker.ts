import { parentPort } from 'node:worker_threads'
import { findIncluded, type SplitTask, splitFile } from './split-file.ts'

export type WorkerRequest = { split: SplitTask } | { includes: { root: string; paths: string[]; fileBytes: number } }

parentPort?.on('message', async (request: WorkerRequest) => {
  if ('split' in request) parentPort?.postMessage(await splitFile(request.split))
  else parentPort?.postMessage(await findIncluded(request.includes.root, request.includes.paths, request.includes.fileBytes))
})
