import { cpSync, mkdirSync, rmSync, symlinkSync, truncateSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { describe, expect, test } from 'vitest'
import manifest from '../../../package.json' with { type: 'json' }
import type { Embedder } from '../../../shared/ai/embedder.ts'
import { embeddingPool } from '../../../shared/ai/embedding-pool.ts'
import { type CatalogueModel, catalogueModel } from '../../../shared/ai/local/catalogue.ts'
import { modelFolders } from '../../../shared/ai/local/model-folder.ts'
import { installedRuntime, installRuntime, type RuntimeModules, runtimePackages } from '../../../shared/ai/local/runtime.ts'
import {
  tinyCrossEncoder,
  tinyEncoder,
  tinyTokenizer,
  writeCrossEncoder,
  writeEncoder,
} from '../../fixtures/local-models/tiny-model.ts'
import { aiWith } from '../../fixtures/providers/ai-of.ts'
import { tempDir } from '../../fixtures/temp-dir.ts'

// Not quick: a model runs in a process.
/** The embedder that the settings select, with an empty folder for models. */
function localAi(name = 'tiny', local: { runtime?: RuntimeModules } = {}) {
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
  writeFileSync(join(folder, 'sentence_bert_config.json'), '{"max_seq_length": 3}')
  // [CLS] iron [SEP]: the end of a text is always marked.
  expect(await embedded(embedder(), ['iron water water'])).toEqual([normalized(1, 1, 0, 1)])
})

test('the order of answers follows a measured model more than an unknown one, or as the setting says', () => {
  const searchOf = (name: string, set = {}) => {
    const { ai, settings, folder } = localAi(name)
    writeEncoder(folder)
    settings.change(set)
    return ai.embedder()?.search
  }
  expect(searchOf('all-minilm-l6-v2')).toEqual({ weight: 1.2, readsOnlyEnglish: true })
  expect(searchOf('multilingual-e5-small')).toEqual({ weight: 0.3, readsOnlyEnglish: false })
  expect(searchOf('tiny')).toEqual({ weight: 0.3, readsOnlyEnglish: false })
  expect(searchOf('tiny', { 'embedding.weight': '70' })).toEqual({ weight: 0.7, readsOnlyEnglish: false })
})

test('the limits of a tokenizer also cut a text', async () => {
  const { folder, embedder } = localAi()
  writeEncoder(folder, { 'tokenizer.json': { ...tinyTokenizer, truncation: { max_length: 3 } } })
  expect(await embedded(embedder(), ['iron water water'])).toEqual([normalized(1, 1, 0, 1)])
  writeEncoder(folder, { 'tokenizer_config.json': { model_max_length: 4 } })
  expect(await embedded(embedder(), ['iron water water'])).toEqual([normalized(1, 2, 0, 1)])
})

test('a model needs only two files', async () => {
  const { folder, embedder } = localAi()
  writeEncoder(folder, { 'config.json': undefined, 'tokenizer_config.json': undefined })
  expect(await embedded(embedder(), ['Iron', 'iron '.repeat(600)])).toEqual([normalized(1, 1, 0, 1), normalized(510, 1, 0, 1)])
})

test('a public model needs no configuration, and a replaced file of it does', () => {
  const modelsDir = tempDir()
  const find = modelFolders({ modelsDir })
  const { name, files, prompts } = catalogueModel('e5-small-v2') as CatalogueModel
  mkdirSync(join(modelsDir, name, 'onnx'), { recursive: true })
  for (const { path, bytes } of files) {
    writeFileSync(join(modelsDir, name, path), '')
    truncateSync(join(modelsDir, name, path), bytes)
  }
  expect(find(name, 'embedding')).toMatchObject({ maxTokens: 256, pooling: 'mean', prompts })
  writeFileSync(join(modelsDir, name, 'tokenizer.json'), '{}')
  expect(find(name, 'embedding')).toMatchObject({ maxTokens: undefined, prompts: { query: '', document: '' } })
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
    ['tokenizer.json', 'The model "tiny" is incomplete: copy tokenizer.json to FOLDER.'],
    ['onnx/model.onnx', 'The model "tiny" is incomplete: copy onnx/model.onnx or onnx/model_quantized.onnx to FOLDER.'],
  ])('is rejected if its file %s is missing', async (file, message) => {
    const { folder, embedder } = localAi()
    writeEncoder(folder, { [file]: undefined })
    expect(await reasonOf(embedder())).toEqual(['not_configured', message.replace('FOLDER', folder)])
  })

  test('is rejected if its folder does not exist', async () => {
    const { folder, embedder } = localAi()
    const files = 'tokenizer.json and onnx/model.onnx'
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
  const { folder, embedder } = localAi('tiny', { runtime: { onnx: 'not-installed', tokenizers: 'not-installed' } })
  writeEncoder(folder)
  expect(manifest.devDependencies).toMatchObject(runtimePackages)
  await expect(embedder().embed(['iron'], 'document')).rejects.toMatchObject({
    code: 'not_configured',
    message: `A local model needs two packages, which are not installed; run "${installRuntime}" or see docs/models.md.`,
  })
})

test('a library that does not load on this system is reported as such', async () => {
  const onnx = join(tempDir(), 'onnx.cjs')
  writeFileSync(onnx, 'process.dlopen({ exports: {} }, __filename)')
  const { folder, embedder } = localAi('tiny', { runtime: { ...installedRuntime, onnx } })
  writeEncoder(folder)
  await expect(embedder().embed(['iron'], 'document')).rejects.toMatchObject({
    code: 'not_configured',
    message: expect.stringMatching(/^Local models do not run here: .*onnx\.cjs.* They need Linux with glibc, or macOS on arm64;/),
  })
})

test('the provider "local" without a model is not configured', () => {
  expect(aiWith({ 'embedding.provider': 'local' }).ai.embedder()).toBeUndefined()
})
