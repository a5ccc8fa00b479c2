import { mkdirSync, writeFileSync } from 'node:fs'
import { dirname, join } from 'node:path'
import { describe, expect, test } from 'vitest'
import { describeDefault, describeEmbedding, embeddingChoice } from '../../../shared/ai/embedding-choice.ts'
import { catalogue } from '../../../shared/ai/local/catalogue.ts'
import { type LocalModelsOptions, localModels } from '../../../shared/ai/local/local-models.ts'
import { Settings } from '../../../shared/settings/settings.ts'
import { tinyEncoder, writeCrossEncoder, writeEncoder } from '../../fixtures/local-models/tiny-model.ts'
import { smallModel, smallModelFiles } from '../../fixtures/model-hub.ts'
import { aiWith } from '../../fixtures/providers/ai-of.ts'
import { tempDir } from '../../fixtures/temp-dir.ts'

const settingsOf = (set: Record<string, unknown>) => {
  const values = Settings.parse(set)
  return { get: ((name: keyof Settings) => values[name]) as <N extends keyof Settings>(name: N) => Settings[N] }
}
const writeFile = (path: string, content: string | Buffer) => {
  mkdirSync(dirname(path), { recursive: true })
  writeFileSync(path, content)
}
const withModel = { defaultEncoder: () => 'tiny' }
const withoutModel = { defaultEncoder: () => undefined }
const approved = { 'embedding.approved': true }

describe('the provider of embeddings', () => {
  test.each([
    ['nothing is set and there is no model', {}, withoutModel, { state: 'none' }],
    ['nothing is set and there is a model', approved, withModel, { state: 'active', provider: 'local', model: 'tiny' }],
    ['there is a model that nobody approved', {}, withModel, { state: 'waiting', model: 'tiny' }],
    ['the language model has embeddings', { ...approved, 'llm.provider': 'openai' }, withModel, { provider: 'openai' }],
    ['the language model has none', { ...approved, 'llm.provider': 'anthropic' }, withModel, { provider: 'local' }],
    [
      'the server of the language model names none',
      { ...approved, 'llm.provider': 'custom', 'llm.baseUrl': 'http://10.0.0.5/v1' },
      withModel,
      { provider: 'local' },
    ],
    [
      'the server of the language model names one',
      { ...approved, 'llm.provider': 'custom', 'llm.baseUrl': 'http://10.0.0.5/v1', 'embedding.model': 'nomic' },
      withModel,
      { provider: 'custom', model: 'nomic', baseUrl: 'http://10.0.0.5/v1' },
    ],
    ['another is set', { 'embedding.provider': 'gemini', 'llm.provider': 'openai' }, withModel, { provider: 'gemini' }],
    ['none is set', { ...approved, 'embedding.provider': 'none', 'llm.provider': 'openai' }, withModel, { state: 'none' }],
    [
      'a local model is set',
      { 'embedding.provider': 'local', 'embedding.model': 'other' },
      withModel,
      { state: 'active', model: 'other' },
    ],
  ])('is as documented if %s', (_, settings, local, expected) => {
    expect(embeddingChoice(settingsOf(settings), local)).toMatchObject(expected)
  })
})

test('one sentence says whether text leaves the server', () => {
  expect(describeEmbedding({ state: 'none' })).toBe('Search works by words alone, and no text leaves this server for it.')
  expect(describeEmbedding({ state: 'active', provider: 'local', model: 'tiny', baseUrl: undefined })).toBe(
    'The model tiny reads snippets and questions on this server, and no text leaves it.',
  )
  expect(describeEmbedding({ state: 'active', provider: 'openai', model: undefined, baseUrl: undefined })).toBe(
    'Snippets and questions are sent to OpenAI, which makes their vectors.',
  )
  expect(describeEmbedding({ state: 'active', provider: 'custom', model: 'm', baseUrl: 'http://10.0.0.5/v1' })).toBe(
    'Snippets and questions are sent to http://10.0.0.5/v1, which makes their vectors.',
  )
  expect(describeEmbedding({ state: 'waiting', provider: 'local', model: 'tiny' }, 600)).toBe(
    'The model tiny can read your libraries on this server, which takes about 10 minutes of processor time, and no text leaves it; set embedding.provider to auto to start.',
  )
})

