import { join } from 'node:path'
import { DatabaseSync } from 'node:sqlite'
import { afterAll, afterEach, beforeAll, beforeEach, describe, expect, test } from 'vitest'
import { page } from '../fixtures/page.ts'
import { type Peculiarities, type PeculiarServer, startPeculiar } from '../fixtures/providers/peculiar.ts'
import { type LoggedJob, type TestInstall, testInstall } from '../fixtures/test-install.ts'
import { until } from '../fixtures/until.ts'

let install: TestInstall
let provider: PeculiarServer
/** Each test has its own provider and library. */
let library = 0

beforeAll(async () => {
  install = await testInstall({
    limits: { retryPausesMs: [50, 50, 50], embedQuestionMs: 20_000 },
    embeddingRetries: { pausesMs: [1, 2, 3, 4], maxPauseMs: 60_000 },
  })
})
afterAll(() => install.close())
beforeEach(async () => {
  library += 1
  provider = await startPeculiar()
  // A port may be that of an earlier provider.
  const model = `model${library}`
  install.app.settings.change({ 'embedding.provider': 'custom', 'embedding.baseUrl': provider.url, 'embedding.model': model })
})
afterEach(() => provider.close())

const repository = () => `acme/docs${library}`
const sections = (count: number) => Array.from({ length: count }, (_, n) => `Part ${n} turns wheel${n} with lever${n}.`)
const isBad = (text: string) => text.includes('wheel7 ')
const attempts = 5

/** The job that makes the vectors of a library of `count` snippets with a provider that is peculiar. */
async function embedded(is: Peculiarities, count = 15): Promise<LoggedJob> {
  await parsed(is, count)
  return install.embedded(repository())
}
async function parsed(is: Peculiarities, count: number): Promise<void> {
  Object.assign(provider.is, is)
  await install.git.create(repository(), { files: { 'docs/a.md': page('A', ...sections(count)) } })
  expect((await install.parse(repository())).state).toBe('done')
}
/** Tries the vectors again, and returns the job that has waited. */
async function retried(id: number): Promise<LoggedJob> {
  await install.call('PATCH', '/api/settings', { 'embedding.apiKey': 'another' })
  return install.ended(id)
}
const cancelled = (id: number) => install.call('POST', `/api/jobs/${id}/cancel`)

/** The unfinished job that makes vectors. */
const embedding = () => install.app.jobs.active()[0]?.id ?? 0

async function asked(query: string, libraryId = `/${repository()}`) {
  const answer = await install.ask(`/api/v2/context?${new URLSearchParams({ libraryId, query })}`)
  return { search: answer.headers.get('x-carrel-search'), text: await answer.text() }
}
/** The requests for the vector of a text with this word. */
const requestsFor = (word: string) => provider.texts().filter((texts) => texts.some((text) => text.includes(word)))

const noVector = (why: string) => ({
  path: 'docs/a.md: A > A part 8',
  reason: `has no vector and is found only by its words: ${new URL(provider.url).host} ${why}`,
})

describe('one text that the provider rejects', () => {
  test.each<[string, Peculiarities, string]>([
    ['is refused with 400', { bad: 400 }, 'rejected the request (400): tensor shapes do not match.'],
    ['is refused with 413', { bad: 413 }, 'rejected the request (413): tensor shapes do not match.'],
    ['is refused with 422', { bad: 422 }, 'rejected the request (422): tensor shapes do not match.'],
    [
      'is rejected with 403, as by a firewall',
      { bad: 403 },
      'rejected the key or its permissions (403): tensor shapes do not match.',
    ],
    ['is redirected', { bad: 302 }, 'responds with a redirect (302)'],
    ['is a conflict', { bad: 409 }, 'failed (409): tensor shapes do not match.'],
    ['fails with 500', { bad: 500 }, 'failed (500): tensor shapes do not match.'],
    ['has null as its vector', { bad: 'null' }, 'returned an empty vector.'],
    ['has a vector of zeros', { bad: 'zeros' }, 'returned a vector of zeros.'],
    ['has an empty vector', { bad: 'empty' }, 'returned an empty vector.'],
    ['has a short vector', { bad: 'short' }, 'returned a vector of 3 numbers'],
    ['has a vector with a value that is no number', { bad: 'nan' }, 'returned a vector with values that are not numbers.'],
    ['has no vector in the response', { bad: 'fewer' }, 'returned 0 vectors for 1 texts.'],
    ['resets the connection', { bad: 'reset' }, 'cannot be reached'],
  ])('stays without a vector, is found by its words and is in the report if it %s', async (_, is, why) => {
    const job = await embedded({ isBad, ...is })
    expect([job.state, job.report?.snippetsAfter, job.report?.textsEmbedded]).toEqual(['done', 15, 14])
    expect(job.report?.skipped).toEqual([{ ...noVector(''), reason: expect.stringContaining(why) }])
    const found = await asked('wheel7')
    expect([found.search, found.text.includes('wheel7 with lever7')]).toEqual(['hybrid', true])
    expect((await asked('wheel8')).text).toContain('wheel8 with lever8')
    const shares = Math.ceil(Math.log2(15))
    // The attempts at the batch and at the text, and whether other texts pass after each.
    expect(requestsFor('wheel7 ').length).toBeLessThanOrEqual(shares + 2 * attempts)
    expect(provider.requests.length).toBeLessThanOrEqual(2 * shares + 2 * attempts + 4)
  })
})

