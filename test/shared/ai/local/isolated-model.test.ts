import { execFileSync, spawn } from 'node:child_process'
import { once } from 'node:events'
import { existsSync, readdirSync, readFileSync, readlinkSync, writeFileSync } from 'node:fs'
import { getPriority } from 'node:os'
import { join } from 'node:path'
import { setTimeout as sleep } from 'node:timers/promises'
import { fileURLToPath } from 'node:url'
import { expect, onTestFinished, test } from 'vitest'
import { type LocalModelsOptions, localModels } from '../../../../shared/ai/local/local-models.ts'
import { writeCrossEncoder, writeEncoder } from '../../../fixtures/local-models/tiny-model.ts'
import { tempDir } from '../../../fixtures/temp-dir.ts'

const module = new URL('../../../fixtures/local-models/fake-runtime.mjs', import.meta.url).href

/** A cross-encoder whose scores are the number of its process. */
function fakeModel(limits: LocalModelsOptions['limits'] = {}) {
  const modelsDir = tempDir()
  writeCrossEncoder(join(modelsDir, 'fake'))
  const stop = new AbortController()
  onTestFinished(() => stop.abort())
  const runtime = { onnx: module, tokenizers: module }
  const models = localModels({ modelsDir, runtime, stopping: stop.signal, limits })
  const model = models.find('fake', 'reranking')
  const score = (passages: string[], signal?: AbortSignal) => models.score(model, 'question', passages, signal)
  return { score, stop, pid: async () => (await score(['one']))[0] }
}

const runs = (pid: number | undefined) =>
  existsSync(`/proc/${pid}`) && !/State:\s+Z/.test(readFileSync(`/proc/${pid}/status`, 'utf8'))

/** A text at which a model reads a pipe to which nobody writes, outside of JavaScript. Nothing but SIGKILL ends that. */
function endlessText(): string {
  const pipe = join(tempDir(), 'pipe')
  execFileSync('sh', ['-c', 'mkfifo "$0"', pipe])
  return `read ${pipe}`
}

/** True if a process reads such a pipe. */
const reads = (pid: number | undefined) =>
  readdirSync(`/proc/${pid}/fd`).some((fd) => {
    try {
      return readlinkSync(`/proc/${pid}/fd/${fd}`).endsWith('/pipe')
    } catch {
      return false
    }
  })

test('requests share a process, which loads the model once', async () => {
  const { pid } = fakeModel()
  const [first] = await Promise.all([pid(), pid()])
  expect(await pid()).toBe(first)
  expect(first).not.toBe(process.pid)
})

test('the kernel ends the process of a model before the server when memory runs out', async () => {
  const { pid } = fakeModel()
  expect(readFileSync(`/proc/${await pid()}/oom_score_adj`, 'utf8').trim()).toBe('1000')
})

test('documents are embedded in a process that only gets what others leave of the processors', async () => {
  const modelsDir = tempDir()
  writeEncoder(join(modelsDir, 'fake'))
  const stop = new AbortController()
  onTestFinished(() => stop.abort())
  const models = localModels({ modelsDir, runtime: { onnx: module, tokenizers: module }, stopping: stop.signal })
  const priority = async (purpose: 'document' | 'query') => {
    const vectors = await models.encode(models.find('fake', 'embedding'), ['one'], purpose)
    const [share = 0, length = 0] = vectors[0] ?? []
    return getPriority(Math.round((share / length) * 'one'.length))
  }
  expect([await priority('document'), await priority('query')]).toEqual([19, 0])
})

test('the process of an unused model ends after a while, and the next request starts another', async () => {
  const { pid } = fakeModel({ idleMs: 1 })
  const first = await pid()
  await expect.poll(() => runs(first), { timeout: 60_000 }).toBe(false)
  expect(await pid()).not.toBe(first)
})

test('a running request is not ended by the idle timer of an earlier request that was aborted', async () => {
  const { score, pid } = fakeModel({ idleMs: 1_500, requestMs: 10_000 })
  const first = await pid()
  const abort = new AbortController()
  const left = score(['one'], abort.signal)
  abort.abort(new Error('left'))
  await expect(left).rejects.toThrow('left')
  // Its turn ends in the next turn of the event loop.
  await sleep(10)
  const text = endlessText()
  const scoring = score([text])
  await expect.poll(() => reads(first), { timeout: 60_000 }).toBe(true)
  await sleep(3_000)
  writeFileSync(text.slice('read '.length), 'x', { flag: 'r+' })
  expect(await scoring).toEqual([first])
})

const outOfMemory = 'choose a smaller one, or give the server more memory.'

