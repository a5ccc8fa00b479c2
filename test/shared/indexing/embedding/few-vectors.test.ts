import { expect, onTestFinished, test } from 'vitest'
import { openVectors } from '../../../../onprem/store/vectors/open-vectors.ts'
import { sqliteVectors } from '../../../../onprem/store/vectors/sqlite-vectors.ts'
import { AppError } from '../../../../shared/errors.ts'
import { fewVectors } from '../../../../shared/indexing/embedding/few-vectors.ts'
import { waitingRow } from '../../../../shared/indexing/embedding/waiting-rows.ts'
import { row } from '../../../contracts/snippet-row.ts'
import { tempDir } from '../../../fixtures/temp-dir.ts'
import { testEmbedder } from '../../../fixtures/test-embedder.ts'

const rows = (from: number, to: number) =>
  Array.from({ length: to - from }, (_, n) => waitingRow(row(`${from + n}`, `word${from + n}`)))

function opened(model = 'test/features') {
  const db = openVectors(tempDir())
  onTestFinished(() => db.close())
  const embedder = testEmbedder()
  const vectors = sqliteVectors(db, () => new Date())
  const make = fewVectors({ embedder, vectors }, { model, dimensions: 64 }, new AbortController().signal, () => undefined)
  const made = async (from: number, to: number) => (await make({ generation: 'g1', library: '/a/b', model }, rows(from, to))).size
  return { embedder, made }
}

test('the missing vectors of several pages are made up to the limit, and none above it', async () => {
  const { embedder, made } = opened()
  expect([await made(0, 10), await made(10, 60), await made(60, 70), await made(70, 71)]).toEqual([10, 50, 0, 0])
  expect(embedder.texts).toHaveLength(60)
})

test('a provider that fails is not asked again for a generation', async () => {
  const { embedder, made } = opened()
  let requests = 0
  embedder.before = () => {
    requests += 1
    throw new AppError('not_configured', 'The key is wrong.')
  }
  expect([await made(0, 1), await made(1, 2)]).toEqual([0, 0])
  expect(requests).toBeLessThanOrEqual(2)
})

test('no vectors of another model than that of the content are made', async () => {
  const { embedder, made } = opened('test/other')
  expect([await made(0, 1), embedder.texts.length]).toEqual([0, 0])
})
