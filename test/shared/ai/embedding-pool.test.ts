import { join } from 'node:path'
import { afterEach, describe, expect, test } from 'vitest'
import type { Embedder, EmbedderLimits } from '../../../shared/ai/embedder.ts'
import { embeddingPool } from '../../../shared/ai/embedding-pool.ts'
import { AppError } from '../../../shared/errors.ts'
import { writeEncoder } from '../../fixtures/local-models/tiny-model.ts'
import { aiWith } from '../../fixtures/providers/ai-of.ts'
import { startBedrock } from '../../fixtures/providers/bedrock.ts'
import { hashVector } from '../../fixtures/providers/hash-vector.ts'
import { type OpenaiOptions, startGemini, startOpenai } from '../../fixtures/providers/openai.ts'
import { type Peculiarities, startPeculiar } from '../../fixtures/providers/peculiar.ts'
import type { ProviderServer } from '../../fixtures/providers/provider-server.ts'
import { testEmbedder } from '../../fixtures/test-embedder.ts'

let provider: ProviderServer | undefined
afterEach(() => provider?.close())

const eventually = (ask: () => unknown) => expect.poll(ask, { interval: 2 })
const soon = { pausesMs: [1, 1, 1, 1] }
const texts = (count: number) => Array.from({ length: count }, (_, n) => `snippet number ${n} speaks of ${n * 7}`)
const expected = (all: string[], dimensions = 64) => all.map((text) => Float32Array.from(hashVector(text, dimensions)))

/** A custom endpoint on loopback: batches of 32 texts, 4 requests at once. */
async function customEmbedder(options: OpenaiOptions = {}, more: Record<string, unknown> = {}) {
  provider = await startOpenai(options)
  const { ai } = aiWith({ 'embedding.provider': 'custom', 'embedding.baseUrl': provider.url, 'embedding.model': 'm', ...more })
  return { provider, embedder: ai.embedder() as Embedder }
}

const sizes = ({ requests }: ProviderServer) => requests.map(({ body }) => (body.input as string[]).length)

test('many texts become full batches, and their vectors are returned in order', async () => {
  const { provider, embedder } = await customEmbedder()
  const all = texts(100)
  expect(await embeddingPool(embedder).embed(all)).toEqual(expected(all))
  expect(sizes(provider)).toEqual([32, 32, 32, 4])
})

test('calls of one moment share their batches', async () => {
  const { provider, embedder } = await customEmbedder()
  const pool = embeddingPool(embedder)
  const all = texts(40)
  const vectors = await Promise.all(all.map((text) => pool.embed([text])))
  expect(vectors.flat()).toEqual(expected(all))
  expect(sizes(provider)).toEqual([32, 8])
})

test('a batch contains no more tokens than the provider accepts', async () => {
  const { provider, embedder } = await customEmbedder()
  await embeddingPool(embedder).embed(Array.from({ length: 5 }, () => 'word '.repeat(6_000)))
  expect(sizes(provider)).toEqual([2, 2, 1])
})

test('requests run concurrently, up to the allowed number', async () => {
  const { provider, embedder } = await customEmbedder({ delayMs: 20 })
  await embeddingPool(embedder).embed(texts(32 * 12))
  expect(provider.maxAtOnce).toBe(4)
})

test.each([
  [{ kind: 'status', status: 429, retryAfter: '0' }],
  [{ kind: 'status', status: 500 }],
  [{ kind: 'status', status: 503, message: 'loading' }],
  [{ kind: 'reset' }],
  [{ kind: 'truncated' }],
  [{ kind: 'half' }],
  [{ kind: 'nan' }],
  [{ kind: 'missing' }],
] as const)('a batch is sent again after the fault $kind $status', async (fault) => {
  const { provider, embedder } = await customEmbedder()
  provider.fail(fault)
  const all = texts(3)
  expect(await embeddingPool(embedder, undefined, soon).embed(all)).toEqual(expected(all))
  expect(provider.requests).toHaveLength(2)
})

test('a vector whose length differs from the others is requested again', async () => {
  const { provider, embedder } = await customEmbedder()
  const pool = embeddingPool(embedder, undefined, soon)
  await pool.embed(['first'])
  expect(embedder.dimensions).toBe(64)
  provider.fail({ kind: 'dimensions', dimensions: 63 })
  expect(await pool.embed(['second'])).toEqual(expected(['second']))
  expect(provider.requests).toHaveLength(3)
})

