import { afterAll, afterEach, beforeAll, expect, test } from 'vitest'
import { page } from '../../fixtures/page.ts'
import { type TestInstall, testInstall } from '../../fixtures/test-install.ts'

let app: TestInstall

beforeAll(async () => {
  // Nothing listens there, so that no request reaches github.com.
  app = await testInstall({ env: { HTTPS_PROXY: 'http://127.0.0.1:1' } })
  await app.git.create('acme/anvil', { files: { 'README.md': page('Anvil', 'The anvil weighs a ton.') } })
  await app.parse('acme/anvil')
})
afterEach(() => app.app.settings.change({ 'github.baseUrl': app.git.url }))
afterAll(() => app.close())

const onGithub = () => app.app.settings.change({ 'github.baseUrl': null })
const post = (path: string, body: unknown) => app.json(path, { method: 'POST', body, key: app.keys.member })
const recognized = async (body: unknown) => (await post('/api/parse/recognize', body)).body

test('a paste is answered with the repositories that it names, and which of them are here', async () => {
  const { url } = app.git
  const text = `acme/anvil\n${url}/acme/hammer/issues/7, ${url}/acme/saw/tree/v1/docs\nhttps://example.com/docs`
  const absent = { folders: [], title: null, version: null, state: 'absent' }
  expect(await recognized({ text })).toEqual({
    repositories: [
      { ...absent, libraryId: '/acme/anvil', repoUrl: `${url}/acme/anvil`, names: ['acme/anvil'], state: 'present' },
      { ...absent, libraryId: '/acme/hammer', repoUrl: `${url}/acme/hammer`, names: [`${url}/acme/hammer/issues/7`] },
      { ...absent, libraryId: '/acme/saw', repoUrl: `${url}/acme/saw/tree/v1/docs`, names: [`${url}/acme/saw/tree/v1/docs`] },
    ],
    unknown: [
      {
        name: 'https://example.com/docs',
        problem: expect.stringContaining('Add this documentation as a website'),
        suggestion: null,
      },
    ],
  })
})

test('a lock file is answered with the documentation of its packages, and their versions', async () => {
  onGithub()
  const text = '[[package]]\nname = "fastapi"\nversion = "0.110.0"\n\n[[package]]\nname = "unheard-of"\nversion = "1"\n'
  expect(await recognized({ text, fileName: 'work/uv.lock' })).toEqual({
    repositories: [
      {
        libraryId: '/fastapi/fastapi',
        repoUrl: 'https://github.com/fastapi/fastapi',
        folders: ['docs/en/docs'],
        title: 'FastAPI',
        names: ['fastapi'],
        version: '0.110.0',
        state: 'absent',
      },
    ],
    unknown: [{ name: 'unheard-of', problem: expect.stringContaining('No repository of "unheard-of"'), suggestion: null }],
  })
})

test('a file that cannot be read is refused with its name', async () => {
  expect(await post('/api/parse/recognize', { text: '{', fileName: 'package.json' })).toMatchObject({
    status: 400,
    body: { error: 'validation_error', message: expect.stringMatching(/^package\.json cannot be read: /) },
  })
})

test('a file of 10 MB is read, a larger one is refused', async () => {
  const lock = (bytes: number) => ({ text: '{"lockfileVersion": 3, "packages": {}}'.padEnd(bytes) })
  expect(await recognized(lock(10 * 2 ** 20))).toEqual({ repositories: [], unknown: [] })
  expect(await post('/api/parse/recognize', lock(10 * 2 ** 20 + 1))).toMatchObject({ status: 400 })
})

test('the name of a package is parsed from the repository and the folders of its documentation', async () => {
  onGithub()
  const { status, body } = await post('/api/parse', { repoUrl: ' https://www.npmjs.com/package/react ' })
  expect([status, body]).toEqual([202, expect.objectContaining({ project: '/reactjs/react.dev' })])
  const { queueId } = body as { queueId: number }
  const order = app.app.jobs.order(queueId)
  expect(order).toMatchObject({ request: { repoUrl: 'https://github.com/reactjs/react.dev', folders: ['src/content'] } })
  expect(await recognized({ text: 'react' })).toMatchObject({ repositories: [{ state: 'queued' }] })
  await app.call('POST', `/api/jobs/${queueId}/cancel`)
  expect(app.git.requests.filter(({ path }) => path.includes('react'))).toEqual([])
})

test('the name of a package is refused if its repository is on another host than the settings name', async () => {
  expect(await post('/api/parse', { repoUrl: 'react' })).toMatchObject({
    status: 400,
    body: { message: expect.stringContaining('is in https://github.com/reactjs/react.dev, but repositories are read only from') },
  })
})

test('known libraries are listed with their states if repositories are read from github.com', async () => {
  const list = async () => (await app.json('/api/known-libraries', { key: app.keys.member })).body as { libraries: unknown[] }
  expect(await list()).toEqual({ libraries: [] })
  onGithub()
  const { libraries } = await list()
  expect(libraries.length).toBeGreaterThanOrEqual(300)
  expect(libraries).toContainEqual({
    libraryId: '/vitejs/vite',
    repoUrl: 'https://github.com/vitejs/vite',
    folders: ['docs'],
    title: 'Vite',
    group: 'Build and test',
    packages: ['npm:vite', 'npm:@vitejs/*'],
    checked: expect.toSatisfy((day) => day === null || /^\d{4}-\d\d-\d\d$/.test(day)),
    state: 'absent',
  })
})