const long = (n: number, words: number) => `Part ${n} turns wheel${n}. ${'It is long. '.repeat(words / 3)}`

test('a question that the provider rejects is searched by its words, and the next one by its meaning, too', async () => {
  await embedded({ isBad })
  const found = await asked('lever7 of wheel7 turns')
  expect([found.search, found.text.includes('wheel7 with lever7')]).toEqual(['text', true])
  expect((await asked('lever8 of wheel8 turns')).search).toBe('hybrid')
})

test('the vectors of an import whose provider rejects every text wait with advice that names the settings', async () => {
  provider.is.isBad = () => true
  const library = { project: `/${repository()}`, codeSnippets: [], infoSnippets: [{ content: 'The lever turns.' }] }
  await install.call('POST', '/api/import-libraries', { libraries: [library] })
  expect((await install.ended(install.app.jobs.list(1, 1).jobs[0]?.id ?? 0)).state).toBe('done')
  const { id, reason } = await install.vectorsWait(repository())
  expect(reason).toMatch(/Check embedding\.model, embedding\.baseUrl and embedding\.dimensions\.$/)
  await cancelled(id)
})

describe('a limit that the provider states in its own words', () => {
  test.each(['huggingface', 'chinese', 'silent'] as const)(
    'shortens a text that is too long (%s), and the others of its batch are whole',
    async (language) => {
      Object.assign(provider.is, { maxTokens: 100, language })
      const texts = [...sections(7), long(7, 400), ...sections(9).slice(8)]
      await install.git.create(repository(), { files: { 'docs/a.md': page('A', ...texts) } })
      await install.parse(repository())
      const job = await install.embedded(repository())
      expect([job.state, job.report?.textsEmbedded, job.report?.skipped]).toEqual(['done', 9, []])
      const cut = provider.embedded.find((text) => text.includes('wheel7.')) ?? ''
      expect(cut.split(/\s+/).length).toBeLessThanOrEqual(100)
      expect(cut.split(/\s+/).length).toBeGreaterThan(30)
      expect(provider.embedded).toContain('A > A part 9\nPart 8 turns wheel8 with lever8.')
      expect((await asked('wheel7')).search).toBe('hybrid')
    },
  )

  test('splits batches if it is a number of texts', async () => {
    const job = await embedded({ maxTexts: 10 }, 32)
    expect([job.state, job.report?.textsEmbedded, job.report?.skipped]).toEqual(['done', 32, []])
    expect(provider.texts().map(({ length }) => length)).toEqual([32, 16, 8, 8, 16, 8, 8])
  })
})

describe('an endpoint without base64', () => {
  test.each([400, 422, 500, 501])(
    'receives requests for numbers if it rejects base64 with %s, also from the test of the settings',
    async (base64) => {
      provider.is.base64 = base64
      const encodings = () => provider.requests.splice(0).map(({ body }) => body.encoding_format)
      expect((await install.call('POST', '/api/settings/test', {})).body).toMatchObject({
        embedding: { ok: true, dimensions: 64 },
      })
      expect(encodings()).toEqual(['base64', undefined])
      const job = await embedded({}, 100)
      expect([job.state, job.report?.textsEmbedded, job.report?.skipped]).toEqual(['done', 100, []])
      await asked('wheel8')
      expect(new Set(encodings())).toEqual(new Set([undefined]))
    },
  )

  test.each([400, 500])('receives only requests for numbers after it rejected its first batch with %s', async (base64) => {
    const job = await embedded({ base64 }, 100)
    expect([job.state, job.report?.textsEmbedded, job.report?.skipped]).toEqual(['done', 100, []])
    const forBase64 = provider.requests.filter(({ body }) => body.encoding_format === 'base64')
    // The requests that were in flight when the first was rejected.
    expect(forBase64.length).toBeLessThanOrEqual(4)
    expect(new Set(provider.embedded).size).toBe(provider.embedded.length)
  })
})

