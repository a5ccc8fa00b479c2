import { afterAll, beforeAll, beforeEach, expect, test } from 'vitest'
import { AppError } from '../../shared/errors.ts'
import { page } from '../fixtures/page.ts'
import { aiOf, features, hashOf, type TestEmbedder, testEmbedder } from '../fixtures/test-embedder.ts'
import { type TestInstall, testInstall } from '../fixtures/test-install.ts'

// Whole installs are slow on a busy machine.
let install: TestInstall
let embedder: TestEmbedder | undefined
const answering = testEmbedder({ model: 'test/answering', toVector: (text) => features(meant(text), 64) })

/** Two words of one meaning, which share no letter. */
const meant = (text: string) => text.replaceAll(/vehicle|automobiles?/gi, 'carcarcar')

const pages = {
  'README.md': page('Garage', 'A garage is for parking.'),
  'docs/cars.md': page('Vehicle', 'Wash the vehicle by hand every week.', 'Sell the vehicle when its paint is gone.'),
  'docs/boats.md': page('Boats', 'Wash a boat in salt water.', 'A boat is moored with a rope.'),
  'docs/planes.md': page('Planes', 'A plane needs a runway.', 'The wings of a plane are cleaned by rain.'),
}

beforeAll(async () => {
  install = await testInstall({ openAi: () => aiOf(() => embedder) })
  embedder = answering
  await install.git.create('acme/garage', { files: pages })
  expect((await install.parse('acme/garage')).state).toBe('done')
  await install.embedded('acme/garage')
})
afterAll(() => install.close())
beforeEach(() => {
  answering.before = () => undefined
  embedder = answering
})

/** Titles of the answer in their order, and which retrievers of the search gave it. */
async function ask(query: string, libraryId = '/acme/garage') {
  const answer = await fetch(`${install.url}/api/v2/context?${new URLSearchParams({ libraryId, query, type: 'json' })}`)
  const body = (await answer.json()) as { infoSnippets?: { breadcrumb: string; rank: number }[] }
  const titles = (body.infoSnippets ?? []).toSorted((a, b) => a.rank - b.rank).map(({ breadcrumb }) => breadcrumb)
  return { status: answer.status, search: answer.headers.get('x-carrel-search'), titles }
}

test('a question without a common word finds its answer by vector', async () => {
  const found = await ask('automobile')
  expect([found.status, found.search]).toEqual([200, 'hybrid'])
  expect(found.titles[0]).toMatch(/^Vehicle/)
  embedder = undefined
  expect((await ask('automobile')).status).toBe(404)
})

test('snippets that share words and meaning rank before those that share only words', async () => {
  const found = await ask('wash automobiles')
  expect([found.search, found.titles[0]]).toEqual(['hybrid', 'Vehicle > Vehicle part 1'])
  embedder = undefined
  const byText = await ask('wash automobiles')
  expect([byText.search, byText.titles[0]]).toEqual(['text', 'Boats > Boats part 1'])
})

test('meaningless vectors do not change the first result', async () => {
  const questions = ['How is a boat moored?', 'runway of a plane', 'sell when paint is gone', 'parking', 'clean wings with rain']
  embedder = undefined
  const byText = await Promise.all(questions.map(async (question) => (await ask(question)).titles[0]))
  embedder = testEmbedder({
    model: 'test/random',
    dimensions: 32,
    toVector: (text) => Array.from({ length: 32 }, (_, i) => (hashOf(`${i} ${text}`) % 1000) - 500),
  })
  await install.git.create('acme/random', { files: pages })
  await install.parse('acme/random')
  await install.embedded('acme/random')
  for (const [n, question] of questions.entries()) {
    const found = await ask(question, '/acme/random')
    expect([found.search, found.titles[0]], question).toEqual(['hybrid', byText[n]])
  }
})

test('a slow provider does not delay answers, which text search gives, and the next questions do not wait', async () => {
  const end = Promise.withResolvers<void>()
  let asked = 0
  answering.before = () => {
    asked += 1
    return end.promise
  }
  const first = await ask('wash the slow boat')
  expect([first.status, first.search, first.titles[0]]).toEqual([200, 'text', 'Boats > Boats part 1'])
  expect((await ask('moor the slow boat')).search).toBe('text')
  expect(asked).toBe(1)
  end.resolve()
  expect(install.log.troubles.filter(({ message }) => message === 'a question could not be embedded')).toHaveLength(1)
})

test('content of another model is searched by text only', async () => {
  embedder = testEmbedder({ model: 'test/another' })
  const found = await ask('wash the boat')
  expect([found.search, found.titles[0]]).toEqual(['text', 'Boats > Boats part 1'])
})

test('a provider error is logged, and text search gives the answer', async () => {
  const refusing = testEmbedder({ model: 'test/refusing' })
  embedder = refusing
  await install.git.create('acme/refused', { files: pages })
  await install.parse('acme/refused')
  await install.embedded('acme/refused')
  refusing.before = () => {
    throw new AppError('provider_unavailable', 'The key is wrong.')
  }
  install.log.troubles.length = 0
  const found = await ask('wash the boat', '/acme/refused')
  expect([found.status, found.search]).toEqual([200, 'text'])
  const answered = install.log.lines.findLast(({ message }) => message === 'request')
  expect(install.log.troubles).toMatchObject([
    {
      message: 'a question could not be embedded',
      fields: { request: answered?.fields.request, error: { message: 'The key is wrong.' } },
    },
  ])
})