describe('the model of a server', () => {
  function models(names: readonly string[], builtIn: readonly string[] = [], more: Partial<LocalModelsOptions> = {}) {
    const [modelsDir, builtInDir] = [tempDir(), tempDir()]
    for (const name of names) writeEncoder(join(modelsDir, name))
    for (const name of builtIn) writeEncoder(join(builtInDir, name))
    return { modelsDir, ...localModels({ modelsDir, builtInDir, ...more }) }
  }
  const [first = '', second = ''] = catalogue.map(({ name }) => name)

  test('is the first of the catalogue that is there, and another one only without those', () => {
    expect(models([]).defaultEncoder()).toBeUndefined()
    expect(models(['a-model', second, first]).defaultEncoder()).toBe(first)
    expect(models(['a-model', second], [first]).defaultEncoder()).toBe(first)
    expect(models(['b-model', 'a-model', '.scratch']).defaultEncoder()).toBe('a-model')
  })

  test('is none if the model is a cross-encoder or incomplete, or the packages are missing', () => {
    const { modelsDir, defaultEncoder } = models([])
    writeCrossEncoder(join(modelsDir, 'cross'))
    writeEncoder(join(modelsDir, 'half'), { 'onnx/model.onnx': undefined })
    expect(defaultEncoder()).toBeUndefined()
    const runtime = { onnx: 'not-installed', tokenizers: 'not-installed' }
    expect(models([first], [], { runtime }).defaultEncoder()).toBeUndefined()
  })

  test('is one whose files are those of the catalogue, before one with other files', () => {
    const { modelsDir, ...local } = models(['a-model'], [], { models: [{ ...smallModel, name: 'b-model' }] })
    for (const [path, content] of Object.entries(smallModelFiles)) writeFile(join(modelsDir, 'b-model', path), content)
    expect(local.defaultEncoder()).toBe('b-model')
    expect(local.skippedEncoders()).toEqual([])
  })

  const onnx = tinyEncoder()
  const weights = 'onnx/model.onnx'
  test.each<[string, Record<string, string | Buffer | undefined>, string]>([
    ['weights are truncated', { [weights]: onnx.subarray(0, onnx.length - 10) }, 'no complete ONNX file; copy it again.'],
    ['weights are empty', { [weights]: '' }, 'no complete ONNX file; copy it again.'],
    ['weights are a web page', { [weights]: '<!doctype html><title>Not found</title>' }, 'no complete ONNX file; copy it again.'],
    ['weights are missing', { [weights]: undefined }, 'is incomplete: copy onnx/model.onnx or onnx/model_quantized.onnx to'],
    ['tokenizer is missing', { 'tokenizer.json': undefined }, 'is incomplete: copy tokenizer.json to'],
    ['tokenizer is truncated', { 'tokenizer.json': '{"model": {"vocab": {' }, 'tokenizer.json is no tokenizer; copy it again.'],
    [
      'tokenizer is another file',
      { 'tokenizer.json': '{"architectures": []}' },
      'tokenizer.json is no tokenizer; copy it again.',
    ],
  ])('is never one whose %s, and the sentence about the default says so', (_, files, reason) => {
    const { modelsDir, ...local } = models([])
    writeEncoder(join(modelsDir, 'a-model'), files)
    expect(local.defaultEncoder()).toBeUndefined()
    const sentence = describeDefault(settingsOf({}), local)
    expect(sentence).toMatch(/^Search works by words alone, .* The model "?a-model"? /)
    expect(sentence).toContain(reason)
    writeEncoder(join(modelsDir, 'b-model'))
    expect([local.defaultEncoder(), describeDefault(settingsOf(approved), local)]).toEqual([
      'b-model',
      expect.stringContaining(reason),
    ])
    expect(describeDefault(settingsOf({ 'embedding.provider': 'none' }), local)).not.toContain('a-model')
  })

  test('is never one whose files have other bytes than those of the catalogue', () => {
    const { modelsDir, ...local } = models(['a-model'], [], { models: [{ ...smallModel, name: 'b-model' }] })
    for (const [path, content] of Object.entries(smallModelFiles))
      writeFile(join(modelsDir, 'b-model', path), Buffer.from(content).fill(1, 5, 6))
    expect(local.defaultEncoder()).toBe('a-model')
    expect(local.skippedEncoders()).toEqual([
      'The model b-model is not used: its files are not those of the catalogue; add the model again.',
    ])
  })

  test('is found without asking a name server for the hosts of all connections', () => {
    models([first]).defaultEncoder()
    expect(process.report).toMatchObject({ excludeNetwork: true })
  })

  test('gives way to the folder of the same name that an operator has, if it is one of the image', () => {
    const { modelsDir, find } = models(['same'], ['same', 'built-in'])
    expect(find('same', 'embedding').files.weights).toBe(join(modelsDir, 'same/onnx/model.onnx'))
    expect(find('built-in', 'embedding').files.weights).toMatch(/built-in\/onnx\/model\.onnx$/)
  })
})

test('an embedder appears when a model is there, and disappears with "none"', () => {
  const { ai, settings, dataDir } = aiWith(approved)
  expect(ai.embedder()).toBeUndefined()
  writeEncoder(join(dataDir, 'models/tiny'))
  expect(ai.embedder()?.model).toMatch(/^local \w+ tiny$/)
  settings.change({ 'embedding.provider': 'none' })
  expect(ai.embedder()).toBeUndefined()
})
