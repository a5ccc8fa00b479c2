import { join } from 'node:path'
import { expect, onTestFinished, test } from 'vitest'
import { type LocalModelsOptions, localModels } from '../../../../shared/ai/local/local-models.ts'
import { writeCrossEncoder } from '../../../fixtures/local-models/tiny-model.ts'
import { tempDir } from '../../../fixtures/temp-dir.ts'

const module = new URL('../../../fixtures/local-models/fake-transformers.mjs', import.meta.url).href

/** A cross-encoder whose scores are the number of its thread. */
function fakeModel(limits: LocalModelsOptions['limits'] = {}) {
  const modelsDir = tempDir()
  writeCrossEncoder(join(modelsDir, 'fake'))
  const stop = new AbortController()
  onTestFinished(() => stop.abort())
  const models = localModels({ modelsDir, module, stopping: stop.signal, limits })
  const model = models.find('fake', 'reranking')
  const score = (passages: string[], signal?: AbortSignal) => models.score(model, 'question', passages, signal)
  return { score, stop, thread: async () => (await score(['one']))[0] }
}

test('requests share a thread, which loads the model once', async () => {
  const { thread } = fakeModel()
  const [first] = await Promise.all([thread(), thread()])
  expect(await thread()).toBe(first)
})

test('the memory of a model that nobody has used for a while is freed, and the next request loads it again', async () => {
  const { thread } = fakeModel({ idleMs: 1 })
  const first = await thread()
  await expect.poll(thread).not.toBe(first)
})

test.each([
  ['exit', {}, 'internal_error', 'The model "fake" crashed: it ended.'],
  ['fill', { heapMb: 64 }, 'internal_error', 'The model "fake" crashed: its thread needs more than 64 MB.'],
  ['throw', {}, 'internal_error', 'The model "fake" failed: no memory is left.'],
  ['hang', { requestMs: 3_000 }, 'timeout', 'The model "fake" did not respond within 3 s.'],
])('after a text at which a thread can only %s, the next request has a new thread', async (text, limits, code, message) => {
  const { score, thread } = fakeModel(limits)
  const first = await thread()
  await expect(score([text])).rejects.toMatchObject({ code, message, shown: true })
  expect(await thread()).not.toBe(first)
})

test('a request that nobody waits for ends between two batches, and its thread serves the next one', async () => {
  const { score, thread } = fakeModel()
  const first = await thread()
  const abort = new AbortController()
  const long = 'x'.repeat(4_000)
  // The last batch would end the thread.
  const scoring = score([...Array(200).fill(long), `${long}x`, 'exit'], abort.signal)
  abort.abort(new Error('left'))
  await expect(scoring).rejects.toThrow('left')
  expect(await thread()).toBe(first)
})

test('more requests than may wait are rejected at once, as by a provider that is busy', async () => {
  const { thread } = fakeModel({ maxWaiting: 2 })
  const asked = await Promise.allSettled(Array.from({ length: 5 }, thread))
  const rejected = asked.flatMap((each) => (each.status === 'rejected' ? [each.reason] : []))
  expect(rejected).toHaveLength(2)
  expect(rejected[0]).toMatchObject({
    code: 'rate_limit_exceeded',
    transient: true,
    message: 'Too many texts wait for the model "fake".',
  })
})

test('a server that stops ends its threads and the requests that they have', async () => {
  const { score, thread, stop } = fakeModel()
  await thread()
  const waiting = score(['hang'])
  stop.abort(new Error('stopping'))
  await expect(waiting).rejects.toThrow('stopping')
  await expect(thread()).rejects.toThrow('stopping')
})
