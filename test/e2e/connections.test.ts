import { existsSync, readFileSync } from 'node:fs'
import { join } from 'node:path'
import { afterEach, beforeEach, expect, test } from 'vitest'
import { type GitServer, startGitServer } from '../fixtures/git-server.ts'
import { page } from '../fixtures/page.ts'
import { startAnthropic } from '../fixtures/providers/anthropic.ts'
import { startOpenai } from '../fixtures/providers/openai.ts'
import type { ProviderServer } from '../fixtures/providers/provider-server.ts'
import { prepareDir, type ServerProcess, startServer } from '../fixtures/server-process.ts'
import { tempDir } from '../fixtures/temp-dir.ts'
import { until } from '../fixtures/until.ts'

const key = 'sk-proj-0123456789abcdef'
const recorder = new URL('../fixtures/record-connections.mjs', import.meta.url).href

let git: GitServer
let provider: ProviderServer | undefined

beforeEach(async () => {
  git = await startGitServer()
  await git.create('acme/levers', {
    files: { 'README.md': page('Levers', 'A lever turns a wheel.', 'A wheel turns a lever.'), 'secret.bin': 'not a document' },
  })
})
afterEach(() => Promise.all([git.close(), provider?.close()]))

/** A server that records every outgoing connection. */
async function recorded(): Promise<{ server: ServerProcess; connections(): string[] }> {
  const file = join(tempDir(), 'connections')
  const env = { NODE_OPTIONS: `--import ${recorder}`, RECORD_CONNECTIONS: file }
  const server = await startServer(prepareDir(git.url), env)
  const connections = () => (existsSync(file) ? readFileSync(file, 'utf8').trim().split('\n') : [])
  return { server, connections: () => [...new Set(connections())].sort() }
}

async function parse(server: ServerProcess): Promise<void> {
  const { body } = await server.call('POST', '/api/parse', { repoUrl: `${git.url}/acme/levers` })
  await until(async () => (await server.job(Number(body.queueId))).finishedAt)
  expect(await server.job(Number(body.queueId))).toMatchObject({ state: 'done', error: null })
}

const idle = (server: ServerProcess) =>
  until(async () => Object.keys((await server.call('GET', '/api/parse-status')).body.activeParses as object).length === 0)

const hostOf = (url: string) => new URL(url).host

test('a server without a provider connects only to the git host', async () => {
  const { server, connections } = await recorded()
  expect(connections()).toEqual([])
  await parse(server)
  expect(await server.context('/acme/levers', 'what turns a wheel')).toContain('lever')
  expect(await server.end()).toBe(0)
  expect(connections()).toEqual([hostOf(git.url)])
})

test('a server with a language model connects only to the provider and the git host, and sends only what the model needs', async () => {
  provider = await startAnthropic({ key })
  const { server, connections } = await recorded()
  const settings = { 'llm.provider': 'anthropic', 'llm.baseUrl': provider.url, 'llm.apiKey': key }
  expect((await server.call('PATCH', '/api/settings', settings)).status).toBe(200)
  expect(connections()).toEqual([])
  expect((await server.call('POST', '/api/settings/test', {})).body).toMatchObject({ llm: { ok: true } })
  await parse(server)
  expect(await server.context('/acme/levers', 'what turns a wheel')).toContain('lever')
  expect(await server.end()).toBe(0)
  expect(connections()).toEqual([hostOf(git.url), hostOf(provider.url)].sort())
  expectOnlyNeeded(['POST /v1/messages'], ['anthropic-version', 'x-api-key'])
})

test('a server with embeddings connects only to the provider and the git host, in a parse, an import, a re-index and a question', async () => {
  provider = await startOpenai({ key })
  const { server, connections } = await recorded()
  const settings = { 'llm.provider': 'openai', 'llm.baseUrl': provider.url, 'llm.apiKey': key, 'embedding.dimensions': 48 }
  await server.call('PATCH', '/api/settings', settings)
  const tried = await server.call('POST', '/api/settings/test', {})
  expect(tried.body).toMatchObject({ llm: { ok: true }, embedding: { ok: true, dimensions: 48 } })
  await parse(server)
  const info = { id: 'https://github.com/acme/cranks', content: 'A crank turns a shaft.', breadcrumb: 'Cranks', tokens: 6 }
  const libraries = [{ project: '/acme/cranks', title: 'Cranks', codeSnippets: [], infoSnippets: [info] }]
  expect(await server.call('POST', '/api/import-libraries', { libraries })).toMatchObject({ status: 202, body: { skipped: [] } })
  await idle(server)
  await server.call('PATCH', '/api/settings', { 'embedding.dimensions': 32 })
  expect((await server.call('POST', '/api/reindex')).status).toBe(202)
  await idle(server)
  expect(await server.context('/acme/cranks', 'which part turns a shaft')).toContain('crank')
  expect(await server.end()).toBe(0)
  expect(connections()).toEqual([hostOf(git.url), hostOf(provider.url)].sort())
  expectOnlyNeeded(['POST /v1/chat/completions', 'POST /v1/embeddings'], ['authorization'])
  const embedded = JSON.stringify(provider.requests.filter(({ path }) => path === '/v1/embeddings').map(({ body }) => body))
  expect(embedded).toContain('A crank turns a shaft.')
  expect(embedded).toContain('which part turns a shaft')
  expect(provider.requests.some(({ body }) => body.dimensions === 32)).toBe(true)
})

/** Asserts that the provider got only texts of documents, on these paths and with these headers. */
function expectOnlyNeeded(paths: string[], more: string[]): void {
  const requests = provider?.requests ?? []
  expect([...new Set(requests.map(({ method, path }) => `${method} ${path}`))].sort()).toEqual(paths)
  const sent = JSON.stringify(requests.map(({ body }) => body))
  expect(sent).toContain('A lever turns a wheel.')
  expect(sent).not.toContain('not a document')
  expect(sent).not.toContain(key)
  const common = ['accept', 'connection', 'content-length', 'content-type', 'host', 'user-agent']
  const headers = new Set(requests.flatMap((request) => Object.keys(request.headers)))
  expect([...headers].sort()).toEqual([...common, ...more].sort())
}
