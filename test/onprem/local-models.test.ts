import { join } from 'node:path'
import { afterAll, beforeAll, expect, test, vi } from 'vitest'
import { localModels } from '../../shared/ai/local/local-models.ts'
import { tinyEncoder, writeEncoder } from '../fixtures/local-models/tiny-model.ts'
import { transformersModule } from '../fixtures/local-models/transformers-module.ts'
import { page } from '../fixtures/page.ts'
import { type TestInstall, testInstall } from '../fixtures/test-install.ts'

// Whole installs are slow on a busy machine.
vi.setConfig({ testTimeout: 60_000 })

let install: TestInstall

beforeAll(async () => {
  const module = await transformersModule()
  const openLocalModels: typeof localModels = (options) => localModels({ ...options, module })
  install = await testInstall({ openLocalModels, limits: { embedQuestionMs: 20_000 } })
  writeEncoder(join(install.dataDir, 'models/tiny'))
  await install.git.create('acme/anvil', {
    files: { 'docs/iron.md': page('Metal', 'Beat the iron.', 'Iron.'), 'docs/water.md': page('Liquid', 'Boil the water.') },
  })
}, 300_000)
afterAll(() => install.close())

async function ask(query: string) {
  const answer = await fetch(`${install.url}/api/v2/context?${new URLSearchParams({ libraryId: '/acme/anvil', query })}`)
  return { search: answer.headers.get('x-carrel-search'), text: await answer.text() }
}

test('an admin chooses a model that was copied into the data directory, and hears what is wrong with it', async () => {
  const settings = { 'embedding.provider': 'local', 'embedding.model': 'tiny' }
  const tested = await install.call('POST', '/api/settings/test', settings)
  expect(tested.body).toEqual({ embedding: { ok: true, model: 'tiny', dimensions: 4, ms: expect.any(Number) } })
  const absent = await install.call('POST', '/api/settings/test', { ...settings, 'embedding.model': 'absent' })
  const error = `There is no model "absent": create the folder ${join(install.dataDir, 'models/absent')} with config.json, tokenizer.json, tokenizer_config.json and onnx/model.onnx.`
  expect(absent.body).toMatchObject({ embedding: { ok: false, model: 'absent', error } })
  expect((await install.call('PATCH', '/api/settings', settings)).status).toBe(200)
})

test('a question without a common word finds its answer by the vectors of a local model', async () => {
  expect((await install.parse('acme/anvil')).state).toBe('done')
  // Its token has the vector of "iron".
  const { search, text } = await ask('steel')
  expect([search, text]).toEqual(['hybrid', expect.stringContaining('Beat the iron')])
})

test('a model that is replaced leaves text search until a re-index, which embeds all snippets again', async () => {
  writeEncoder(join(install.dataDir, 'models/tiny'), { 'onnx/model.onnx': tinyEncoder(() => [0, 0, 1, 0]) })
  expect((await ask('iron')).search).toBe('text')
  expect((await install.call('POST', '/api/reindex')).body).toMatchObject({ queued: ['/acme/anvil'] })
  await expect.poll(async () => (await ask('iron and water')).search).toBe('hybrid')
})

test('a parse without the folder of the model fails with the reason', async () => {
  await install.call('PATCH', '/api/settings', { 'embedding.model': 'absent' })
  await install.git.create('acme/tongs', { files: { 'README.md': page('Tongs', 'Tongs hold iron.') } })
  expect(await install.parse('acme/tongs')).toMatchObject({
    state: 'failed',
    error: expect.stringContaining('There is no model "absent"'),
  })
})