test('a provider that requests a pause receives no request during it', async () => {
  const { provider, embedder } = await customEmbedder()
  provider.fail({ kind: 'status', status: 429, retryAfter: '1' })
  const began = performance.now()
  await embeddingPool(embedder, undefined, soon).embed(['text'])
  expect(performance.now() - began).toBeGreaterThanOrEqual(1_000)
})

test('a provider that requests a pause of more than a minute receives no second attempt, and the error has the length of the pause', async () => {
  const { provider, embedder } = await customEmbedder()
  provider.fail({ kind: 'status', status: 429, retryAfter: '3600', message: 'Slow down.' })
  const { host } = new URL(provider.url)
  await expect(embeddingPool(embedder, undefined, soon).embed(['text'])).rejects.toMatchObject({
    code: 'rate_limit_exceeded',
    message: `${host} received too many requests (429): Slow down.`,
    retry: 'limited',
    retryAfterMs: 3_600_000,
  })
  expect(provider.requests).toHaveLength(1)
})

test('a pool ends with a transient error after five failed attempts', async () => {
  const { provider, embedder } = await customEmbedder()
  provider.failAlways({ kind: 'status', status: 500, message: 'out of order' })
  const pool = embeddingPool(embedder, undefined, soon)
  const failure = { retry: 'limited', message: `${new URL(provider.url).host} failed (500): out of order.` }
  const [one, two] = await Promise.allSettled([pool.embed(texts(1)), pool.embed(texts(500))])
  expect(one).toMatchObject({ status: 'rejected', reason: failure })
  expect(two).toMatchObject({ status: 'rejected', reason: failure })
  expect(provider.requests.length).toBeLessThanOrEqual(20)
  const before = provider.requests.length
  await expect(pool.embed(['later'])).rejects.toMatchObject(failure)
  expect(provider.requests).toHaveLength(before)
})

test('a text that is too long for the model is halved until it fits, and the other texts of its batch stay whole', async () => {
  const { embedder } = await customEmbedder({ maxCharacters: 1_000 })
  const long = `${'long '.repeat(700)}end`
  const all = ['one', 'two', long, 'three']
  const [one, two, cut, three] = await embeddingPool(embedder, undefined, soon).embed(all)
  expect([one, two, three]).toEqual(expected(['one', 'two', 'three']))
  expect(cut).toEqual(expected([long.slice(0, 875)])[0])
})

test('a batch that is rejected for its number of texts is sent in parts', async () => {
  const { provider, embedder } = await customEmbedder({ maxTexts: 10 })
  const all = texts(32)
  expect(await embeddingPool(embedder, undefined, soon).embed(all)).toEqual(expected(all))
  expect(sizes(provider)).toEqual([32, 16, 8, 8, 16, 8, 8])
})

test('a pool uses the batch size that succeeded after a batch was too large', async () => {
  const { provider, embedder } = await customEmbedder({ maxTexts: 10 })
  const pool = embeddingPool(embedder, undefined, soon)
  await pool.embed(['first'])
  await pool.embed(texts(32))
  provider.requests.length = 0
  expect(await pool.embed(texts(64))).toEqual(expected(texts(64)))
  expect(sizes(provider)).toEqual(Array(8).fill(8))
})

test.each([
  ['cut to what the model can read, never inside a character', `x${'😀'.repeat(20_000)}`, `x${'😀'.repeat(15_999)}`],
  ['sent as a dash if it is empty', '', '-'],
  ['sent with a replacement character for half of a character', '\ud83d', '\ufffd'],
])('a text is %s', async (_, text, sent) => {
  const { provider, embedder } = await customEmbedder()
  await embeddingPool(embedder).embed([text])
  expect(provider.requests[0]?.body.input).toEqual([sent])
})

test('an aborted job aborts its requests', async () => {
  const { provider, embedder } = await customEmbedder()
  provider.failAlways({ kind: 'silent' })
  const job = new AbortController()
  const embedded = embeddingPool(embedder, job.signal).embed(texts(100))
  await eventually(() => provider.requests.length).toBe(4)
  job.abort(new Error('cancelled'))
  await expect(embedded).rejects.toThrow('cancelled')
})

