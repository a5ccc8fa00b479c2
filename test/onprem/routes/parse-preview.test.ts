import { randomBytes } from 'node:crypto'
import { readdirSync } from 'node:fs'
import { join } from 'node:path'
import { afterAll, afterEach, beforeAll, expect, test } from 'vitest'
import { previewLimits } from '../../../shared/indexing/limits.ts'
import { page } from '../../fixtures/page.ts'
import { type LoggedJob, type TestInstall, testInstall } from '../../fixtures/test-install.ts'
import { until } from '../../fixtures/until.ts'

let app: TestInstall

beforeAll(async () => {
  app = await testInstall({
    previewLimits: { ...previewLimits, cloneBytes: 2 ** 20, timeMs: 20_000, maxRunning: 1, maxWaiting: 1 },
  })
  await app.git.create('acme/anvil', {
    files: {
      'README.md': page('Anvil', 'The anvil weighs a ton.'),
      'docs/use.md': page('Use', 'Hit it with a hammer.'),
      'docs/care.md': page('Care', 'Keep it dry.'),
      'docs/archive/old.md': page('Old', 'Made of wood.'),
      'examples/notes.md': page('Notes', 'Examples of use.'),
      'src/main.c': 'int main() {}',
      'context7.json': JSON.stringify({ projectTitle: 'Acme Anvil', description: 'Heavy.', previousVersions: [{ tag: 'v1' }] }),
    },
    tags: ['v1'],
  })
  await app.git.create('acme/secret', { files: { 'README.md': page('Secret', 'Swordfish.') }, private: '*:sesame' })
  await app.git.create('acme/huge', { files: { 'README.md': page('Huge', 'Large.'), 'data.bin': randomBytes(3 * 2 ** 20) } })
})
afterEach(() => {
  app.app.settings.change({ 'permissions.anonymousParse': null, 'github.token': null })
  app.git.misbehave('acme/anvil')
})
afterAll(() => app.close())

const repoUrl = (repo: string) => `${app.git.url}/${repo}`
const preview = (body: unknown, key: string | undefined = app.keys.member) =>
  app.json('/api/parse/preview', { method: 'POST', body, ...(key && { key }) })
const send = (body: unknown, signal: AbortSignal) =>
  app.ask('/api/parse/preview', {
    method: 'POST',
    key: app.keys.member,
    headers: { 'content-type': 'application/json' },
    body: JSON.stringify(body),
    signal,
  })
const clones = () => readdirSync(join(app.dataDir, 'clones'))
/** Jobs also name the code of the error. */
const wordsOf = ({ error }: LoggedJob) => error?.replace(/^[a-z_]+: /, '')
const expectEmptied = () => until(() => clones().length === 0)

test('a preview names title, branch, commit, documents, folders and versions, and indexes nothing', async () => {
  const { status, body } = await preview({ repoUrl: repoUrl('acme/anvil') })
  expect(status).toBe(200)
  expect(body).toEqual({
    private: false,
    title: 'Acme Anvil',
    description: 'Heavy.',
    branch: 'main',
    commit: expect.stringMatching(/^[0-9a-f]{40}$/),
    files: 4,
    bytes: expect.any(Number),
    folders: [
      { path: 'docs', files: 2 },
      { path: '', files: 1 },
      { path: 'examples', files: 1 },
    ],
    languages: [],
    versions: ['v1'],
    tags: ['v1'],
    indexed: [],
    skipped: [{ path: 'docs/archive/', reason: 'excludeFolders: *archive*' }],
  })
  expect((body as { bytes: number }).bytes).toBeGreaterThan(50)
  expect((await app.call('GET', '/api/jobs')).body.total).toBe(0)
  expect(app.app.catalog.libraries()).toEqual([])
  await expectEmptied()
})

test('a preview names the tags that can be versions, the highest first, and what of the library is here', async () => {
  const numbered = Array.from({ length: 25 }, (_, at) => `v1.${at}.0`)
  await app.git.create('acme/bellows', {
    files: { 'README.md': page('Bellows', 'Blow into the fire.') },
    tags: ['nightly', 'core@2.0.0', 'v10.0.0', '9.0.0', ...numbered],
  })
  const { body } = await preview({ repoUrl: repoUrl('acme/bellows') })
  const tags = ['v10.0.0', '9.0.0', ...numbered.toReversed()].slice(0, 20)
  expect(body).toMatchObject({ versions: [], tags, indexed: [] })
  await app.parse('acme/bellows', { versions: ['v1.7.0'] })
  expect((await preview({ repoUrl: repoUrl('acme/bellows') })).body).toMatchObject({ indexed: ['main', 'v1.7.0'] })
  await app.call('DELETE', '/api/projects/acme/bellows')
})

