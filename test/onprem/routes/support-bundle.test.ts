import JSZip from 'jszip'
import { afterAll, beforeAll, expect, test } from 'vitest'
import { AppError } from '../../../shared/errors.ts'
import type { TestInstall } from '../../fixtures/test-install.ts'
import { widgetsInstall } from '../../fixtures/widgets-install.ts'

const secrets = {
  gitToken: 'ghost-token-5000',
  providerKey: 'provider"key\\6000',
  license: 'eyJhbGciOiJFZERTQSJ9.eyJzdWIiOiJBY21lIn0.c2lnbmF0dXJl-_x',
  password: 'hunter2hunter2',
}
const content = { question: 'zanzibar', word: 'swordfish', broken: 'marmalade' }

let app: TestInstall
let files: Record<string, string>

beforeAll(async () => {
  app = await widgetsInstall()
  app.app.settings.change({ 'llm.provider': 'custom', 'llm.baseUrl': 'https://ai.example', 'llm.apiKey': secrets.providerKey })
  app.app.settings.change({ 'github.token': secrets.gitToken })
  await app.git.create('acme/broken', {
    files: {
      'README.md': `# Broken\n\nThe secret word is ${content.word}.\n`,
      'broken.ipynb': `{"cells": "${content.broken}`,
    },
  })
  await app.parse('acme/broken')
  await app.ask(`/api/v2/context?libraryId=/acme/broken&query=${content.question}`, { key: app.keys.admin })
  await app.json('/api/parse', {
    method: 'POST',
    key: app.keys.member,
    body: { repoUrl: `https://user:${secrets.password}@127.0.0.1/a/b` },
  })
  const { log } = app.app
  log.error(
    { error: new Error(`near "${content.word}": ${content.question}`), url: `https://user:${secrets.password}@host/` },
    'failed',
  )
  log.warn({ error: new AppError('timeout', `The host says "${content.word}" to Bearer ${secrets.gitToken}.`) }, 'slow')
  log.warn(
    { error: new AppError('validation_error', `Acme AI rejected the request (400): ${content.question} is no.`) },
    'refused',
  )
  log.warn({ sent: app.keys.admin, license: secrets.license, odd: secrets.providerKey }, 'carelessly logged')
  const user = { username: 'molly', password: secrets.password, role: 'member' }
  expect((await app.json('/api/users', { method: 'POST', key: app.keys.admin, body: user })).status).toBe(201)
  const signIn = { username: user.username, password: user.password }
  expect((await app.json('/api/auth/session/sign-in/username', { method: 'POST', body: signIn })).status).toBe(200)
  await app.app.monitor.sample()
  files = await unzipped(app.keys.admin)
})
afterAll(() => app.close())

async function unzipped(key?: string): Promise<Record<string, string>> {
  const answer = await app.ask('/api/support-bundle', { key })
  expect(answer.headers.get('content-type')).toBe('application/zip')
  const zip = await JSZip.loadAsync(await answer.arrayBuffer())
  return Object.fromEntries(
    await Promise.all(Object.values(zip.files).map(async (each) => [each.name, await each.async('string')])),
  )
}
const read = (name: string) => JSON.parse(files[name] ?? '')
const lines = (name: string) =>
  (files[name] ?? '')
    .trim()
    .split('\n')
    .map((line) => JSON.parse(line))

test('the bundle has the metrics of the last hour', () => {
  // There are several samples if the setup took longer than the pause between two.
  const samples = lines('metrics.jsonl') as { increments: Record<string, number> }[]
  expect(samples.at(-1)).toMatchObject({ at: expect.any(String), rssMb: expect.any(Number), values: { libraries: 2 } })
  const grown = (name: string) => samples.reduce((sum, { increments }) => sum + (increments[name] ?? 0), 0)
  expect(grown('jobs_finished_total{kind="parse",outcome="done"}')).toBe(2)
  expect(grown('http_requests_total{route="/api/parse",method="POST",status="2xx"}')).toBe(2)
})

