import { setImmediate as turn } from 'node:timers/promises'
import { expect, onTestFinished, test, vi } from 'vitest'
import { openVectors } from '../../../../onprem/store/vectors/open-vectors.ts'
import { sqliteVectors } from '../../../../onprem/store/vectors/sqlite-vectors.ts'
import type { VectorSpace } from '../../../../shared/ai/embedder.ts'
import { providerRefusal } from '../../../../shared/ai/provider-refusal.ts'
import { AppError } from '../../../../shared/errors.ts'
import { embeddingStore, leftOutSnippets } from '../../../../shared/indexing/embedding/embedding-store.ts'
import { knownVectors } from '../../../../shared/indexing/embedding/known-vectors.ts'
import { waitingRow } from '../../../../shared/indexing/embedding/waiting-rows.ts'
import { unpackRows } from '../../../../shared/search/rows/pack-rows.ts'
import type { GenerationWriter, SnippetRow } from '../../../../shared/search/rows/snippet-store.ts'
import { row } from '../../../contracts/snippet-row.ts'
import { failure } from '../../../fixtures/failure.ts'
import { tempDir } from '../../../fixtures/temp-dir.ts'
import { features, type TestEmbedder, testEmbedder } from '../../../fixtures/test-embedder.ts'

/** A store that keeps rows in memory. */
function memory() {
  const tables = new Map<string, SnippetRow[]>()
  const write = async (generation: string): Promise<GenerationWriter> => {
    const rows = tables.get(generation) ?? []
    tables.set(generation, rows)
    return {
      written: rows.length,
      add: async (more) => void rows.push(...(Array.isArray(more) ? more : unpackRows(more))),
      finish: async () => undefined,
      abort: async () => void tables.delete(generation),
    }
  }
  return { tables, write }
}

function opened() {
  const db = openVectors(tempDir())
  onTestFinished(() => db.close())
  const store = memory()
  const vectors = sqliteVectors(db, () => new Date())
  const over = (embedder: TestEmbedder, { pause }: { pause?: AbortSignal } = {}) =>
    embeddingStore(store, { embedder, vectors, options: { ...(pause && { pause }) } }, '/a/b', new AbortController().signal)
  const withKnown = (space?: VectorSpace) => knownVectors(store, vectors, { library: '/a/b', space })
  return { store, vectors, over, withKnown }
}

const rowsOf = (from: number, to: number) => Array.from({ length: to - from }, (_, i) => row(`${from + i}`, `word${from + i}`))
const range = (from: number, to: number) => Array.from({ length: to - from }, (_, i) => from + i)
const statistics = new Uint8Array()

test('each row is written with the vector of its breadcrumb and content, in the order it came', async () => {
  const { store, over } = opened()
  const embedder = testEmbedder()
  // The first answers come last.
  let asked = 0
  embedder.before = async () => {
    for (let wait = Math.max(0, 40 - asked++ * 10); wait > 0; wait--) await turn()
  }
  const embedding = over(embedder)
  const writer = await embedding.write('g1')
  const rows = rowsOf(0, 1000)
  for (let at = 0; at < 1000; at += 7) await writer.add(rows.slice(at, at + 7))
  await writer.finish(statistics)
  const expected = rows.map((each) => {
    const text = `Page > Section ${each.id}\nContent of ${each.id}`
    return { ...each, vector: Float32Array.from(features(text, 64)) }
  })
  expect(store.tables.get('g1')).toEqual(expected)
  expect(embedding.space()).toEqual({ model: 'test/features', dimensions: 64 })
  expect(embedding.textsEmbedded()).toBe(1000)
})

test('a text that several pages have is embedded once', async () => {
  const { store, over } = opened()
  const embedder = testEmbedder()
  const embedding = over(embedder)
  const writer = await embedding.write('g1')
  const pages = Array.from({ length: 500 }, (_, page) => row('0', 'lever', { page }))
  await writer.add([...pages, ...rowsOf(1, 3)])
  await writer.finish(statistics)
  expect(embedder.texts.toSorted()).toEqual(['0', '1', '2'].map((id) => `Page > Section ${id}\nContent of ${id}`))
  expect(embedding.textsEmbedded()).toBe(3)
  expect(store.tables.get('g1')?.filter(({ vector }) => vector?.length === 64)).toHaveLength(502)
})

test('vectors that arrive while the table is written cause no wait', async () => {
  const { store, vectors } = opened()
  const slow: typeof store.write = async (generation) => {
    const writer = await store.write(generation)
    return {
      ...writer,
      async add(more) {
        for (let wait = 200; wait > 0; wait--) await turn()
        await writer.add(more)
      },
    }
  }
  const embedding = embeddingStore({ write: slow }, { embedder: testEmbedder(), vectors }, '/a/b', new AbortController().signal)
  const writer = await embedding.write('g1')
  await writer.add(rowsOf(0, 500))
  await writer.finish(statistics)
  expect(store.tables.get('g1')?.length).toBe(500)
})

