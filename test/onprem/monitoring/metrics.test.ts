import { readFileSync } from 'node:fs'
import { Client } from '@modelcontextprotocol/sdk/client/index.js'
import { StreamableHTTPClientTransport } from '@modelcontextprotocol/sdk/client/streamableHttp.js'
import { afterAll, beforeAll, expect, test } from 'vitest'
import { createServer } from '../../../onprem/server.ts'
import { snippetsOf } from '../../fixtures/imports.ts'
import { startOpenai } from '../../fixtures/providers/openai.ts'
import type { ProviderServer } from '../../fixtures/providers/provider-server.ts'
import { type Scrape, scrape } from '../../fixtures/scrape.ts'
import type { TestInstall } from '../../fixtures/test-install.ts'
import { until } from '../../fixtures/until.ts'
import { widgetsInstall } from '../../fixtures/widgets-install.ts'

let app: TestInstall
let provider: ProviderServer

beforeAll(async () => {
  ;[app, provider] = await Promise.all([widgetsInstall(), startOpenai({ answer: () => '{ "order": [1] }' })])
})
afterAll(() => Promise.all([app.close(), provider.close()]))

/** The growth of series while `work` ran. */
async function growth(work: () => Promise<unknown>) {
  const before = await scrape(app)
  await work()
  const after = await scrape(app)
  return (...series: Parameters<Scrape['value']>) => (after.value(...series) ?? 0) - (before.value(...series) ?? 0)
}

const question = (words: string) => `/api/v2/context?libraryId=/acme/widgets&query=${words}`

test('requests are counted by route, method and class of the status', async () => {
  const grown = await growth(async () => {
    for (const path of ['/api/jobs/1', '/api/jobs/2', '/api/projects/acme/widgets/pages']) await app.call('GET', path)
    await app.ask('/api/jobs/1', { method: 'DELETE' })
    await app.ask('/nowhere/acme')
    await app.ask('/libraries', { headers: { accept: 'text/html' } })
  })
  const requests = (route: string, method: string, status: string) =>
    grown('carrel_http_requests_total', { route, method, status })
  expect(requests('/api/jobs/{id}', 'GET', '2xx') + requests('/api/jobs/{id}', 'GET', '4xx')).toBe(2)
  expect(requests('/api/projects/{owner}/{repo}/pages', 'GET', '2xx')).toBe(1)
  expect(requests('none', 'GET', '4xx')).toBe(1)
  expect(requests('web', 'GET', '2xx')).toBe(1)
  expect(grown('carrel_http_request_duration_seconds_count', { route: '/api/jobs/{id}', method: 'GET' })).toBe(2)
})

test('questions are counted by kind, entry and outcome', async () => {
  const grown = await growth(async () => {
    await app.ask(question('paint'))
    await app.ask(question('zzzzzz'))
    await app.ask('/api/v2/context?libraryId=/acme/nothing&query=x')
    await app.ask('/api/v2/libs/search?libraryName=widgets')
    const client = new Client({ name: 'test', version: '1' })
    await client.connect(new StreamableHTTPClientTransport(new URL(`${app.url}/mcp`)))
    const { tools } = await client.listTools()
    await client.callTool({ name: tools[0]?.name ?? '', arguments: { libraryName: 'widgets', query: 'paint' } })
    await client.close()
  })
  const asked = (kind: string, entry: string, outcome: string) => grown('carrel_questions_total', { kind, entry, outcome })
  expect(asked('context', 'http', 'answered')).toBe(1)
  expect(asked('context', 'http', 'nothing_found')).toBe(2)
  expect(asked('search', 'http', 'answered')).toBe(1)
  expect(asked('search', 'mcp', 'answered')).toBe(1)
  expect(grown('carrel_question_duration_seconds_count', { kind: 'context', entry: 'http' })).toBe(3)
})