describe('a provider', () => {
  test('gets a bounded number of requests if it accepts one text of all, and the others are found by their words', async () => {
    const job = await embedded({ isBad: (text) => !text.includes('wheel45 ') }, 90)
    expect([job.state, job.report?.textsEmbedded, job.report?.snippetsAfter]).toEqual(['done', 1, 90])
    expect(job.report?.skipped).toHaveLength(89)
    expect((await asked('wheel7')).text).toContain('wheel7 with lever7')
    // Shares of batches, three attempts at each text, and whether others pass.
    expect(provider.requests.length).toBeLessThan(7 * 90)
  })

  test('does not fail the vectors of a refreshed library if it accepts one text of all', async () => {
    await embedded({ isBad: (text) => !text.includes('wheel45 ') }, 60)
    await install.git.commit(repository(), { files: { 'docs/b.md': page('B', 'Something new turns.') } })
    await install.refresh(repository())
    const job = await install.embedded(repository())
    expect([job.state, job.error, job.report?.textsEmbedded, job.report?.snippetsAfter]).toEqual(['done', null, 0, 61])
    expect(job.report?.skipped).toHaveLength(60)
  })

  test('makes the job wait after a bounded number of requests if it rejects every text, with advice that names the settings', async () => {
    await parsed({ isBad: () => true }, 300)
    const { id, reason } = await install.vectorsWait(repository())
    const { host } = new URL(provider.url)
    expect(reason).toBe(
      `${host} rejected the request (400): tensor shapes do not match. It accepts no other text either. Check embedding.model, embedding.baseUrl and embedding.dimensions.`,
    )
    expect(provider.requests.length).toBeLessThan(500)
    provider.is.isBad = undefined
    expect((await retried(id)).report?.textsEmbedded).toBe(300)
  })

  test.each([401, 403])('makes the job wait after a few requests if it responds with %s to every text', async (always) => {
    await parsed({ always }, 300)
    const { id, reason } = await install.vectorsWait(repository())
    expect(reason).toMatch(/\(\d+\): out of order\. Check embedding\.apiKey\.$/)
    // Four batches, and one request with another text.
    expect(provider.requests.length).toBeLessThanOrEqual(5)
    provider.is.always = undefined
    provider.requests.length = 0
    expect((await retried(id)).report?.textsEmbedded).toBe(300)
    expect(Math.max(...provider.texts().map(({ length }) => length))).toBe(32)
  })

  test.each([400, 500])('embeds all texts even if it responds to every second request with %s', async (status) => {
    const job = await embedded({ every: { nth: 2, status } }, 100)
    expect([job.state, job.report?.textsEmbedded, job.report?.skipped]).toEqual(['done', 100, []])
    expect(provider.requests.length).toBeLessThan(200)
  })

  test.each([408, 424, 425, 429])('gets the same request again after a response with %s', async (status) => {
    const job = await embedded({ every: { nth: 2, status } }, 64)
    expect([job.state, job.report?.textsEmbedded, job.report?.skipped]).toEqual(['done', 64, []])
    expect(new Set(provider.texts().map(({ length }) => length))).toEqual(new Set([32]))
  })

  test.each([500, 409, 424])('gets few requests if it responds with %s for a day, and no batch is halved', async (always) => {
    provider.is.always = always
    await install.git.create(repository(), { files: { 'docs/a.md': page('A', ...sections(300)) } })
    await install.parse(repository())
    const id = embedding()
    await install.says(id, 'The job waits')
    // Four batches, five attempts at each, and one request with another text.
    const inFirstRun = provider.requests.length
    expect(inFirstRun).toBeLessThanOrEqual(4 * attempts + 2)
    await until(() => provider.requests.length >= inFirstRun + 3)
    const sizes = provider
      .texts()
      .slice(inFirstRun)
      .map(({ length }) => length)
    expect(new Set(sizes)).toEqual(new Set([1]))
    expect(install.app.jobs.get(id)?.state).toMatch(/queued|parsing/)
    provider.is.always = undefined
    const job = await install.ended(id)
    expect([job.state, job.report?.textsEmbedded, job.report?.skipped]).toEqual(['done', 300, []])
    expect(job.log.filter(({ line }) => line.startsWith('Run '))).toHaveLength(2)
  })

  test('gives each text its own vector if it returns them in another order, or slowly', async () => {
    const job = await embedded({ shuffled: true, delayMs: 5 }, 40)
    expect([job.state, job.report?.textsEmbedded]).toEqual(['done', 40])
  })
})