test('the provider receives as many full requests at a time as it allows while rows stream in', async () => {
  const { over } = opened()
  const embedder = testEmbedder({ limits: { batchTexts: 32, requestsAtOnce: 5 } })
  const sizes: number[] = []
  embedder.before = async (texts) => {
    sizes.push(texts.length)
    for (let wait = 0; wait < 20; wait++) await turn()
  }
  const writer = await over(embedder).write('g1')
  for (let at = 0; at < 6400; at += 10) await writer.add(rowsOf(at, at + 10))
  await writer.finish(statistics)
  expect(embedder.atOnce).toBe(5)
  expect(sizes.filter((size) => size === 32).length).toBeGreaterThan(150)
})

test('a provider that does not respond stops the intake of rows', async () => {
  const { over } = opened()
  const embedder = testEmbedder({ limits: { batchTexts: 16, requestsAtOnce: 2 } })
  const silence = Promise.withResolvers<void>()
  embedder.before = () => silence.promise
  const writer = await over(embedder).write('g1')
  let taken = 0
  const adding = (async () => {
    for (let at = 0; at < 10_000; at += 100) {
      await writer.add(rowsOf(at, at + 100))
      taken = at + 100
    }
  })()
  for (let i = 0; i < 500; i++) await turn()
  expect(taken).toBeGreaterThan(500)
  expect(taken).toBeLessThan(2000)
  silence.resolve()
  await adding
  await writer.finish(statistics)
  expect(embedder.texts.length).toBe(10_000)
})

test('snippets without vectors get zero vectors, and the first of them are named', async () => {
  const { store, over, vectors } = opened()
  const embedder = testEmbedder()
  const info = { name: 'models', model: 'm', settings: 'embedding' as const, secrets: [] }
  embedder.before = (texts) => {
    if (texts.some((text) => /of \d*7$/.test(text)))
      throw providerRefusal(info, { status: 400, headers: {}, body: Buffer.from('{"error":"no"}') })
  }
  const embedding = over(embedder)
  const writer = await embedding.write('g1')
  await writer.add(rowsOf(0, 1500))
  await writer.finish(statistics)
  const without = store.tables.get('g1')?.filter(({ vector }) => vector?.length === 64 && vector.every((each) => each === 0))
  expect([without?.length, embedding.textsEmbedded(), vectors.leftOut('g1', 0).count]).toEqual([150, 1350, 150])
  const leftOut = leftOutSnippets(vectors, 'g1')
  expect(leftOut[0]).toEqual({
    path: 'docs/page.md: Page > Section 1007',
    reason: 'has no vector and is found only by its words: models rejected the request (400): no.',
  })
  expect([leftOut.length, leftOut.at(-1)]).toEqual([101, { path: '…', reason: '50 more snippets without a vector' }])
  await vectors.forget('g1')
  expect(vectors.leftOut('g1', 10)).toEqual({ count: 0, snippets: [] })
})

test('rows with known vectors are written without asking a provider, and the others get zero vectors until theirs are made', async () => {
  const { store, over, vectors, withKnown } = opened()
  const embedder = testEmbedder()
  const write = async (writer: GenerationWriter, rows: SnippetRow[]) => {
    await writer.add(rows)
    await writer.finish(statistics)
  }
  await write(await over(embedder).write('g1'), rowsOf(0, 300))
  const asked = embedder.texts.length
  await write(await withKnown({ model: embedder.model, dimensions: 64 }).write('g2'), rowsOf(100, 310))
  expect(embedder.texts.length).toBe(asked)
  const zeros = store.tables.get('g2')?.filter(({ vector }) => vector?.every((each) => each === 0))
  expect([store.tables.get('g2')?.length, zeros?.map(({ id }) => Number(id))]).toEqual([210, range(300, 310)])
  expect([vectors.leftOut('g2', 0).count, vectors.count('g2')]).toEqual([10, 200])
  await vectors.forget('g1')
  await write(await over(embedder).write('g3'), rowsOf(100, 310))
  expect([embedder.texts.length - asked, vectors.leftOut('g3', 0).count]).toEqual([10, 0])
})

test('a pause lets requests in flight end, stores what they made, and sends no more', async () => {
  const { over, vectors } = opened()
  const embedder = testEmbedder({ limits: { batchTexts: 10, requestsAtOnce: 2 } })
  const pause = new AbortController()
  const reason = new AppError('temporarily_unavailable', 'Another job goes first.')
  const silence = Promise.withResolvers<void>()
  embedder.before = () => silence.promise
  const writer = await over(embedder, { pause: pause.signal }).write('g1')
  const written = failure(writer.add(rowsOf(0, 500)).then(() => writer.drain()))
  await vi.waitFor(() => expect(embedder.atOnce).toBe(2))
  pause.abort(reason)
  for (let wait = 0; wait < 20; wait++) await turn()
  silence.resolve()
  expect(await written).toBe(reason)
  await writer.end()
  expect([embedder.texts.length, vectors.count('g1')]).toEqual([20, 20])
})