test('a preview reads what the same parse reads', async () => {
  const settings = { folders: ['docs'], excludeFiles: ['care.md'] }
  const { body } = await preview({ repoUrl: `${repoUrl('acme/anvil')}/tree/v1`, ...settings })
  expect(body).toMatchObject({
    branch: 'v1',
    files: 2,
    folders: [
      { path: '', files: 1 },
      { path: 'docs', files: 1 },
    ],
  })
  const job = await app.parse('acme/anvil', { branch: 'v1', ...settings })
  expect(job.report?.versions?.[0]).toMatchObject({ version: '', filesRead: 2 })
})

test('a preview has the errors of a parse', async () => {
  const sent = [
    { repoUrl: 'acme anvil' },
    { repoUrl: repoUrl('acme/anvil'), colour: 'red' },
    { repoUrl: `${repoUrl('acme/anvil')}/tree/main/docs`, folders: ['src'] },
    { repoUrl: repoUrl('acme/anvil'), generateDocs: true },
  ]
  for (const body of sent) {
    const parsed = await app.json('/api/parse', { method: 'POST', key: app.keys.admin, body })
    expect(parsed.status).toBe(400)
    expect(await preview(body)).toEqual(parsed)
  }
  for (const repo of ['acme/missing', 'acme/secret']) {
    const job = await app.parse(repo)
    expect(await preview({ repoUrl: repoUrl(repo) })).toMatchObject({ status: 403, body: { message: wordsOf(job) } })
  }
  const job = await app.parse('acme/anvil', { branch: 'v7' })
  expect(await preview({ repoUrl: repoUrl('acme/anvil'), branch: 'v7' })).toMatchObject({
    status: 404,
    body: { message: wordsOf(job) },
  })
})

test('a preview of a repository whose host fails is a failure of the host, with its status', async () => {
  app.git.misbehave('acme/anvil', { kind: 'status', status: 500 })
  expect(await preview({ repoUrl: repoUrl('acme/anvil') })).toEqual({
    status: 502,
    body: { error: 'provider_unavailable', message: `The host ${new URL(app.git.url).host} responded with status 500.` },
  })
  app.git.misbehave('acme/anvil')
})

test('a stored token is used only if the repository is not public', async () => {
  app.app.settings.change({ 'github.token': 'sesame' })
  app.git.requests.length = 0
  expect((await preview({ repoUrl: repoUrl('acme/anvil') })).status).toBe(200)
  expect(app.git.requests.filter(({ authorization }) => authorization)).toEqual([])
  expect(await preview({ repoUrl: repoUrl('acme/secret') })).toMatchObject({ status: 200, body: { title: 'Secret' } })
})

test('anonymous callers may not preview, also while they may parse', async () => {
  app.app.settings.change({ 'permissions.anonymousParse': true })
  expect((await preview({ repoUrl: repoUrl('acme/anvil') }, '')).status).toBe(401)
})

test('a preview of a repository that is too large is stopped, and its disk space is freed', async () => {
  expect(await preview({ repoUrl: repoUrl('acme/huge') })).toMatchObject({
    status: 422,
    body: { error: 'library_too_large', message: expect.stringMatching(/is larger than 1 MB\. .* can be added without one\.$/) },
  })
  await expectEmptied()
})

test('a caller who hangs up ends the preview, and the next one starts', async () => {
  app.git.misbehave('acme/anvil', { kind: 'stall', at: 'pack' })
  const hangUp = new AbortController()
  const ended = send({ repoUrl: repoUrl('acme/anvil') }, hangUp.signal).catch((error: Error) => error.name)
  await until(() => clones().some((name) => name.startsWith('preview-')))
  const second = preview({ repoUrl: repoUrl('acme/huge') })
  hangUp.abort()
  expect(await ended).toBe('AbortError')
  expect((await second).status).toBe(422)
  await expectEmptied()
})

test('too many previews are rejected with the time to wait', async () => {
  app.git.misbehave('acme/anvil', { kind: 'stall', at: 'pack' })
  const hangUp = new AbortController()
  const answers = [1, 2, 3].map(() => send({ repoUrl: repoUrl('acme/anvil') }, hangUp.signal))
  const rejected = await Promise.race(answers)
  expect([rejected.status, rejected.headers.get('retry-after')]).toEqual([429, '5'])
  hangUp.abort()
  expect((await Promise.allSettled(answers)).filter(({ status }) => status === 'rejected')).toHaveLength(2)
  await expectEmptied()
})