/** An embedder whose requests are answered by the test. */
function embedderByHand(requestsAtOnce: number) {
  const open: { answer(): void; refuse(error: unknown): void; signal: AbortSignal | undefined }[] = []
  const limits: EmbedderLimits = { batchTexts: 1, batchTokens: 100, textTokens: 100, requestsAtOnce }
  const embed: Embedder['embed'] = (all, _, signal) =>
    new Promise((resolve, refuse) => open.push({ answer: () => resolve(all.map(() => Float32Array.of(1))), refuse, signal }))
  return {
    embedder: { model: 'm', dimensions: 1, limits, search: { weight: 0.3, readsOnlyEnglish: false }, embed } satisfies Embedder,
    open,
  }
}

test('a pool that is rate-limited sends half as many requests at a time, and slowly increases the number again', async () => {
  const { embedder, open } = embedderByHand(8)
  const embedded = embeddingPool(embedder, undefined, soon).embed(texts(30))
  await eventually(() => open.length).toBe(8)
  const [first, ...others] = open.splice(0)
  first?.refuse(new AppError('rate_limit_exceeded', 'Too many.', { retry: 'limited' }))
  await eventually(() => open.length).toBe(1)
  for (const { answer } of others) answer()
  // Four, and one more for the seven that were answered.
  await eventually(() => open.length).toBe(5)
  for (let turn = 0; turn < 20; turn++) await new Promise(setImmediate)
  expect(open.length).toBe(5)
  const ended = embedded.finally(() => clearInterval(answering))
  const answering = setInterval(() => open.splice(0).map(({ answer }) => answer()), 1)
  expect(await ended).toHaveLength(30)
})

test('a pool aborts its running requests after the first permanent failure', async () => {
  const { embedder, open } = embedderByHand(2)
  const pool = embeddingPool(embedder, undefined, soon)
  const one = pool.embed(['one'])
  await eventually(() => open.length).toBe(1)
  const two = pool.embed(['two'])
  await eventually(() => open.length).toBe(2)
  open[0]?.refuse(new AppError('provider_unavailable', 'The key is wrong.'))
  await expect(one).rejects.toThrow('The key is wrong.')
  expect(open[1]?.signal?.aborted).toBe(true)
  open[1]?.refuse(open[1].signal?.reason)
  await expect(two).rejects.toThrow('The key is wrong.')
})

/** A provider that makes no vector of one text in a batch of 32, and the number of its requests for that. */
async function withBadText(options: Peculiarities, text = 'Some bad text.') {
  const peculiar = await startPeculiar({ isBad: (each) => each.includes('bad'), ...options })
  provider = peculiar
  const { ai } = aiWith({ 'embedding.provider': 'custom', 'embedding.baseUrl': peculiar.url, 'embedding.model': 'm' })
  const pool = embeddingPool(ai.embedder() as Embedder, undefined, soon)
  // The provider is known before.
  await pool.embed(['first'])
  peculiar.requests.length = 0
  const all = texts(32).with(11, text)
  const refusals: [number, string][] = []
  const vectors = await pool.embed(all, (at, { message }) => refusals.push([at, message]))
  return { all, vectors, refusals, requests: peculiar.texts() }
}

describe('one text of a batch of 32 for which the provider returns no vector', () => {
  // Two requests for each of five halvings, attempts at the batch or at the text, and requests with another text.
  test.each<[string, Peculiarities, number]>([
    ['is refused', { bad: 400 }, 2 * 5 + 5],
    ['fails', { bad: 500 }, 2 * 5 + 2 * 5 + 1],
    ['has a vector with a gap', { bad: 'nan' }, 2 * 5 + 2 * 5 + 1],
  ])('costs few requests if it %s', async (_, options, most) => {
    const { all, vectors, refusals, requests } = await withBadText(options)
    expect(vectors).toEqual(all.map((text, at) => (at === 11 ? new Float32Array(64) : Float32Array.from(hashVector(text, 64)))))
    expect(refusals).toEqual([[11, expect.any(String)]])
    expect(requests.length).toBeLessThanOrEqual(most)
  })

  test('is shortened first, but not to nothing', async () => {
    const { refusals, requests } = await withBadText({ bad: 400 }, `bad ${'text '.repeat(200)}`)
    const sizes = requests.filter((sent) => sent.length === 1 && sent[0]?.startsWith('bad')).map(([text]) => text?.length)
    expect(sizes).toEqual([1004, 1004, 1004, 502, 251, 125])
    expect(refusals).toHaveLength(1)
  })
})

