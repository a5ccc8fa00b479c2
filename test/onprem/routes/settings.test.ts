import { afterAll, afterEach, beforeAll, expect, test } from 'vitest'
import { secretNames, settingNames } from '../../../shared/settings/settings.ts'
import { startAnthropic } from '../../fixtures/providers/anthropic.ts'
import { startOpenai } from '../../fixtures/providers/openai.ts'
import type { ProviderServer } from '../../fixtures/providers/provider-server.ts'
import { type TestInstall, testInstall } from '../../fixtures/test-install.ts'

const key = 'sk-proj-0123456789abcdef'

let app: TestInstall
let openai: ProviderServer

beforeAll(async () => {
  app = await testInstall()
  openai = await startOpenai({ key, dimensions: 48 })
})
afterEach(() => {
  app.app.settings.change(Object.fromEntries([...settingNames, ...secretNames].map((name) => [name, null])))
  openai.requests.length = 0
  openai.failAlways()
})
afterAll(async () => {
  await app.close()
  await openai.close()
})

const asked = (method: string, path: string, body?: unknown) => app.json(path, { method, key: app.keys.admin, body })
const change = (body: unknown) => asked('PATCH', '/api/settings', body)
const tryOut = (body: unknown) => asked('POST', '/api/settings/test', body)
const custom = () => ({ 'embedding.provider': 'custom', 'embedding.baseUrl': openai.url, 'embedding.model': 'nomic' })
const audited = () => app.app.audit.list(1, 3).entries.map(({ actor, action, subject }) => ({ actor, action, subject }))

test('settings are one flat object of all names, in which unset ones are null', async () => {
  await change({ 'llm.provider': 'openai', 'llm.apiKey': key, 'permissions.requireMcpAuth': true })
  const { status, body } = await asked('GET', '/api/settings')
  expect(status).toBe(200)
  expect(Object.keys(body as object).sort()).toEqual([...settingNames, ...secretNames].sort())
  expect(body).toMatchObject({
    'llm.provider': 'openai',
    'llm.apiKey': { set: true, last4: 'cdef' },
    'llm.model': null,
    'permissions.requireMcpAuth': true,
  })
  expect(JSON.stringify(body)).not.toContain(key)
})

test('a change returns the new settings, and null clears one', async () => {
  expect((await change({ 'llm.model': 'm-1', 'embedding.dimensions': 64 })).body).toMatchObject({
    'llm.model': 'm-1',
    'embedding.dimensions': 64,
  })
  expect((await change({ 'llm.model': null })).body).toMatchObject({ 'llm.model': null, 'embedding.dimensions': 64 })
})

test('the audit log names each changed setting and who changed it, but not the value', async () => {
  await change({ 'llm.provider': 'openai', 'llm.apiKey': key })
  expect(audited().slice(0, 2)).toEqual([
    { actor: 'key admin', action: 'setting.change', subject: 'llm.apiKey' },
    { actor: 'key admin', action: 'setting.change', subject: 'llm.provider' },
  ])
  await change({ 'llm.provider': 'anthropic' })
  expect(audited().slice(0, 2)).toEqual([
    { actor: 'key admin', action: 'setting.drop', subject: 'llm.apiKey' },
    { actor: 'key admin', action: 'setting.change', subject: 'llm.provider' },
  ])
  expect(JSON.stringify(app.app.audit.list(1, 100))).not.toContain(key)
})

test('a header names a secret that is dropped with its address', async () => {
  await change({ 'llm.provider': 'openai', 'llm.apiKey': key })
  const moved = await app.ask('/api/settings', {
    method: 'PATCH',
    key: app.keys.admin,
    headers: { 'content-type': 'application/json' },
    body: JSON.stringify({ 'llm.baseUrl': 'https://llm.example.com/v1' }),
  })
  expect(moved.headers.get('x-carrel-dropped')).toBe('llm.apiKey')
  expect(await moved.json()).toMatchObject({ 'llm.apiKey': null })
})

test.each([
  ['a name that is none', { 'llm.modle': 'x' }, 'There is no setting "llm.modle"; did you mean llm.model?'],
  [
    'a value that is none',
    { 'llm.provider': 'mistral' },
    'llm.provider must be one of bedrock, openai, anthropic, gemini, custom.',
  ],
  ['a secret as it is shown', { 'llm.apiKey': { set: true, last4: 'cdef' } }, 'llm.apiKey must be a text.'],
  ['a list', [], 'The body must be a JSON object.'],
  ['half of a body', '{"llm.model": ', 'The body is not valid JSON.'],
])('the change %s is rejected, also in a test', async (_, body, message) => {
  const refused = { status: 400, body: { error: 'validation_error', message, fields: expect.any(Array) } }
  expect(await change(body)).toEqual(refused)
  expect(await tryOut(body)).toEqual(refused)
})

test('a rejected change stores and logs nothing', async () => {
  await change({ 'llm.model': 'm-1' })
  const before = app.app.audit.list(1, 1).total
  expect((await change({ 'llm.model': 'm-2', 'aws.region': 'nowhere' })).status).toBe(400)
  expect(app.app.settings.get('llm.model')).toBe('m-1')
  expect(app.app.audit.list(1, 1).total).toBe(before)
})

test('a test without providers returns nothing', async () => {
  expect(await tryOut({})).toEqual({ status: 200, body: {} })
})