describe('the address of a provider', () => {
  const set = (baseUrl: string) => install.call('PATCH', '/api/settings', { 'embedding.baseUrl': baseUrl })

  test('may have the route of the vectors at its end', async () => {
    expect((await set(`${provider.url}/embeddings`)).status).toBe(200)
    const job = await embedded({})
    expect([job.state, job.report?.textsEmbedded]).toEqual(['done', 15])
    expect(new Set(provider.requests.map(({ path }) => path))).toEqual(new Set(['/v1/embeddings']))
  })

  test('is in the reason why the job waits if it lacks its /v1, with advice that names the settings', async () => {
    const root = provider.url.slice(0, -'/v1'.length)
    await set(root)
    await parsed({}, 15)
    const { id, reason } = await install.vectorsWait(repository())
    expect(reason).toBe(
      `There is no model at ${root}/embeddings (404): Not Found. Check embedding.baseUrl: most such addresses end with /v1.`,
    )
    expect((await install.call('POST', '/api/settings/test', {})).body).toMatchObject({
      embedding: { ok: false, error: expect.stringContaining(`${root}/embeddings`) },
    })
    await cancelled(id)
  })

  test('is in the reason why the job waits if another service responds there', async () => {
    provider.is.says = { error: 'Unexpected endpoint or method.' }
    await install.git.create(repository(), { files: { 'docs/a.md': page('A', ...sections(3)) } })
    await install.parse(repository())
    const id = embedding()
    await install.says(id, `returned no vectors at ${provider.url}/embeddings: Unexpected endpoint or method. The job waits`)
    await install.call('POST', `/api/jobs/${id}/cancel`)
  })

  test('is rejected with the one to use if it is one of Azure with a version', async () => {
    const azure = 'https://acme.openai.azure.com/openai/deployments/small?api-version=2024-10-21'
    expect(await set(azure)).toMatchObject({
      status: 400,
      body: { message: expect.stringContaining('for Azure OpenAI use https://acme.openai.azure.com/openai/v1') },
    })
  })
})