test.each([
  ['exit', {}, 'provider_unavailable', 'The model "fake" crashed: it ended.'],
  ['fill', { heapMb: 64 }, 'provider_unavailable', 'The model "fake" crashed: its thread needs more than 64 MB.'],
  [
    'grow',
    { memoryMb: 300 },
    'provider_unavailable',
    `The model "fake" needs more than the 300 MB of memory that it may use; ${outOfMemory}`,
  ],
  [
    'die',
    {},
    'provider_unavailable',
    expect.stringMatching(/^The model "fake" crashed: the system ended its process, perhaps because memory/),
  ],
  [
    'lack',
    {},
    'provider_unavailable',
    'The model "fake" crashed: this processor lacks instructions that it needs; choose a provider for embeddings.',
  ],
  ['throw', {}, 'provider_unavailable', 'The model "fake" failed: no memory is left.'],
  ['hang', { requestMs: 3_000 }, 'timeout', 'The model "fake" did not respond within 3 s.'],
])('a process whose text makes it %s is replaced for the next request', async (text, limits, code, message) => {
  const { score, pid } = fakeModel(limits)
  const first = await pid()
  await expect(score([text])).rejects.toMatchObject({ code, message })
  expect(await pid()).not.toBe(first)
  await expect.poll(() => runs(first), { timeout: 60_000 }).toBe(false)
})

test('a model that computes endlessly is killed at its time limit, even if all callers left', async () => {
  const { score, pid } = fakeModel({ requestMs: 3_000 })
  const first = await pid()
  await expect(score([endlessText()])).rejects.toMatchObject({ code: 'timeout' })
  const second = await pid()
  const abort = new AbortController()
  const scoring = score([endlessText()], abort.signal)
  await expect.poll(() => reads(second), { timeout: 60_000 }).toBe(true)
  abort.abort(new Error('left'))
  await expect(scoring).rejects.toThrow('left')
  await expect.poll(() => [runs(first), runs(second)], { timeout: 60_000 }).toEqual([false, false])
})

test('an aborted request ends between two batches, and its process serves the next request', async () => {
  const { score, pid } = fakeModel()
  const first = await pid()
  const abort = new AbortController()
  const long = 'x'.repeat(4_000)
  // The last batch would end the process.
  const scoring = score([...Array(200).fill(long), `${long}x`, 'exit'], abort.signal)
  abort.abort(new Error('left'))
  await expect(scoring).rejects.toThrow('left')
  expect(await pid()).toBe(first)
})

test('a request above the maximum number of waiting requests is rejected as rate-limited', async () => {
  const { pid } = fakeModel({ maxWaiting: 2 })
  const asked = await Promise.allSettled(Array.from({ length: 5 }, pid))
  const rejected = asked.flatMap((each) => (each.status === 'rejected' ? [each.reason] : []))
  expect(rejected).toHaveLength(2)
  expect(rejected[0]).toMatchObject({
    code: 'rate_limit_exceeded',
    retry: 'limited',
    message: 'Too many texts wait for the model "fake".',
  })
})

test('a server that stops ends its models and their requests', async () => {
  const { score, pid, stop } = fakeModel()
  const first = await pid()
  const waiting = score([endlessText()])
  await expect.poll(() => reads(first), { timeout: 60_000 }).toBe(true)
  stop.abort(new Error('stopping'))
  await expect(waiting).rejects.toThrow('stopping')
  await expect(pid()).rejects.toThrow('stopping')
  await expect.poll(() => runs(first), { timeout: 60_000 }).toBe(false)
})

test.each(['SIGTERM', 'SIGKILL'] as const)(
  'a process that ends with %s also ends its model that computes endlessly',
  async (signal) => {
    const modelsDir = tempDir()
    writeEncoder(join(modelsDir, 'fake'))
    const program = fileURLToPath(new URL('../../../fixtures/local-models/use-model.ts', import.meta.url))
    const child = spawn(process.execPath, [program, modelsDir, 'fake', module, endlessText()], { stdio: 'ignore' })
    onTestFinished(() => void child.kill('SIGKILL'))
    const children = () => readFileSync(`/proc/${child.pid}/task/${child.pid}/children`, 'utf8').trim()
    await expect.poll(children, { timeout: 60_000 }).not.toBe('')
    const model = Number(children())
    await expect.poll(() => reads(model), { timeout: 60_000 }).toBe(true)
    child.kill(signal)
    if (child.exitCode === null && child.signalCode === null) await once(child, 'exit')
    await expect.poll(() => runs(model), { timeout: 60_000 }).toBe(false)
  },
)
