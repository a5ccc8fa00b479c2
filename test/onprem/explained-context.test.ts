import { afterAll, beforeAll, expect, test } from 'vitest'
import { page } from '../fixtures/page.ts'
import { aiOf, features, testEmbedder } from '../fixtures/test-embedder.ts'
import { type TestInstall, testInstall } from '../fixtures/test-install.ts'

let app: TestInstall
beforeAll(async () => {
  const embedder = testEmbedder({ model: 'test/explained', toVector: (text) => features(text, 64) })
  app = await testInstall({ openAi: () => aiOf(() => embedder) })
  await app.git.create('acme/anvil', {
    files: {
      'README.md': page('Anvil', 'The anvil weighs a ton.', 'Iron rusts.'),
      'docs/hammer.md': page('Hammer', 'A hammer hits the anvil.'),
    },
  })
  await app.parse('acme/anvil')
  await app.embedded('acme/anvil')
})
afterAll(() => app.close())

const path = (more: string) => `/api/v2/context?libraryId=/acme/anvil&query=how%20heavy%20is%20the%20anvil&${more}`
type Answer = Record<string, unknown> & {
  codeSnippets: Record<string, unknown>[]
  infoSnippets: Record<string, unknown>[]
  timings: Record<string, number>
}
const asked = async (more: string) => (await app.json(path(more), { key: app.keys.member })).body as Answer

test('the parameter explain=true adds why each snippet was chosen, the time of each step and the text answer', async () => {
  const plain = await asked('type=json')
  const { timings, text, ...explained } = await asked('type=json&explain=true')
  const [first] = explained.infoSnippets
  expect(first).toMatchObject({
    rank: 1,
    explain: {
      legs: { text: 1, vector: expect.any(Number) },
      words: expect.arrayContaining(['anvil']),
      score: expect.any(Number),
    },
  })
  const scores = explained.infoSnippets.map(({ explain }) => explain as { score: number; pageScore: number })
  expect(scores.map(({ score }) => score)).toEqual(scores.map(({ score }) => score).toSorted((a, b) => b - a))
  expect(scores.every(({ pageScore }) => pageScore >= 0 && pageScore <= 1)).toBe(true)
  expect(Object.keys(timings)).toEqual(['embed', 'wait', 'search', 'rank', 'rerank', 'choose'])
  expect(text).toBe(await (await app.ask(path('type=txt'), { key: app.keys.member })).text())
  const without = explained.infoSnippets.map(({ explain: _, ...snippet }) => snippet)
  expect({ ...explained, infoSnippets: without }).toEqual(plain)
})

test('the parameter vectors=false limits the search to words', async () => {
  const answer = await app.ask(path('type=json&vectors=false&explain=true'), { key: app.keys.member })
  expect(answer.headers.get('x-carrel-search')).toBe('text')
  const { infoSnippets } = (await answer.json()) as Answer
  expect(infoSnippets.every(({ explain }) => !('vector' in (explain as { legs: object }).legs))).toBe(true)
  expect((await app.ask(path('type=json'))).headers.get('x-carrel-search')).toBe('hybrid')
})

test.each(['explain=true', 'vectors=false'])('the parameter %s requires a key', async (more) => {
  expect(await app.json(path(more))).toMatchObject({ status: 401, body: { error: 'invalid_api_key' } })
})
