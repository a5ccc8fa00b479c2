import { join } from 'node:path'
import { afterAll, beforeAll, describe, expect, test } from 'vitest'
import { tinyCrossEncoder, tinyEncoder, writeCrossEncoder, writeEncoder } from '../fixtures/local-models/tiny-model.ts'
import { page } from '../fixtures/page.ts'
import { type TestInstall, testInstall } from '../fixtures/test-install.ts'

// Whole installs are slow on a busy machine.
let install: TestInstall

beforeAll(async () => {
  install = await testInstall({ limits: { embedQuestionMs: 20_000, rerankMs: 20_000 } })
  writeEncoder(join(install.dataDir, 'models/tiny'))
  await install.git.create('acme/anvil', {
    files: { 'docs/iron.md': page('Metal', 'Beat the iron.', 'Iron.'), 'docs/water.md': page('Liquid', 'Boil the water.') },
  })
}, 300_000)
afterAll(() => install.close())

async function ask(query: string, more: Record<string, string> = {}) {
  const asked = new URLSearchParams({ libraryId: '/acme/anvil', query, ...more })
  const answer = await fetch(`${install.url}/api/v2/context?${asked}`)
  return { search: answer.headers.get('x-carrel-search'), text: await answer.text() }
}

test('an admin chooses a model that was copied into the data directory, and gets the reason if it is unusable', async () => {
  const settings = { 'embedding.provider': 'local', 'embedding.model': 'tiny' }
  const tested = await install.call('POST', '/api/settings/test', settings)
  expect(tested.body).toEqual({ embedding: { ok: true, model: 'tiny', dimensions: 4, ms: expect.any(Number) } })
  const absent = await install.call('POST', '/api/settings/test', { ...settings, 'embedding.model': 'absent' })
  const error = `There is no model "absent": create the folder ${join(install.dataDir, 'models/absent')} with tokenizer.json and onnx/model.onnx.`
  expect(absent.body).toMatchObject({ embedding: { ok: false, model: 'absent', error } })
  expect((await install.call('PATCH', '/api/settings', settings)).status).toBe(200)
})

test('a question without a common word finds its answer by the vectors of a local model', async () => {
  expect((await install.parse('acme/anvil')).state).toBe('done')
  await install.embedded('acme/anvil')
  // Its token has the vector of "iron".
  const { search, text } = await ask('steel')
  expect([search, text]).toEqual(['hybrid', expect.stringContaining('Beat the iron')])
})

test('a replaced model makes questions use text search until a re-index, which embeds all snippets again', async () => {
  writeEncoder(join(install.dataDir, 'models/tiny'), { 'onnx/model.onnx': tinyEncoder(() => [0, 0, 1, 0]) })
  expect((await ask('iron')).search).toBe('text')
  expect((await install.call('POST', '/api/reindex')).body).toMatchObject({ queued: ['/acme/anvil'] })
  await expect.poll(async () => (await ask('iron and water')).search).toBe('hybrid')
})

describe('a cross-encoder', () => {
  const settings = { 'llm.rerank': 'local', 'llm.rerankModel': 'cross' }
  const titles = async (query: string, more: Record<string, string> = {}) =>
    [...(await ask(query, more)).text.matchAll(/^### (\S+)/gm)].map(([, title]) => title)

  beforeAll(async () => {
    const text = 'The kettle holds water. Water boils in the kettle.'
    const files = {
      'a.md': `# Kettle\n\n${text}`,
      'b.md': `# Pot\n\n${text} This is good.`,
      'c.md': `# Pan\n\n${text} This is the best.`,
    }
    await install.call('PATCH', '/api/settings', { 'embedding.provider': 'none', ...settings })
    await install.git.create('acme/kitchen', { files })
    await install.parse('acme/kitchen')
  })

  test('leaves the order unchanged if it does not exist, and a test of the settings names the files to copy', async () => {
    const query = { libraryId: '/acme/kitchen' }
    expect(await titles('kettle of water', query)).toEqual(await titles('kettle of water', { ...query, fast: 'true' }))
    expect(install.log.troubles.at(-1)?.message).toBe('the model failed to rerank')
    const { body } = await install.call('POST', '/api/settings/test', {})
    expect(body).toEqual({
      rerank: { ok: false, model: 'cross', ms: expect.any(Number), error: expect.stringContaining('There is no model "cross"') },
    })
    const unnamed = await install.call('POST', '/api/settings/test', { 'llm.rerankModel': null })
    expect(unnamed.body).toMatchObject({
      rerank: { model: null, error: 'Reranking by a local model needs llm.rerankModel. Set it.' },
    })
  })

  test('orders the snippets of a question, but not with fast=true', async () => {
    writeCrossEncoder(join(install.dataDir, 'models/cross'))
    expect((await install.call('POST', '/api/settings/test', {})).body).toMatchObject({ rerank: { ok: true, model: 'cross' } })
    const query = { libraryId: '/acme/kitchen' }
    expect(await titles('water in the kettle', { ...query, fast: 'true' })).not.toEqual(['Pan', 'Pot', 'Kettle'])
    expect(await titles('water in the kettle', query)).toEqual(['Pan', 'Pot', 'Kettle'])
  })

  test('is rejected with the reason if it has two results or is another kind of model', async () => {
    writeCrossEncoder(join(install.dataDir, 'models/pair'), { 'onnx/model.onnx': tinyCrossEncoder(2) })
    const pair = await install.call('POST', '/api/settings/test', { 'llm.rerankModel': 'pair' })
    const error = 'The model "pair" does not fit: it does not return one score per passage.'
    expect(pair.body).toMatchObject({ rerank: { ok: false, error } })
    const encoder = await install.call('POST', '/api/settings/test', { 'llm.rerankModel': 'tiny' })
    expect(encoder.body).toMatchObject({
      rerank: { error: 'The model "tiny" is not a cross-encoder (BertModel); llm.rerankModel needs one.' },
    })
  })
})

test('the vectors of a library wait with the reason if the folder of the model is missing, and its text is served', async () => {
  await install.call('PATCH', '/api/settings', { 'embedding.provider': 'local', 'embedding.model': 'absent' })
  await install.git.create('acme/tongs', { files: { 'README.md': page('Tongs', 'Tongs hold iron.') } })
  expect(await install.parse('acme/tongs')).toMatchObject({ state: 'done', error: null })
  expect(await install.context('/acme/tongs', 'iron')).toContain('Tongs hold iron.')
  expect((await install.vectorsWait('acme/tongs')).reason).toContain('There is no model "absent"')
})