test('a text with a vector of the same model is not embedded again in any generation', async () => {
  const { store, over, vectors } = opened()
  const embedder = testEmbedder()
  const write = async (generation: string, rows: SnippetRow[], by = embedder) => {
    const embedding = over(by)
    const writer = await embedding.write(generation)
    await writer.add(rows)
    await writer.finish(statistics)
    return embedding.textsEmbedded()
  }
  expect(await write('g1', rowsOf(0, 300))).toBe(300)
  expect(await write('g2', rowsOf(290, 310))).toBe(10)
  expect(store.tables.get('g2')?.every(({ vector }) => vector?.length === 64)).toBe(true)
  expect(await write('g3', rowsOf(0, 10), testEmbedder({ model: 'other' }))).toBe(10)
  await vectors.forget('g1')
  expect(await write('g4', rowsOf(280, 300))).toBe(10)
})

test('vectors stay stored when a provider goes down, and its error allows any number of attempts', async () => {
  const { store, over } = opened()
  const embedder = testEmbedder({ limits: { batchTexts: 10, requestsAtOnce: 1 } })
  const away = () => {
    if (embedder.texts.length >= 50) throw new AppError('provider_unavailable', 'The provider is away.', { retry: 'limited' })
  }
  embedder.before = away
  const writer = await over(embedder).write('g1')
  const error = await failure(writer.add(rowsOf(0, 200)).then(() => writer.finish(statistics)))
  expect([error.message, error.retry]).toEqual(['The provider is away.', 'unlimited'])
  await writer.abort()
  expect(store.tables.has('g1')).toBe(false)
  embedder.before = () => undefined
  const again = over(embedder)
  const second = await again.write('g2')
  await second.add(rowsOf(0, 200))
  await second.finish(statistics)
  expect(again.textsEmbedded()).toBe(150)
})

test('a wrong key makes the job wait immediately', async () => {
  const { over } = opened()
  const embedder = testEmbedder()
  embedder.before = () => {
    throw new AppError('provider_unavailable', 'The key is wrong.')
  }
  const writer = await over(embedder).write('g1')
  const error = await failure(writer.add(rowsOf(0, 200)).then(() => writer.finish(statistics)))
  expect([error.message, error.retry, error.retryAfterMs]).toEqual(['The key is wrong.', 'unlimited', 600_000])
})

test('a generation that an interrupted run began with another model, or without one, restarts', async () => {
  const { store, over, withKnown } = opened()
  const begin = async (embedder: TestEmbedder | undefined) => {
    const writer = await (embedder ? over(embedder) : withKnown()).write('g1')
    await writer.add(rowsOf(0, 200).slice(writer.written))
    return writer
  }
  const first = await begin(testEmbedder())
  await first.finish(statistics)
  expect((await begin(testEmbedder())).written).toBe(200)
  expect((await begin(testEmbedder({ model: 'other' }))).written).toBe(0)
  expect((await begin(undefined)).written).toBe(0)
  expect(store.tables.get('g1')?.some(({ vector }) => vector)).toBe(false)
  expect((await begin(testEmbedder())).written).toBe(0)
})

test('vectors of another model are dropped earlier than those of its own model', async () => {
  const { vectors, over, withKnown } = opened()
  const user = { generation: 'g1', library: '/a/b', model: 'test/features' }
  const made = async () => (await vectors.take({ ...user, generation: 'g2' }, hashes, 64)).size
  const hashes = rowsOf(0, 200).map((each) => waitingRow(each).hash)
  for (const other of ['another', undefined]) {
    const first = await over(testEmbedder()).write('g1')
    await first.add(rowsOf(0, 200))
    await first.finish(statistics)
    expect(await made()).toBe(200)
    await vectors.forget('g2')
    await (other === undefined ? withKnown() : over(testEmbedder({ model: other }))).write('g1')
    expect(await made()).toBe(0)
  }
})

test('a changed vector length is detected, and everything is embedded again', async () => {
  const { store, over } = opened()
  const write = async (generation: string, embedder: TestEmbedder, rows: SnippetRow[]) => {
    const embedding = over(embedder)
    const writer = await embedding.write(generation)
    try {
      await writer.add(rows)
      await writer.finish(statistics)
    } catch (error) {
      await writer.abort()
      throw error
    }
    return embedding.textsEmbedded()
  }
  await write('g1', { ...testEmbedder(), dimensions: undefined }, rowsOf(0, 50))
  const shorter = testEmbedder({ dimensions: 32 })
  const error = await failure(write('g2', { ...shorter, dimensions: undefined }, rowsOf(0, 60)))
  expect([error.message, error.retry]).toEqual([
    'The embedding provider returned a vector of 32 numbers; the others have 64.',
    'unlimited',
  ])
  expect(await write('g3', shorter, rowsOf(0, 60))).toBe(60)
  expect(store.tables.get('g3')?.every(({ vector }) => vector?.length === 32)).toBe(true)
})
