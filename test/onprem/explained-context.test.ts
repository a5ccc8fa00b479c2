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
  const { timings, text, available, ...explained } = await asked('type=json&explain=true')
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
  expect(available).toEqual({ vectors: true, reranking: false })
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

test('an explained answer has the snippets of the text answer, however long their JSON is', async () => {
  const path = (more: string) => `/api/v2/context?libraryId=/acme/forge&query=sharpen%20a%20blade&tokens=1000&${more}`
  const metals = ['iron', 'steel', 'copper', 'bronze', 'silver', 'gold', 'zinc', 'nickel']
  const lines = (metal: string) => Array.from({ length: 12 }, (_, n) => `sharpen("${metal}", "${metal} step ${n}")`)
  const pages = metals.map((metal) => [
    `docs/${metal}.md`,
    page(`Sharpen a blade of ${metal}`, `Use ${metal}.\n\n${code(lines(metal))}`),
  ])
  await app.git.create('acme/forge', { files: Object.fromEntries(pages) })
  await app.parse('acme/forge')
  const text = await (await app.ask(path('type=txt'), { key: app.keys.member })).text()
  const body = (await app.json(path('type=json&explain=true'), { key: app.keys.member })).body as Answer
  expect(text.split('### ').length).toBeGreaterThan(3)
  expect(body.text).toBe(text)
})

const code = (lines: string[]) => `\`\`\`js\n${lines.join('\n')}\n\`\`\``

test('a question to all libraries is explained: the chosen libraries, their shares of the budget and each snippet', async () => {
  await app.git.create('acme/brush', { files: { 'README.md': page('Brush', 'Clean the brush with turpentine.') } })
  await app.parse('acme/brush')
  const search = '/api/v2/search?query=clean%20the%20brush%20of%20the%20anvil&type=json'
  const body = (await app.json(`${search}&explain=true`, { key: app.keys.member })).body as Answer & { choice: Choice }
  const { choice, infoSnippets } = body
  expect(choice.chosenFrom).toBeGreaterThanOrEqual(2)
  expect(choice.libraries).toContainEqual({
    libraryId: '/acme/brush',
    named: true,
    confidence: expect.any(Number),
    budgetTokens: expect.any(Number),
    usedTokens: expect.any(Number),
  })
  const [first] = choice.libraries
  expect(first?.budgetTokens).toBe(Math.floor(5000 / choice.libraries.length))
  expect(infoSnippets.find(({ libraryId }) => libraryId === '/acme/brush')).toMatchObject({ explain: { legs: { text: 1 } } })
  expect(body.text).toContain('Clean the brush with turpentine.')
  expect((await app.json(search)).body).not.toHaveProperty('choice')
  expect(await app.json(`${search}&explain=true`)).toMatchObject({ status: 401 })
})
type Choice = { chosenFrom: number; libraries: { budgetTokens: number }[] }

test('a question without a model has nothing to switch off', async () => {
  const plain = await testInstall()
  await plain.git.create('acme/anvil', { files: { 'README.md': page('Anvil', 'The anvil weighs a ton.') } })
  await plain.parse('acme/anvil')
  const { body } = await plain.json(path('type=json&explain=true'), { key: plain.keys.member })
  await plain.close()
  expect((body as Answer).available).toEqual({ vectors: false, reranking: false })
})

test.each(['explain=true', 'vectors=false'])('the parameter %s requires a key', async (more) => {
  expect(await app.json(path(more))).toMatchObject({ status: 401, body: { error: 'invalid_api_key' } })
})