test('the bundle has versions, settings, the license, the stores, recent jobs and recent log lines', () => {
  expect(Object.keys(files)).toEqual([
    'versions.json',
    'settings.json',
    'license.json',
    'stores.json',
    'jobs.jsonl',
    'log.jsonl',
    'metrics.jsonl',
  ])
  expect(read('versions.json')).toMatchObject({ carrel: app.app.version, node: process.version, lancedb: '0.31.0' })
  expect(read('settings.json')).toMatchObject({
    'github.baseUrl': app.git.url,
    'github.token': { set: true },
    'github.appId': null,
    'gitlab.token': null,
    'llm.provider': 'custom',
    'llm.apiKey': { set: true },
  })
  expect(read('license.json')).toEqual({
    id: 'development',
    customer: 'Development',
    kind: 'offline',
    expiresAt: expect.any(String),
    expired: false,
  })
  expect(lines('jobs.jsonl').map(({ project, state }) => ({ project, state }))).toEqual([
    { project: '/acme/broken', state: 'done' },
    { project: '/acme/widgets', state: 'done' },
  ])
  expect(lines('jobs.jsonl')[0]).toMatchObject({
    report: { skipped: [{ path: 'broken.ipynb', reason: expect.stringContaining('JSON') }] },
    log: expect.arrayContaining([{ at: expect.any(String), line: expect.stringMatching(/^Fetched main at/) }]),
  })
  expect(lines('log.jsonl').map(({ message }) => message)).toEqual(
    expect.arrayContaining(['listening', 'request', 'job', 'slow']),
  )
})

test('the bundle has the rows and bytes of the stores', () => {
  const stores = read('stores.json')
  expect(stores).toMatchObject({ schema: expect.any(Number), rows: { libraries: 2, versions: 4, keys: 2 } })
  expect(stores.generations).toHaveLength(4)
  for (const each of stores.generations)
    expect(each).toMatchObject({ sizeBytes: expect.any(Number), snippets: expect.any(Number) })
  expect(Math.min(...stores.generations.map(({ sizeBytes }: { sizeBytes: number }) => sizeBytes))).toBeGreaterThan(1_000)
  expect(stores.files['carrel.db'] + stores.files['carrel.db-wal']).toBeGreaterThan(10_000)
})

test('the bundle has no secrets, snippet texts or questions', () => {
  const all = Object.values(files).join('\n')
  const planted = [
    ...Object.values(secrets),
    ...Object.values(content),
    app.keys.admin,
    app.keys.member,
    'tomato',
    'provider"key',
  ]
  const found = planted.filter((each) => all.includes(each) || all.includes(JSON.stringify(each).slice(1, -1)))
  expect(found).toEqual([])
})

test('an error in the log keeps its stack and the fixed part of its message', () => {
  const logged = lines('log.jsonl')
  expect(logged.find(({ message }) => message === 'failed')).toMatchObject({
    level: 'error',
    error: { name: 'Error', frames: expect.arrayContaining([expect.stringMatching(/support-bundle\.test\.ts/)]) },
    url: 'https://***@host/',
  })
  expect(logged.find(({ message }) => message === 'slow')).toMatchObject({
    error: { name: 'AppError', code: 'timeout', message: 'The host says "…" to Bearer ***.' },
  })
  expect(logged.find(({ message }) => message === 'refused')).toMatchObject({
    error: { message: 'Acme AI rejected the request (400): …' },
  })
})

test('the log keeps 2,000 lines and shortens long ones', async () => {
  app.app.log.info({ much: 'x'.repeat(5_000) }, 'long')
  for (let n = 0; n < 2_000; n++) app.app.log.info({ n }, 'many')
  files = await unzipped(app.keys.admin)
  const logged = lines('log.jsonl')
  expect(logged).toHaveLength(2_000)
  // The request for the bundle is a line too.
  expect(logged.filter(({ message }) => message === 'many').length).toBeGreaterThan(1_990)
  expect(logged.find(({ message }) => message === 'listening')).toBeUndefined()
  app.app.log.info({ much: 'x'.repeat(5_000) }, 'long')
  files = await unzipped(app.keys.admin)
  expect(lines('log.jsonl').find(({ message }) => message === 'long')).toMatchObject({ cut: expect.any(String) })
})

test('the bundle is for admins, or for everyone if the setting opens it', async () => {
  expect((await app.ask('/api/support-bundle', { key: app.keys.member })).status).toBe(403)
  app.app.settings.change({ 'permissions.anonymousSupportBundle': true })
  expect(Object.keys(await unzipped())).toContain('jobs.jsonl')
  app.app.settings.change({ 'permissions.anonymousSupportBundle': null })
})