test('a question that is rejected, fails or is abandoned is counted as such', async () => {
  const { questions } = app.app
  const holds: (() => void)[] = []
  const busy = () => questions.run(() => new Promise<void>((resolve) => holds.push(resolve)), new AbortController().signal)
  const grown = await growth(async () => {
    const held = [busy(), busy(), busy(), busy()]
    await expect.poll(() => holds.length).toBe(4)
    const hangUp = new AbortController()
    const abandoned = fetch(app.url + question('paint'), { signal: hangUp.signal }).catch(() => undefined)
    await expect.poll(async () => (await scrape(app)).value('carrel_questions_waiting')).toBe(1)
    expect((await scrape(app)).value('carrel_questions_running')).toBe(4)
    hangUp.abort()
    await abandoned
    await expect.poll(async () => (await scrape(app)).value('carrel_questions_waiting')).toBe(0)
    for (const free of holds) free()
    await Promise.all(held)
    const full = { ...questions, runFor: () => Promise.reject(new Error('a bug')) }
    const failing = createServer({ ...app.app, questions: full }, async () => true)
    expect((await failing.request(app.url + question('paint'), { headers: { host: new URL(app.url).host } })).status).toBe(500)
  })
  const asked = (outcome: string) => grown('carrel_questions_total', { kind: 'context', entry: 'http', outcome })
  expect([asked('disconnected'), asked('failed'), asked('answered')]).toEqual([1, 1, 0])
})

test('jobs are counted by kind and outcome, with their files, snippets and time', async () => {
  await app.git.create('acme/more', { files: { 'README.md': '# More\n\nSome more text about gears.\n' } })
  const grown = await growth(async () => {
    await app.parse('acme/more')
    await app.parse('acme/missing')
  })
  expect(grown('carrel_jobs_finished_total', { kind: 'parse', outcome: 'done' })).toBe(1)
  expect(grown('carrel_jobs_finished_total', { kind: 'parse', outcome: 'failed' })).toBe(1)
  expect(grown('carrel_job_files_total', { kind: 'parse' })).toBe(1)
  expect(grown('carrel_job_snippets_total', { kind: 'parse' })).toBe(1)
  expect(grown('carrel_job_seconds_total', { kind: 'parse' })).toBeGreaterThan(0)
  expect(grown('carrel_libraries')).toBe(1)
})

test('an import is counted with its snippets', async () => {
  const grown = await growth(async () => {
    const libraries = [
      { project: '/acme/imported', title: 'Imported', description: '', ...snippetsOf('Cranes lift.', 'Cranes turn.') },
    ]
    expect((await app.call('POST', '/api/import-libraries', { libraries })).status).toBe(202)
    await until(() => app.app.jobs.active().length === 0)
  })
  expect(grown('carrel_jobs_finished_total', { kind: 'import', outcome: 'done' })).toBe(1)
  expect(grown('carrel_job_snippets_total', { kind: 'import' })).toBe(2)
  expect(grown('carrel_job_seconds_total', { kind: 'import' })).toBeGreaterThan(0)
})

test('the queue reports how many jobs wait and how long the oldest has waited', async () => {
  await app.git.create('acme/stalled', { files: { 'README.md': '# Stalled\n' } })
  app.git.misbehave('acme/stalled', { kind: 'stall', at: 'pack' })
  const [running, waiting] = [await app.queue('acme/stalled'), await app.queue('acme/more', { force: true })]
  await expect.poll(() => app.app.jobs.get(running)?.state).toBe('parsing')
  const { value } = await scrape(app)
  expect([value('carrel_jobs_running', { kind: 'parse' }), value('carrel_jobs_waiting', { kind: 'parse' })]).toEqual([1, 1])
  expect(value('carrel_jobs_oldest_waiting_seconds', { kind: 'parse' })).toBeGreaterThan(0)
  expect(value('carrel_jobs_waiting', { kind: 'import' })).toBe(0)
  await app.call('POST', `/api/jobs/${waiting}/cancel`)
  await app.call('POST', `/api/jobs/${running}/cancel`)
  await expect.poll(() => app.app.jobs.get(running)?.state).toBe('cancelled')
  expect((await scrape(app)).value('carrel_jobs_oldest_waiting_seconds', { kind: 'parse' })).toBe(0)
})

