import { once } from 'node:events'
import { Worker } from 'node:worker_threads'
import { expect, onTestFinished, test } from 'vitest'
import { storeSpareWorker, takeSpareWorker } from '../../../shared/system/spare-worker.ts'

test.each([
  ['little', 1, true],
  ['much', 100, false],
])('a reader with %s memory outside its heap (%i MB) is kept: %s', async (kind, sizeMb, isKept) => {
  const script = `const { parentPort } = require('node:worker_threads')
    const held = Buffer.alloc(${sizeMb} * 1024 ** 2, 1)
    parentPort.on('message', () => parentPort.postMessage(held.length))`
  const worker = new Worker(script, { eval: true })
  onTestFinished(async () => void (await worker.terminate()))
  worker.postMessage('begin')
  await once(worker, 'message')
  await storeSpareWorker(kind, worker, 50)
  expect(takeSpareWorker(kind) === worker).toBe(isKept)
})