describe('a library with a snippet without a vector', () => {
  const needed = async () => (await install.call('GET', '/api/reindex')).body
  async function reindexed(): Promise<LoggedJob> {
    expect((await install.call('POST', '/api/reindex')).body.queued).toEqual([`/${repository()}`])
    return install.ended(install.app.jobs.list(1, 1, { kinds: ['reindex'] }).jobs[0]?.id ?? 0)
  }
  // Libraries of other tests have vectors of other addresses.
  beforeEach(async () => {
    for (const { id } of install.app.catalog.libraries()) await install.call('DELETE', `/api/projects${id}`)
  })

  test('is offered for a re-index, which embeds only the missing text, until it has its vector', async () => {
    await embedded({ isBad, bad: 500 })
    const [before] = install.app.catalog.versions({ owner: 'acme', repo: `docs${library}` })
    expect(await needed()).toMatchObject({ needed: 1, texts: 1, tokens: Math.ceil((before?.tokens ?? 0) / 15) })
    provider.requests.length = 0
    const again = await reindexed()
    expect([again.state, again.report?.textsEmbedded, again.report?.skipped]).toEqual([
      'done',
      0,
      [noVector('failed (500): tensor shapes do not match.')],
    ])
    expect(
      new Set(
        provider
          .texts()
          .flat()
          .filter((text) => text.startsWith('A > ')),
      ),
    ).toEqual(new Set(['A > A part 8\nPart 7 turns wheel7 with lever7.']))
    expect((await asked('wheel8')).search).toBe('hybrid')
    provider.is.isBad = undefined
    const last = await reindexed()
    expect([last.state, last.report?.textsEmbedded, last.report?.skipped]).toEqual(['done', 1, []])
    expect(await needed()).toMatchObject({ needed: 0, texts: 0, tokens: 0 })
  })

  test('requests the missing vector again at a refresh, and no other', async () => {
    await embedded({ isBad })
    provider.is.isBad = undefined
    provider.embedded.length = 0
    await install.git.commit(repository(), { files: { 'docs/b.md': page('B', 'Something new turns.') } })
    const job = await install.refresh(repository())
    expect([job.state, job.report?.skipped, provider.embedded.toSorted()]).toEqual([
      'done',
      [],
      ['A > A part 8\nPart 7 turns wheel7 with lever7.', 'B > B part 1\nSomething new turns.'],
    ])
    expect((await needed()).needed).toBe(0)
  })

  test('can be imported, and the missing vector stays known when its rows are copied', async () => {
    Object.assign(provider.is, { isBad })
    const infoSnippets = sections(40).map((content, n) => ({ content, breadcrumb: `Wheels > Wheel ${n}` }))
    await install.call('POST', '/api/import-libraries', {
      libraries: [{ project: `/${repository()}`, codeSnippets: [], infoSnippets }],
    })
    await install.ended(install.app.jobs.list(1, 1).jobs[0]?.id ?? 0)
    const job = await install.embedded(repository())
    expect([job.state, job.report?.textsEmbedded, job.report?.snippetsAfter]).toEqual(['done', 39, 40])
    expect(job.report?.skipped).toEqual([
      { path: expect.stringContaining('Wheel 7'), reason: expect.stringContaining('is found only by its words') },
    ])
    const copied = install.app.jobs.enqueue({
      library: { owner: 'acme', repo: `docs${library}` },
      kind: 'reindex',
      request: { keepVectors: true },
    })
    install.app.worker.wake()
    if ('id' in copied) expect((await install.ended(copied.id)).state).toBe('done')
    expect(await needed()).toMatchObject({ needed: 1, texts: 1 })
    expect((await asked('wheel7')).text).toContain('wheel7 with lever7')
  })

  test('ranks that snippet by its words only', async () => {
    await embedded({ isBad })
    const asked = { libraryId: `/${repository()}`, query: 'lever7 lever8', type: 'json', explain: 'true' }
    const { body } = await install.json(`/api/v2/context?${new URLSearchParams(asked)}`, { key: install.keys.admin })
    const { infoSnippets } = body as {
      infoSnippets: { content: string; explain: { legs: { text?: number; vector?: number } } }[]
    }
    const retrieversOf = (word: string) =>
      Object.keys(infoSnippets.find(({ content }) => content.includes(word))?.explain.legs ?? {})
    expect([retrieversOf('wheel7 '), retrieversOf('wheel8 ')]).toEqual([['text'], ['text', 'vector']])
  })

  const vectorsDb = (sql: string) => {
    const db = new DatabaseSync(join(install.dataDir, 'vectors.db'), { readOnly: true })
    try {
      const from = `FROM ${sql} JOIN generations g ON g.id = generation WHERE g.library LIKE ?`
      return Number(db.prepare(`SELECT count(*) AS n ${from}`).get(`%${repository()}`)?.n)
    } finally {
      db.close()
    }
  }

  test('leaves no record of the missing vector when it is deleted', async () => {
    await embedded({ isBad })
    expect(vectorsDb('left_out')).toBe(1)
    await install.call('DELETE', `/api/projects/${repository()}`)
    expect(vectorsDb('left_out')).toBe(0)
  })

  test('keeps its vectors if its job is cancelled while a batch is halved', async () => {
    Object.assign(provider.is, { isBad, delayMs: 30 })
    await install.git.create(repository(), { files: { 'docs/a.md': page('A', ...sections(64)) } })
    await install.parse(repository())
    const id = embedding()
    await until(() => vectorsDb('uses') > 32 + 8)
    expect((await install.call('POST', `/api/jobs/${id}/cancel`)).body.state).toBe('cancelled')
    const stored = vectorsDb('uses')
    expect(stored).toBeLessThan(63)
    await install.call('POST', `/api/jobs/${id}/retry`)
    const job = await install.embedded(repository())
    expect([job.state, job.report?.snippetsAfter, job.report?.skipped.length]).toEqual(['done', 64, 1])
    expect(job.report?.textsEmbedded).toBe(63 - stored)
  })
})
