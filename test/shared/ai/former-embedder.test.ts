import { expect, test } from 'vitest'
import { aiWith } from '../../fixtures/providers/ai-of.ts'

const first = {
  'embedding.provider': 'openai',
  'embedding.apiKey': 'sk-first',
  'embedding.baseUrl': 'https://models.example/v1',
  'embedding.model': 'text-embedding-3-small',
}
const spaceOf = (ai: ReturnType<typeof aiWith>['ai']) => ({ model: ai.embedder()?.model ?? '', dimensions: 1536 })

test('a question for vectors of the previous model or length is embedded by the provider if it is still configured', () => {
  const { ai, settings } = aiWith(first)
  const small = spaceOf(ai)
  settings.change({ 'embedding.model': 'text-embedding-3-large', 'embedding.dimensions': 256 })
  const shortened = spaceOf(ai)
  expect(ai.embedderFor(small)?.model).toBe(small.model)
  expect(ai.embedderFor(small)?.dimensions).toBe(1536)
  expect(ai.embedderFor(shortened)).toBe(ai.embedder())
  settings.change({ 'embedding.dimensions': null })
  expect([ai.embedderFor(shortened)?.model, ai.embedderFor(shortened)?.dimensions]).toEqual([shortened.model, 256])
})

test('a question for vectors of another provider or address is embedded by no provider', () => {
  const { ai, settings } = aiWith(first)
  const space = spaceOf(ai)
  settings.change({ 'embedding.baseUrl': 'https://other.example/v1', 'embedding.apiKey': 'sk-other' })
  expect(ai.embedder()).toBeDefined()
  expect(ai.embedderFor(space)).toBeUndefined()
  settings.change({ 'embedding.provider': null })
  expect(ai.embedderFor(space)).toBeUndefined()
})
