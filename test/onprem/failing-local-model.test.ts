import { join } from 'node:path'
import { expect, onTestFinished, test } from 'vitest'
import { localModels } from '../../shared/ai/local/local-models.ts'
import { writeEncoder } from '../fixtures/local-models/tiny-model.ts'
import { page } from '../fixtures/page.ts'
import { testInstall } from '../fixtures/test-install.ts'

const module = new URL('../fixtures/local-models/fake-runtime.mjs', import.meta.url).href
const runtime = { onnx: module, tokenizers: module }
const openLocalModels: typeof localModels = (options) => localModels({ ...options, runtime, limits: { memoryMb: 300 } })

test('a server survives models that need too much memory or die, reports them in the settings test and jobs, and serves questions', async () => {
  const install = await testInstall({ openLocalModels })
  onTestFinished(() => install.close())
  // Fakes behave as their names say when they are loaded.
  for (const name of ['grow', 'die', 'fine']) writeEncoder(join(install.dataDir, 'models', name))
  await install.call('PATCH', '/api/settings', { 'embedding.provider': 'none' })
  const settings = (name: string) => ({ 'embedding.provider': 'local', 'embedding.model': name })
  const tested = async (name: string) => (await install.call('POST', '/api/settings/test', settings(name))).body.embedding
  const tooLarge = expect.stringContaining(
    'The model "grow" needs more than the 300 MB of memory that it may use; choose a smaller',
  )
  const died = expect.stringContaining('The model "die" crashed: the system ended its process, perhaps because memory ran out')
  expect(await tested('grow')).toMatchObject({ ok: false, error: tooLarge })
  expect(await tested('die')).toMatchObject({ ok: false, error: died })
  expect(await tested('fine')).toMatchObject({ ok: true })

  await install.git.create('acme/anvil', { files: { 'README.md': page('Metal', 'Beat the iron.') } })
  expect((await install.parse('acme/anvil')).state).toBe('done')
  await install.call('PATCH', '/api/settings', settings('die'))
  expect((await install.call('POST', '/api/reindex')).body).toMatchObject({ queued: ['/acme/anvil'] })
  expect((await install.vectorsWait('acme/anvil')).reason).toEqual(died)
  expect(await install.context('/acme/anvil', 'iron')).toContain('Beat the iron.')
})
