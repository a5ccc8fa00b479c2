import { appendFile } from 'node:fs/promises'
import { join } from 'node:path'
import { afterAll, beforeAll, expect, test } from 'vitest'
import { type GitServer, startGitServer } from '../../fixtures/git-server.ts'
import { page } from '../../fixtures/page.ts'
import { type TestInstall, testInstall } from '../../fixtures/test-install.ts'

let install: TestInstall
let gitlab: GitServer
beforeAll(async () => {
  gitlab = await startGitServer()
  install = await testInstall()
  install.app.settings.change({ 'gitlab.baseUrl': gitlab.url })
})
afterAll(async () => {
  await install.close()
  await gitlab.close()
})

const main = { 'README.md': page('Anvil', 'The anvil weighs a ton.'), 'docs/use.md': page('Use', 'Hit it.') }
const next = { 'docs/v2/next.md': page('Next', 'Hit it twice.'), 'v2/more.md': page('More', 'Hit it three times.') }

/** A repository with branches and tags whose names have slashes. */
async function repository(name: string, host = install.git) {
  await host.create(name, { files: main, tags: ['releases/v1'] })
  await host.commit(name, { files: next, branch: 'feature/docs' })
}
const idOf = (name: string) => ({ owner: name.split('/')[0] ?? '', repo: name.split('/')[1] ?? '' })
const settingsOf = (name: string) => install.app.catalog.settings(idOf(name))
const sourceOf = async (name: string) => (await install.json(`/api/projects/${name}/source`)).body
const preview = (repoUrl: string, more = {}) => install.call('POST', '/api/parse/preview', { repoUrl, ...more })
const send = (repoUrl: string, more = {}, key = install.keys.admin) =>
  install.json('/api/parse', { method: 'POST', key, body: { repoUrl, ...more } })
async function parse(repoUrl: string, more = {}) {
  const { status, body } = await send(repoUrl, more)
  expect([status, body]).toEqual([202, expect.anything()])
  return install.ended((body as { queueId: number }).queueId)
}

test.each([
  ['github', 'tree/feature/docs/docs/v2', 'feature/docs', ['docs/v2'], 2],
  ['gitlab', '-/tree/feature/docs/docs/v2?ref_type=heads', 'feature/docs', ['docs/v2'], 2],
  ['github', 'tree/feature/docs', 'feature/docs', null, 4],
  ['github', 'tree/feature%2Fdocs/v2', 'feature/docs', ['v2'], 2],
  ['gitlab', '-/tree/releases/v1/docs', 'releases/v1', ['docs'], 2],
  ['github', 'tree/main/docs', 'main', ['docs'], 2],
])(
  'the address %s/%s is read as the branch %s with its folder, in a preview, a parse, a refresh and the settings',
  async (host, path, branch, folders, files) => {
    const server = host === 'github' ? install.git : gitlab
    const name = `tree-${host}/x${path.replace(/\W+/g, '-')}`
    await repository(name, server)
    const repoUrl = `${server.url}/${name}/${path}`
    expect(await preview(repoUrl)).toMatchObject({ status: 200, body: { branch, files } })
    const job = await parse(repoUrl)
    expect([job.error, job.report?.filesRead, job.report?.skipped]).toEqual([null, files, []])
    expect(await sourceOf(name)).toMatchObject({ branch, folders })
    await server.commit(name, { files: { 'docs/v2/next.md': page('Next', 'Hit it again.') }, branch: 'feature/docs' })
    expect((await install.refresh(name)).state).toBe('done')
    expect(await sourceOf(name)).toMatchObject({ branch, folders })
  },
)

test('a branch in the request separates branch and folder of the address, also if a longer branch exists', async () => {
  await repository('given/branch')
  const repoUrl = `${install.git.url}/given/branch/tree/feature/docs/v2`
  await install.git.create('given/tags', { files: { ...main, 'docs/v2/old.md': page('Old', 'Hit it.') }, tags: ['feature'] })
  await install.git.commit('given/tags', { files: next, branch: 'feature/docs' })
  expect(await preview(repoUrl, { branch: 'feature/docs' })).toMatchObject({ body: { branch: 'feature/docs', files: 2 } })
  expect((await parse(`${install.git.url}/given/tags/tree/feature/docs/v2`, { branch: 'feature' })).state).toBe('done')
  expect(await sourceOf('given/tags')).toMatchObject({ branch: 'feature', folders: ['docs/v2'] })
  expect(await send(repoUrl, { branch: 'feature/doc' })).toMatchObject({
    status: 400,
    body: { message: 'The address names feature/docs/v2, but branch is feature/doc. Send only one of them.' },
  })
})

test('an address in which no branch begins fails with the names that were tried and the nearest', async () => {
  await repository('wrong/branch')
  const repoUrl = `${install.git.url}/wrong/branch/tree/feature/dosc/v2/x`
  const words = 'no branch or tag "feature" or "feature/dosc" or "feature/dosc/v2". Did you mean feature/docs?'
  const job = await parse(repoUrl)
  expect(job.error).toContain(words)
  const fields = [{ path: 'repoUrl', message: expect.stringContaining(words) }]
  expect(await preview(repoUrl)).toMatchObject({ status: 404, body: { error: 'tag_not_found', fields } })
})

test('an address with a folder fails with an error about the missing commit if its repository is empty', async () => {
  await install.git.create('empty/tree', { files: {} })
  expect((await parse(`${install.git.url}/empty/tree/tree/main/docs`)).error).toContain(
    'no_snippets_found: The repository is empty',
  )
})

