import { expect, test } from 'vitest'
import { providerRefusal } from '../../../../shared/ai/provider-refusal.ts'
import { questionEmbedder } from '../../../../shared/search/question/embed-question.ts'
import { features, testEmbedder } from '../../../fixtures/test-embedder.ts'

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
  const embed = (question: string, of = space, signal = new AbortController().signal) =>
    embedQuestion({ repaired: question }, of, signal).then((answer) => answer?.vector)
  const later = (ms: number) => {
    time += ms
  }
  return { embed, embedQuestion, embedder, asked, failures, later }
}

test('a question is embedded once, however often it is asked and by however many callers', async () => {
  const { embed, asked } = opened()
  const vectors = await Promise.all([embed('wheel', space), embed('wheel', space)])
  expect(await embed('wheel', space)).toEqual(vectors[0])
  expect(vectors[0]).toEqual(Float32Array.from(features('wheel', 64)))
  expect(asked).toEqual(['wheel'])
})

test('a question in another language is embedded as English words by a model that reads only English', async () => {
  const asked = async (readsOnlyEnglish: boolean) => {
    const { embedQuestion, asked } = opened(testEmbedder({ search: { weight: 0.7, readsOnlyEnglish } }))
    const question = { repaired: 'Rad', english: 'wheel' }
    const answer = await embedQuestion(question, space, new AbortController().signal)
    return { asked, weight: answer?.weight }
  }
  expect(await asked(true)).toEqual({ asked: ['wheel'], weight: 0.7 })
  expect(await asked(false)).toEqual({ asked: ['Rad'], weight: 0.7 })
})

test('a question has no vector if no embedder has the model, or its vectors now have another length', async () => {
  const { embed, failures } = opened()
  expect(await embed('wheel', { model: 'gone', dimensions: 64 })).toBeUndefined()
  expect(failures).toEqual([])
  expect(await embed('wheel', { ...space, dimensions: 32 })).toBeUndefined()
  expect(failures).toHaveLength(1)
})

test('a provider that failed receives no question for some seconds, and then a single one', async () => {
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

test('the embedding of a question is aborted after the last waiting caller hangs up', async () => {
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

test('a vector that arrives too late is used if the question is asked again', async () => {
  const { embed, embedder, failures, later } = opened(testEmbedder(), 1)
  const late = Promise.withResolvers<void>()
  embedder.before = () => late.promise
  expect(await embed('slow', space)).toBeUndefined()
  expect(failures).toHaveLength(1)
  late.resolve()
  later(1)
  await expect.poll(() => embed('slow', space)).toBeDefined()
})

/** The error of a provider that rejects a text. */
const refusal = (status = 400) =>
  providerRefusal(
    { name: 'models.example.com', model: 'm', settings: 'embedding', secrets: [] },
    { status, headers: {}, body: Buffer.from('{"error":"no"}') },
  )

test.each([400, 403])(
  'a question that is rejected with %s does not block other questions, and is not sent again for a minute',
  async (status) => {
    const { embed, embedder, asked, failures, later } = opened()
    const record = embedder.before
    embedder.before = (texts, purpose) => {
      void record(texts, purpose)
      if (texts[0] === 'poison') throw refusal(status)
    }
    expect(await embed('poison')).toBeUndefined()
    expect(await embed('wheel')).toBeDefined()
    expect(await embed('poison')).toBeUndefined()
    expect([asked, failures.length]).toEqual([['poison', 'wheel'], 1])
    later(60_001)
    expect(await embed('poison')).toBeUndefined()
    expect(asked).toEqual(['poison', 'wheel', 'poison'])
  },
)

test('a provider that rejects three questions in a row receives none for some seconds', async () => {
  const { embed, embedder, asked } = opened()
  embedder.before = ([text = '']) => {
    asked.push(text)
    throw refusal()
  }
  for (const question of ['a', 'b', 'c', 'd', 'e']) expect(await embed(question)).toBeUndefined()
  expect(asked).toEqual(['a', 'b', 'c'])
})

test('a question that is too long for the model is shortened until it is accepted', async () => {
  const { embed, embedder, failures } = opened(testEmbedder({ limits: { textTokens: 500 } }))
  const lengths: number[] = []
  embedder.before = ([text = '']) => {
    lengths.push(text.length)
    if (text.length > 600) throw refusal()
  }
  const question = 'wheel '.repeat(1000)
  expect(await embed(question)).toEqual(Float32Array.from(features(question.slice(0, 500), 64)))
  expect([lengths, failures]).toEqual([[2000, 1000, 500], []])
})
