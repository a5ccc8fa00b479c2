import { readFileSync } from 'node:fs'
import { join } from 'node:path'
import { afterAll, beforeAll, expect, test } from 'vitest'
import { catalogue } from '../../../shared/ai/local/catalogue.ts'
import { tinyEncoder, tinyTokenizer } from '../../fixtures/local-models/tiny-model.ts'
import { type ModelHub, smallModel, smallModelFiles, startModelHub } from '../../fixtures/model-hub.ts'
import { page as document } from '../../fixtures/page.ts'
import { type TestInstall, testInstall } from '../../fixtures/test-install.ts'
import { adminVisit, endVisits } from '../../fixtures/web-visit.ts'
import { zipOf } from '../../fixtures/zips.ts'

let install: TestInstall
let hub: ModelHub
beforeAll(async () => {
  hub = await startModelHub()
  install = await testInstall({ catalogue: [...catalogue, smallModel] })
  install.app.settings.change({ 'models.hub': hub.url, 'embedding.provider': 'none' })
  await install.git.create('acme/lever', { files: { 'README.md': document('Lever', 'The lever turns.') } })
  await install.parse('acme/lever')
})
afterAll(async () => {
  await endVisits()
  await install.close()
  await hub.close()
})

const tiny = zipOf([
  { name: 'config.json', content: JSON.stringify({ architectures: ['BertModel'] }) },
  { name: 'tokenizer.json', content: JSON.stringify(tinyTokenizer) },
  { name: 'tokenizer_config.json', content: '{"model_max_length": 64, "pad_token": "[PAD]", "unk_token": "[UNK]"}' },
  { name: 'onnx/model.onnx', content: tinyEncoder() },
])

test('an admin downloads, uploads, chooses and deletes a local model, and sees its cost before', async () => {
  const { page, open, inspect, problems, close } = await adminVisit(install)
  await open('/settings/embedding')
  await page.getByRole('heading', { name: 'Local models' }).waitFor()
  await page.getByText('bge-small-en-v1.5').first().waitFor()

  hub.answer('onnx/model_quantized.onnx', (_, response) => void response.writeHead(200).write(weights.subarray(0, 100_000)))
  await page.getByRole('button', { name: 'Download small-model' }).click()
  await page.getByRole('progressbar', { name: 'Download of small-model' }).waitFor()
  await inspect('settings-local-models')
  await page.getByRole('button', { name: 'Cancel' }).click()
  await page.getByRole('button', { name: 'Download small-model' }).waitFor()
  hub.answer('onnx/model_quantized.onnx')
  await page.getByRole('button', { name: 'Download small-model' }).click()
  await page.getByRole('button', { name: 'Delete small-model' }).click()
  await page.getByRole('button', { name: 'Delete model' }).click()
  await page.getByRole('button', { name: 'Download small-model' }).waitFor()

  await page.locator('input[type=file]').setInputFiles({ name: 'tiny.zip', mimeType: 'application/zip', buffer: tiny })
  await page.getByText('The catalogue does not know this model').waitFor()
  await inspect('settings-unknown-model')
  problems.splice(0, problems.length, ...problems.filter((each) => !each.includes('status of 400')))
  await page.getByRole('button', { name: 'Install model' }).click()
  await page.getByRole('button', { name: 'Use tiny' }).click()
  await page.getByText(/All libraries have 1 snippet, whose vectors take/).waitFor()
  await inspect('settings-use-model')
  await page.getByRole('button', { name: 'Test and use' }).click()
  await page.getByText('In use', { exact: true }).waitFor()
  expect(install.app.settings.get('embedding.model')).toBe('tiny')
  await inspect('settings-local-model-used')
  expect(readFileSync(join(install.dataDir, 'models/tiny/onnx/model.onnx'))).toEqual(tinyEncoder())
  expect(problems).toEqual([])
  await close()
})

const weights = smallModelFiles['onnx/model_quantized.onnx'] as Buffer
