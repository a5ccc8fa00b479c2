import { cpSync, rmSync, symlinkSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { beforeAll, describe, expect, test } from 'vitest'
import type { Embedder } from '../../../shared/ai/embedder.ts'
import { embeddingPool } from '../../../shared/ai/embedding-pool.ts'
import { transformersPackage, transformersVersion } from '../../../shared/ai/local/transformers.ts'
import tool from '../../../tools/local-models/package.json' with { type: 'json' }
import { tinyCrossEncoder, tinyEncoder, writeCrossEncoder, writeEncoder } from '../../fixtures/local-models/tiny-model.ts'
import { transformersModule } from '../../fixtures/local-models/transformers-module.ts'
import { aiWith } from '../../fixtures/providers/ai-of.ts'
import { tempDir } from '../../fixtures/temp-dir.ts'

let module: string
beforeAll(async () => {
  module = await transformersModule()
}, 300_000)

/** The embedder that the settings select, with an empty folder for models. */
function localAi(name = 'tiny', local: { module?: string } = { module }) {
  const modelsDir = tempDir()
  const { ai, settings } = aiWith(
    { 'embedding.provider': 'local', 'embedding.model': name },
    { env: {} },
    { modelsDir, ...local },
  )
  return { ai, settings, modelsDir, folder: join(modelsDir, name), embedder: () => ai.embedder() as Embedder }
}
const normalized = (...values: number[]) => values.map((value) => expect.closeTo(value / Math.hypot(...values), 6))
const embedded = async (embedder: Embedder, texts: string[], purpose: 'document' | 'query' = 'document') =>
  (await embedder.embed(texts, purpose)).map((vector) => Array.from(vector))

// The tokens [CLS], iron and water have the vectors [0 0 0 1], [1 0 0 0] and [0 1 0 0]; so have all others the last one.
test('a text becomes the mean of its tokens, without padding, at length one and in the order of the texts', async () => {
  const { folder, embedder } = localAi()
  writeEncoder(folder)
  const tiny = embedder()
  expect(tiny.dimensions).toBeUndefined()
  const iron = normalized(1, 1, 0, 1)
  expect(await embedded(tiny, ['Iron', 'water kettle iron best good', 'steel'])).toEqual([iron, normalized(1, 5, 0, 1), iron])
  expect(tiny.dimensions).toBe(4)
  expect(tiny.model).toMatch(/^local [0-9a-f]{16} tiny$/)
})

test('the files of a model determine the pooling, the maximum length and the prefix of a question', async () => {
  const { folder, embedder } = localAi()
  writeEncoder(folder, {
    '1_Pooling/config.json': { pooling_mode_cls_token: true },
    'config_sentence_transformers.json': { prompts: { query: 'iron ', passage: null } },
  })
  expect(await embedded(embedder(), ['water iron'])).toEqual([normalized(0, 0, 0, 1)])
  rmSync(join(folder, '1_Pooling'), { recursive: true })
  expect(await embedded(embedder(), ['water'])).toEqual([normalized(0, 2, 0, 1)])
  expect(await embedded(embedder(), ['water'], 'query')).toEqual([normalized(1, 2, 0, 1)])
  writeFileSync(join(folder, 'sentence_bert_config.json'), '{"max_seq_length": 2}')
  expect(await embedded(embedder(), ['iron water water'])).toEqual([normalized(1, 0, 0, 1)])
})

test('a quantized model is used if there is no other', async () => {
  const { folder, embedder } = localAi()
  const file = tinyEncoder(() => [3, 4, 0, 0])
  writeEncoder(folder, { 'onnx/model.onnx': undefined, 'onnx/model_quantized.onnx': file })
  expect(await embedded(embedder(), ['any'])).toEqual([normalized(3, 4, 0, 0)])
})

test('long and many texts are cut and sent in batches like those of any provider', async () => {
  const { folder, embedder } = localAi()
  writeEncoder(folder)
  const vectors = await embeddingPool(embedder()).embed([...Array(40).fill('iron'), 'water '.repeat(10_000)])
  expect(vectors.map(([first = 0]) => first > 0)).toEqual([...Array(40).fill(true), false])
})

test('another content of the folder is another vector space, whose old vectors are not mixed with new ones', async () => {
  const { ai, settings, folder, modelsDir, embedder } = localAi()
  writeEncoder(folder)
  const before = embedder()
  expect(embedder()).toBe(before)
  cpSync(folder, join(modelsDir, 'copy'), { recursive: true })
  settings.change({ 'embedding.model': 'copy' })
  expect(embedder().model).toBe(before.model.replace('tiny', 'copy'))
  const space = { model: before.model, dimensions: 4 }
  expect(await embedded(ai.embedderFor(space) as Embedder, ['iron'], 'query')).toEqual([normalized(1, 1, 0, 1)])
  settings.change({ 'embedding.model': 'tiny' })
  writeEncoder(folder, { 'onnx/model.onnx': tinyEncoder(() => [1, 1, 1, 1]) })
  expect(embedder().model).not.toBe(before.model)
  const message = 'The model "tiny" was replaced by another. Re-index to give libraries its vectors.'
  await expect(before.embed(['iron'], 'document')).rejects.toMatchObject({ message, retry: 'limited' })
  await expect(ai.embedderFor(space)?.embed(['iron'], 'query')).rejects.toMatchObject({ message })
})

describe('a local model', () => {
  const reasonOf = (embedder: Embedder) =>
    embedder.embed(['iron'], 'document').then(String, ({ message, code }) => [code, message])
  const json = (name: string) => ({ [name]: '{' })

  test.each([
    ['config.json', 'The model "tiny" is incomplete: copy config.json to FOLDER.'],
    ['tokenizer.json', 'The model "tiny" is incomplete: copy tokenizer.json to FOLDER.'],
    ['tokenizer_config.json', 'The model "tiny" is incomplete: copy tokenizer_config.json to FOLDER.'],
    ['onnx/model.onnx', 'The model "tiny" is incomplete: copy onnx/model.onnx or onnx/model_quantized.onnx to FOLDER.'],
  ])('is rejected if its file %s is missing', async (file, message) => {
    const { folder, embedder } = localAi()
    writeEncoder(folder, { [file]: undefined })
    expect(await reasonOf(embedder())).toEqual(['not_configured', message.replace('FOLDER', folder)])
  })

  test('is rejected if its folder does not exist', async () => {
    const { folder, embedder } = localAi()
    const files = 'config.json, tokenizer.json, tokenizer_config.json and onnx/model.onnx'
    expect(await reasonOf(embedder())).toEqual([
      'not_configured',
      `There is no model "tiny": create the folder ${folder} with ${files}.`,
    ])
  })

  test('is rejected if it has a file of another format', async () => {
    const { folder, embedder } = localAi()
    writeEncoder(folder, json('config.json'))
    const message = 'The model "tiny" cannot be read: config.json has an unknown format; copy it again.'
    expect(await reasonOf(embedder())).toEqual(['not_configured', message])
    writeEncoder(folder, { 'onnx/model.onnx': 'version https://git-lfs.github.com/spec/v1' })
    const [, loading] = await reasonOf(embedder())
    expect(loading).toMatch(/^The model "tiny" cannot be loaded: .*onnx\/model\.onnx.*\.$/)
  })

  test('is rejected if it is a cross-encoder', async () => {
    const { folder, embedder } = localAi()
    writeCrossEncoder(folder)
    const message = 'The model "tiny" is a cross-encoder, which only reranks; embedding.model needs a sentence encoder.'
    expect(await reasonOf(embedder())).toEqual(['not_configured', message])
    writeEncoder(folder, { 'onnx/model.onnx': tinyCrossEncoder() })
    const other = 'The model "tiny" does not fit: it does not return vectors of tokens or sentences.'
    expect(await reasonOf(embedder())).toEqual(['not_configured', other])
  })

  test.each(['../tiny', '/etc', '..', 'org/tiny', ''])('is rejected if its name is the path "%s"', async (name) => {
    const { modelsDir, settings, ai } = localAi()
    writeEncoder(join(modelsDir, 'tiny'))
    if (name === '') return expect(() => settings.change({ 'embedding.model': name })).toThrow('must not be empty')
    settings.change({ 'embedding.model': name })
    const message = `"${name}" is not the name of a folder in ${modelsDir}; set embedding.model to such a name, without a path.`
    expect(await reasonOf(ai.embedder() as Embedder)).toEqual(['not_configured', message])
  })

  test.each(['', 'tokenizer.json', 'onnx'])('is rejected if a link leads out of its folder (%s)', async (link) => {
    const { folder, modelsDir, embedder } = localAi()
    const elsewhere = tempDir()
    writeEncoder(elsewhere)
    if (link !== '') writeEncoder(folder)
    rmSync(join(folder, link), { recursive: true, force: true })
    symlinkSync(join(elsewhere, link), join(folder, link))
    const message = `The model "tiny" leads out of ${modelsDir} by a link; copy its files there instead.`
    expect(await reasonOf(embedder())).toEqual(['not_configured', message])
  })
})

test('a missing optional package is reported with the command that installs it', async () => {
  const { folder, embedder } = localAi('tiny', {})
  writeEncoder(folder)
  expect(tool.dependencies).toEqual({ [transformersPackage]: transformersVersion })
  await expect(embedder().embed(['iron'], 'document')).rejects.toMatchObject({
    code: 'not_configured',
    message: `A local model needs the package ${transformersPackage}, which is not installed; run "npm install --global --ignore-scripts ${transformersPackage}@${transformersVersion}" or see docs/models.md.`,
  })
})

test('the provider "local" without a model is not configured', () => {
  expect(aiWith({ 'embedding.provider': 'local' }).ai.embedder()).toBeUndefined()
})
