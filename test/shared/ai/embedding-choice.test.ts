import { join } from 'node:path'
import { describe, expect, test } from 'vitest'
import { describeEmbedding, embeddingChoice } from '../../../shared/ai/embedding-choice.ts'
import { catalogue } from '../../../shared/ai/local/catalogue.ts'
import { type LocalModelsOptions, localModels } from '../../../shared/ai/local/local-models.ts'
import { Settings } from '../../../shared/settings/settings.ts'
import { writeCrossEncoder, writeEncoder } from '../../fixtures/local-models/tiny-model.ts'
import { aiWith } from '../../fixtures/providers/ai-of.ts'
import { tempDir } from '../../fixtures/temp-dir.ts'

const settingsOf = (set: Record<string, unknown>) => {
  const values = Settings.parse(set)
  return { get: ((name: keyof Settings) => values[name]) as <N extends keyof Settings>(name: N) => Settings[N] }
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