test.each([400, 500])('a fourth text that a provider rejects with %s costs fewer requests than the first three', async (bad) => {
  const peculiar = await startPeculiar({ isBad: (each) => each.includes('bad'), bad })
  provider = peculiar
  const { ai } = aiWith({ 'embedding.provider': 'custom', 'embedding.baseUrl': peculiar.url, 'embedding.model': 'm' })
  const pool = embeddingPool(ai.embedder() as Embedder, undefined, soon)
  const counts: number[] = []
  await pool.embed(['first'])
  for (let n = 0; n < 4; n++) {
    peculiar.requests.length = 0
    await pool.embed(texts(16).with(n, `bad ${n}`))
    counts.push(peculiar.texts().filter((sent) => sent.some((text) => text.startsWith('bad'))).length)
  }
  // The batch, its four parts and the text.
  expect(counts).toEqual(bad === 400 ? [7, 7, 7, 5] : [5 + 3 + 5, 5 + 3 + 5, 5 + 3 + 5, 3 + 3 + 3])
})

test('a text is not blamed if the provider goes down while its batch is halved', async () => {
  const embedder = testEmbedder()
  let asked = 0
  embedder.before = (sent) => {
    if (sent.some((text) => text.includes('bad')) || ++asked > 5)
      throw new AppError('provider_unavailable', 'The provider is away.', { retry: 'limited' })
  }
  const refusals: unknown[] = []
  const embedded = embeddingPool(embedder, undefined, soon).embed([...texts(15), 'bad'], (at) => refusals.push(at))
  await expect(embedded).rejects.toThrow('The provider is away.')
  expect(refusals).toEqual([])
})

test('a text that Bedrock or Gemini rejects is omitted from its batch', async () => {
  const isBad = (text: string) => text.startsWith('x')
  const all = ['one', 'two', 'x'.repeat(90), 'three']
  const bedrock = await startBedrock({ key: 'k-1', dimensions: 1024, maxCharacters: 80 })
  const gemini = await startGemini({ key: 'k-1', maxCharacters: 80 })
  for (const settings of [
    { 'embedding.provider': 'bedrock', 'embedding.baseUrl': bedrock.url, 'aws.region': 'eu-central-1' },
    { 'embedding.provider': 'gemini', 'embedding.baseUrl': gemini.url, 'embedding.dimensions': 1024 },
  ]) {
    const embedder = aiWith({ ...settings, 'embedding.apiKey': 'k-1' }).ai.embedder() as Embedder
    const refused: number[] = []
    const vectors = await embeddingPool(embedder, undefined, soon).embed(all, (at) => refused.push(at))
    expect(vectors).toEqual(all.map((text) => (isBad(text) ? new Float32Array(1024) : expected([text], 1024)[0])))
    expect(refused).toEqual([2])
  }
  await Promise.all([bedrock.close(), gemini.close()])
})

test('a local model that crashes on one text embeds the others, and fails if it crashes on every text', async () => {
  const module = new URL('../../fixtures/local-models/fake-runtime.mjs', import.meta.url).href
  const { ai, dataDir, settings } = aiWith(
    { 'embedding.provider': 'local', 'embedding.model': 'fine' },
    { env: {} },
    { runtime: { onnx: module, tokenizers: module } },
  )
  for (const name of ['fine', 'die']) writeEncoder(join(dataDir, 'models', name))
  const refusals: string[] = []
  const all = ['one', 'exit', 'three', 'throw']
  const vectors = await embeddingPool(ai.embedder() as Embedder, undefined, soon).embed(all, (at, { message }) =>
    refusals.push(`${all[at]}: ${message}`),
  )
  expect(vectors.map((vector) => vector.some((each) => each !== 0))).toEqual([true, false, true, false])
  expect(refusals).toEqual([
    expect.stringMatching(/^exit: The model "fine" crashed: /),
    'throw: The model "fine" failed: no memory is left.',
  ])
  settings.change({ 'embedding.model': 'die' })
  const embedded = embeddingPool(ai.embedder() as Embedder, undefined, soon).embed(all)
  await expect(embedded).rejects.toMatchObject({ retry: 'never', message: expect.stringContaining('"die" crashed') })
})