test('calls of models are counted by provider, use and outcome, with their tokens', async () => {
  app.app.settings.change({ 'embedding.provider': 'custom', 'embedding.baseUrl': provider.url, 'embedding.model': 'vectors' })
  app.app.settings.change({ 'llm.provider': 'custom', 'llm.baseUrl': provider.url, 'llm.model': 'words', 'llm.apiKey': 'k' })
  const grown = await growth(async () => {
    await app.parse('acme/widgets', { force: true })
    await app.embedded('acme/widgets')
    provider.fail({ kind: 'status', status: 400 })
    await app.app.ai
      .embedder()
      ?.embed(['text'], 'query')
      .catch(() => undefined)
    provider.fail({ kind: 'status', status: 429, retryAfter: '1' })
    await app.app.ai
      .embedder()
      ?.embed(['text'], 'query')
      .catch(() => undefined)
    await app.ask(question('colour'))
  })
  const calls = (use: string, outcome: string) => grown('carrel_ai_calls_total', { provider: 'custom', use, outcome })
  expect(calls('embed_documents', 'ok')).toBeGreaterThan(0)
  expect([calls('embed_question', 'failed'), calls('embed_question', 'rate_limited'), calls('embed_question', 'ok')]).toEqual([
    1, 1, 1,
  ])
  expect([calls('llm', 'ok'), calls('llm', 'failed')]).toEqual([1, 0])
  expect(grown('carrel_ai_tokens_total', { provider: 'custom', use: 'llm' })).toBeGreaterThan(100)
  expect(grown('carrel_ai_tokens_total', { provider: 'custom', use: 'embed_documents' })).toBeGreaterThan(10)
  expect(grown('carrel_ai_call_duration_seconds_count', { provider: 'custom', use: 'embed_question' })).toBe(3)
  expect(grown('carrel_vectors')).toBe(13)
  app.app.settings.change({ 'embedding.provider': null, 'llm.provider': null })
})

test('a sample measures the stores and the disk', async () => {
  await app.app.monitor.sample()
  const { value } = await scrape(app)
  expect(value('carrel_libraries')).toBe(app.app.catalog.libraries().length)
  const { generations } = await app.app.storeFacts()
  const bytes = new Map(generations.map(({ generation, sizeBytes }) => [generation, sizeBytes]))
  expect(value('carrel_store_bytes', { store: 'index' })).toBe([...bytes.values()].reduce((sum, each) => sum + each))
  expect(value('carrel_store_bytes', { store: 'database' })).toBeGreaterThan(10_000)
  expect(value('carrel_store_bytes', { store: 'texts' })).toBe(0)
  await app.ask('/api/search?q=lever')
  await app.app.textIndex.settled()
  await app.app.monitor.sample()
  expect((await scrape(app)).value('carrel_store_bytes', { store: 'texts' })).toBeGreaterThan(10_000)
  expect(value('carrel_disk_free_bytes')).toBeLessThan(value('carrel_disk_size_bytes') ?? 0)
})

test('samples that overlap are combined', async () => {
  const before = app.app.monitor.samples().length
  await Promise.all([app.app.monitor.sample(), app.app.monitor.sample()])
  expect(app.app.monitor.samples()).toHaveLength(before + 1)
})

test('the labels contain no name, text, address or key', async () => {
  const { labels, text } = await scrape(app)
  for (const word of ['acme', 'widgets', 'gears', 'nowhere', app.url, app.git.url, app.dataDir, app.keys.admin])
    expect(text).not.toContain(word)
  const known = [
    'channel',
    'version',
    'major',
    'minor',
    'patch',
    'le',
    'route',
    'method',
    'status',
    'kind',
    'entry',
    'outcome',
    'provider',
    'use',
    'store',
  ]
  expect([...labels].filter((label) => !known.includes(label))).toEqual([])
})

test.each(['grafana-dashboard.json', 'alert-rules.yaml'])('every metric that %s names is served', async (file) => {
  const text = readFileSync(new URL(`../../../onprem/monitoring/${file}`, import.meta.url), 'utf8')
  const named = new Set([...text.matchAll(/\b(?:carrel|process|nodejs)_[a-z0-9_]+/g)].map(([name]) => name))
  expect(named.size).toBeGreaterThan(9)
  const { names } = await scrape(app)
  expect([...named].filter((name) => !names.has(name))).toEqual([])
})
