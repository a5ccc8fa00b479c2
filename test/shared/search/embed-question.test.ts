import { expect, test } from 'vitest'
import { questionEmbedder } from '../../../shared/search/embed-question.ts'
import { features, testEmbedder } from '../../fixtures/test-embedder.ts'

const space = { model: 'test/features', dimensions: 64 }

function opened(embedder = testEmbedder(), maxMs = 20_000) {
  let time = 0
  const failures: unknown[] = []
  const asked: string[] = []
  embedder.before = ([text = '']) => void asked.push(text)
  const embedQuestion = questionEmbedder({
    embedderFor: ({ model }) => (model === embedder.model ? embedder : undefined),
    onFailure: (error) => void failures.push(error),
    maxMs,
    nowMs: () => time,
  })
  const embed = (question: string, of = space, signal = new AbortController().signal) => embedQuestion(question, of, signal)
  const later = (ms: number) => {
    time += ms
  }
  return { embed, embedder, asked, failures, later }
}

test('a question is embedded once, however often and by however many it is asked', async () => {
  const { embed, asked } = opened()
  const vectors = await Promise.all([embed('wheel', space), embed('wheel', space)])
  expect(await embed('wheel', space)).toEqual(vectors[0])
  expect(vectors[0]).toEqual(Float32Array.from(features('wheel', 64)))
  expect(asked).toEqual(['wheel'])
})

test('there is no vector where no embedder has the model, or its vectors have another length by now', async () => {
  const { embed, failures } = opened()
  expect(await embed('wheel', { model: 'gone', dimensions: 64 })).toBeUndefined()
  expect(failures).toEqual([])
  expect(await embed('wheel', { ...space, dimensions: 32 })).toBeUndefined()
  expect(failures).toHaveLength(1)
})

test('after a failure the provider is left alone for some seconds, then one question tries', async () => {
  const { embed, embedder, asked, later } = opened()
  const fails = () => {
    asked.push('failed')
    throw new Error('away')
  }
  const answers = embedder.before
  embedder.before = fails
  expect(await embed('a', space)).toBeUndefined()
  expect(await embed('b', space)).toBeUndefined()
  expect(asked).toEqual(['failed'])
  later(5_001)
  expect(await Promise.all([embed('c', space), embed('d', space)])).toEqual([undefined, undefined])
  expect(asked).toEqual(['failed', 'failed'])
  embedder.before = answers
  later(10_001)
  expect(await embed('e', space)).toBeDefined()
  expect(await embed('f', space)).toBeDefined()
})

test('a question is embedded until the last caller who waits for it hangs up', async () => {
  const { embed, embedder, failures } = opened()
  const signals: (AbortSignal | undefined)[] = []
  embedder.embed = (_texts, _purpose, signal) => {
    signals.push(signal)
    return new Promise(() => undefined)
  }
  const callers = [new AbortController(), new AbortController()]
  const asked = callers.map(({ signal }) => embed('wheel', space, signal).catch((reason: unknown) => reason))
  callers[0]?.abort('first')
  expect([await asked[0], signals[0]?.aborted]).toEqual(['first', false])
  callers[1]?.abort('last')
  expect([await asked[1], signals[0]?.aborted]).toEqual(['last', true])
  expect([signals.length, failures]).toEqual([1, []])
})

test('an answer that came too late is there for whoever asks the same again', async () => {
  const { embed, embedder, failures, later } = opened(testEmbedder(), 1)
  const late = Promise.withResolvers<void>()
  embedder.before = () => late.promise
  expect(await embed('slow', space)).toBeUndefined()
  expect(failures).toHaveLength(1)
  late.resolve()
  later(1)
  await expect.poll(() => embed('slow', space)).toBeDefined()
})