test('a folder that the branch with slashes does not have fails with the nearest', async () => {
  await repository('wrong/folder')
  const repoUrl = `${install.git.url}/wrong/folder/tree/feature/docs/dosc`
  expect((await parse(repoUrl)).error).toContain('no folder "dosc". Did you mean docs?')
  expect(await preview(repoUrl)).toMatchObject({ status: 404, body: { fields: [{ path: 'folders.0' }] } })
})

test('a refresh after a first parse that failed still reads the branch and the folder of the address', async () => {
  await repository('later/refresh')
  install.git.misbehave('later/refresh', { kind: 'status', status: 404 })
  expect((await parse(`${install.git.url}/later/refresh/tree/feature/docs/v2`)).state).toBe('failed')
  install.git.misbehave('later/refresh')
  expect((await install.refresh('later/refresh')).report?.filesRead).toBe(2)
  expect(settingsOf('later/refresh')).toMatchObject({ branch: 'feature/docs', folders: ['v2'] })
  expect(settingsOf('later/refresh')).not.toHaveProperty('tree')
})

test('a member who sends the address of an existing library again refreshes it; another folder is forbidden', async () => {
  await repository('same/address')
  const address = (path: string) => `${install.git.url}/same/address/tree/feature/docs/${path}`
  await parse(address('v2'))
  const again = await send(address('v2'), {}, install.keys.member)
  expect(again).toMatchObject({ status: 202, body: { message: 'Refresh queued' } })
  expect((await install.ended((again.body as { queueId: number }).queueId)).state).toBe('done')
  expect(await send(address('docs'), {}, install.keys.member)).toMatchObject({ status: 403 })
})

test('the longest branch is found among ten thousand with a common beginning, and the host lists them once', async () => {
  const commit = await install.git.create('many/refs', { files: { ...main, ...next } })
  const deep = Array.from({ length: 60 }, (_, n) => `d${n}`).join('/')
  const refs = Array.from({ length: 10_000 }, (_, n) => `${commit} refs/heads/release/docs-${n}\n`)
  await appendFile(join(install.git.folder('many/refs'), 'packed-refs'), `${refs.join('')}${commit} refs/tags/${deep}\n`)
  const asked = () => install.git.requests.filter(({ path }) => path.includes('many/refs') && path.includes('info/refs')).length
  const repoUrl = `${install.git.url}/many/refs/tree`
  expect(await preview(`${repoUrl}/release/docs-9999/v2`)).toMatchObject({ body: { branch: 'release/docs-9999', files: 2 } })
  expect(await preview(`${repoUrl}/${deep}/v2`)).toMatchObject({ body: { branch: deep, files: 2 } })
  // A list and a fetch each.
  expect(asked()).toBe(4)
  const missing = await preview(`${repoUrl}/release/docs-99999/v2`)
  expect(missing.body.message).toMatch(/Did you mean release\/docs-9999 or release\/docs-\d+ /)
  expect(asked()).toBe(5)
})

test.each([
  ['branch', { branch: `${'x/'.repeat(999)}x` }],
  ['repoUrl', { repoUrl: `http://127.0.0.1/a/b/tree/${'x/'.repeat(999)}x` }],
])('a %s of a thousand parts is rejected before the host gets a request', async (path, body) => {
  const before = install.git.requests.length
  const answer = await send(`${install.git.url}/many/refs`, body)
  expect(answer).toMatchObject({ status: 400, body: { fields: [{ path }] } })
  expect(install.git.requests.length).toBe(before)
})

test.each(['?tab=readme-ov-file', '#readme', '/?tab=readme#usage', '/tree/main?ref_type=heads', '/tree/main#docs', '\n'])(
  'an address that ends with %j is read like the address without it',
  async (end) => {
    await repository('ends/plain').catch(() => undefined)
    const answer = await preview(`  ${install.git.url}/ends/plain${end} `)
    expect(answer).toMatchObject({ status: 200, body: { branch: 'main', files: 2 } })
  },
)

test('HEAD in an address is the default branch', async () => {
  await repository('head/default')
  const repoUrl = `${install.git.url}/head/default/tree/HEAD`
  expect(await preview(repoUrl)).toMatchObject({ status: 200, body: { branch: 'main', files: 2 } })
  const job = await parse(`${repoUrl}/docs`)
  expect([job.error, job.report?.filesRead]).toEqual([null, 2])
  expect(await sourceOf('head/default')).toMatchObject({ branch: 'main', folders: ['docs'] })
})

test('the folder of an address may also be in folders, in another spelling', async () => {
  await repository('same/folder')
  const repoUrl = `${install.git.url}/same/folder/tree/main/docs`
  expect(await preview(repoUrl, { folders: ['./docs/'] })).toMatchObject({ status: 200, body: { files: 2 } })
})

test.each(['#feature/docs', '.git#feature/docs'])(
  'a branch after owner/repo as in %j is not ignored, and the answer names branch',
  async (end) => {
    await repository('short/form').catch(() => undefined)
    const answer = await preview(`short/form${end}`)
    expect(answer).toMatchObject({ status: 400, body: { fields: [{ path: 'repoUrl' }] } })
    expect(answer.body.message).toContain('Send a branch or tag in branch.')
    expect(answer.body.message).toMatch(/Did you mean .*\/short\/form(?:\.git)?\?$/)
  },
)

test('a folder whose name is encoded in the address is read', async () => {
  const files = { 'README.md': main['README.md'], 'my docs/漢字/use.md': page('Use', 'Hit it.') }
  await install.git.create('encoded/folder', { files })
  const job = await parse(`${install.git.url}/encoded/folder/tree/main/my%20docs/%E6%BC%A2%E5%AD%97`)
  expect([job.error, job.report?.filesRead]).toEqual([null, 2])
  expect(await sourceOf('encoded/folder')).toMatchObject({ folders: ['my docs/漢字'] })
})
