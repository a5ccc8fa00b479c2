import { afterAll, beforeAll, describe, expect, test } from 'vitest'
import manifest from '../../../package.json' with { type: 'json' }
import { type TestInstall, testInstall } from '../../fixtures/test-install.ts'

describe('an install', () => {
  let app: TestInstall
  beforeAll(async () => {
    app = await testInstall()
  })
  afterAll(() => app.close())

  test('tells admins its versions, its size, and that only this machine can reach it', async () => {
    const { status, body } = await app.call('GET', '/api/about')
    expect({ status, body }).toEqual({
      status: 200,
      body: {
        version: app.app.version,
        node: process.versions.node,
        lancedb: manifest.dependencies['@lancedb/lancedb'],
        git: expect.stringMatching(/^2\.\d+/),
        platform: expect.stringContaining(process.arch),
        dataDir: app.dataDir,
        dataBytes: expect.any(Number),
        reachable: false,
      },
    })
    expect(Number(body.dataBytes)).toBeGreaterThan(10_000)
  })

  test('lists the packages that the server of a checkout uses, with the texts of their licenses', async () => {
    const { packages } = (await app.call('GET', '/api/about/licenses')).body as { packages: Record<string, string>[] }
    const names = packages.map(({ name }) => name)
    expect(names).toEqual(names.toSorted((a = '', b = '') => (a < b ? -1 : 1)))
    expect(names).toEqual(expect.arrayContaining(Object.keys(manifest.dependencies)))
    expect(names).not.toContain('vitest')
    expect(packages.find(({ name }) => name === 'hono')).toMatchObject({ license: 'MIT', text: expect.stringContaining('MIT') })
  })

  test('lists the changes that match a text', async () => {
    await app.call('PATCH', '/api/settings', { 'permissions.anonymousParse': true })
    await app.call('POST', '/api/users', { username: 'mia', password: 'a long enough password', role: 'member' })
    const list = async (query: string) => (await app.call('GET', `/api/audit?${query}`)).body
    expect(await list('q=ANONYMOUS')).toMatchObject({ total: 1, entries: [{ subject: 'permissions.anonymousParse' }] })
    expect(await list('q=user.create&pageSize=1')).toMatchObject({
      total: 1,
      entries: [{ action: 'user.create', subject: 'mia' }],
    })
    expect(await list('q=%25')).toMatchObject({ total: 0, entries: [] })
    expect(await list('action=setting')).toMatchObject({ total: 1 })
    expect(await list('')).toMatchObject({ total: 3, entries: [{}, {}, { action: 'key.use' }] })
  })
})

test.each([
  [{ PUBLIC_URL: 'https://docs.example.com' }, true],
  [{ PUBLIC_URL: 'http://localhost:8080' }, false],
])('an install with %j reports that other machines can reach it: %j', async (env, reachable) => {
  const app = await testInstall({ env })
  const answer = await app.ask('/api/about', { key: app.keys.admin })
  expect(await answer.json()).toMatchObject({ reachable })
  await app.close()
})