test('a test uses the given values and stores none of them', async () => {
  const given = {
    'llm.provider': 'custom',
    'llm.baseUrl': openai.url,
    'llm.apiKey': key,
    'llm.model': 'qwen',
    'embedding.model': 'nomic',
  }
  const before = app.app.settings.describe()
  expect(await tryOut(given)).toEqual({
    status: 200,
    body: {
      llm: { ok: true, model: 'qwen', ms: expect.any(Number) },
      embedding: { ok: true, model: 'nomic', dimensions: 48, ms: expect.any(Number) },
    },
  })
  expect(openai.requests.map(({ path }) => path).sort()).toEqual(['/v1/chat/completions', '/v1/embeddings'])
  expect(app.app.settings.describe()).toEqual(before)
})

test.each(['Yes, this works.', '"ok"', '[1, 2]', '<think>Does it?</think>It does.'])(
  'a language model that returns %j instead of an object passes the test',
  async (text) => {
    openai.failAlways({ kind: 'says', text })
    const given = { 'llm.provider': 'custom', 'llm.baseUrl': openai.url, 'llm.apiKey': key, 'llm.model': 'prose' }
    expect(await tryOut(given)).toMatchObject({
      status: 200,
      body: { llm: { ok: true, model: 'prose', ms: expect.any(Number) } },
    })
  },
)

test.each(['', ' ', '<think>Does it?</think>'])('a language model that returns %j fails the test', async (text) => {
  openai.failAlways({ kind: 'says', text })
  const given = { 'llm.provider': 'custom', 'llm.baseUrl': openai.url, 'llm.apiKey': key, 'llm.model': 'silent' }
  expect(await tryOut(given)).toMatchObject({
    body: { llm: { ok: false, error: expect.stringContaining('returned no text') } },
  })
})

test('a successful test updates the dimensions, also if the endpoint serves another model', async () => {
  await change({ ...custom(), 'embedding.model': 'fresh', 'embedding.apiKey': key })
  expect(app.app.ai.embedder()?.dimensions).toBeUndefined()
  await tryOut({})
  expect(app.app.ai.embedder()?.dimensions).toBe(48)
  openai.failAlways({ kind: 'dimensions', dimensions: 32 })
  await tryOut({})
  expect(app.app.ai.embedder()?.dimensions).toBe(32)
})

test("a failed test returns the provider's error in one sentence without the key", async () => {
  const wrong = 'sk-wrong-0123456789'
  expect(await tryOut({ ...custom(), 'embedding.apiKey': wrong, 'llm.provider': 'bedrock' })).toEqual({
    status: 200,
    body: {
      llm: { ok: false, model: null, ms: expect.any(Number), error: 'The provider bedrock needs aws.region. Set it.' },
      embedding: {
        ok: false,
        model: 'nomic',
        dimensions: null,
        ms: expect.any(Number),
        error: `${new URL(openai.url).host} rejected the key or its permissions (401): Incorrect API key provided: ***. Check embedding.apiKey.`,
      },
    },
  })
  expect(JSON.stringify(app.log.lines)).not.toContain(wrong)
})

test('a stored key is used only in tests of its own address', async () => {
  const elsewhere = await startOpenai({ dimensions: 48 })
  await change({ ...custom(), 'embedding.apiKey': key })
  expect((await tryOut({ 'embedding.model': 'another' })).body).toMatchObject({ embedding: { ok: true } })
  expect((await tryOut({ 'embedding.baseUrl': elsewhere.url })).body).toMatchObject({ embedding: { ok: true } })
  expect((await tryOut({ 'embedding.apiKey': null })).body).toMatchObject({ embedding: { ok: false } })
  await elsewhere.close()
  expect(openai.requests.map(({ headers }) => headers.authorization)).toEqual([`Bearer ${key}`, undefined])
  expect(elsewhere.requests.map(({ headers }) => headers.authorization)).toEqual([undefined])
})

test('embeddings inherit the key of the language model only at the same origin', async () => {
  const elsewhere = await startOpenai({ dimensions: 48 })
  await change({
    'llm.provider': 'custom',
    'llm.baseUrl': openai.url,
    'llm.model': 'qwen',
    'llm.apiKey': key,
    'embedding.model': 'nomic',
  })
  expect((await tryOut({})).body).toMatchObject({ embedding: { ok: true } })
  expect((await tryOut({ 'embedding.provider': 'custom', 'embedding.baseUrl': openai.url })).body).toMatchObject({
    embedding: { ok: true },
  })
  expect((await tryOut({ 'embedding.baseUrl': elsewhere.url })).body).toMatchObject({ embedding: { ok: true } })
  await elsewhere.close()
  expect(elsewhere.requests.map(({ headers }) => headers.authorization)).toEqual([undefined])
})

test('the key of another provider is not inherited', async () => {
  const anthropic = await startAnthropic({ key })
  const claude = { 'llm.provider': 'anthropic', 'llm.baseUrl': anthropic.url, 'llm.apiKey': key }
  expect((await tryOut({ ...claude, 'embedding.provider': 'openai', 'embedding.baseUrl': openai.url })).body).toEqual({
    llm: { ok: true, model: 'claude-haiku-4-5', ms: expect.any(Number) },
    embedding: {
      ok: false,
      model: 'text-embedding-3-small',
      dimensions: null,
      ms: expect.any(Number),
      error: 'The provider openai needs embedding.apiKey. Set it.',
    },
  })
  expect(openai.requests).toEqual([])
  expect((await tryOut(claude)).body).toEqual({ llm: { ok: true, model: 'claude-haiku-4-5', ms: expect.any(Number) } })
  await anthropic.close()
})
