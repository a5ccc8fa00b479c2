import { statSync, utimesSync } from 'node:fs'
import { afterAll, beforeAll, expect, test } from 'vitest'
import { createServer } from '../../../onprem/server.ts'
import { signIn } from '../../fixtures/sign-in.ts'
import { type TestInstall, testInstall } from '../../fixtures/test-install.ts'

let app: TestInstall

beforeAll(async () => {
  app = await testInstall()
})
afterAll(() => app.close())

test('health returns the version of the API, the license, the libraries and what is configured, but no secret', async () => {
  app.app.settings.change({ 'github.token': 'sesame-0123', 'llm.provider': 'openai', 'permissions.requireMcpAuth': true })
  const { status, body } = await app.json('/api/health')
  app.app.settings.change({ 'github.token': null, 'llm.provider': null, 'permissions.requireMcpAuth': null })
  expect(status).toBe(200)
  expect(body).toEqual({
    status: 'healthy',
    version: '2.0.0',
    setup: 'required',
    license: 'configured',
    licenseInfo: { valid: true, kind: 'offline', teamSize: 1, expiresAt: app.app.license.expiresAt },
    repos_parsed: 0,
    uptime: expect.any(Number),
    connectivity: {
      llm: 'configured',
      llm_provider: 'openai',
      embedding: 'configured',
      embedding_provider: 'openai',
      github: 'configured',
      gitlab: 'not configured',
    },
    warnings: [],
  })
})

test('a language model of a provider without embeddings does not configure embeddings', async () => {
  app.app.settings.change({ 'llm.provider': 'anthropic' })
  const { body } = await app.json('/api/health')
  app.app.settings.change({ 'llm.provider': null })
  const connectivity = { llm_provider: 'anthropic', embedding: 'not configured', embedding_provider: null }
  expect(body).toMatchObject({ connectivity })
})

test('the uptime grows even if the clock goes back', async () => {
  const before = () => new Date('2001-01-01')
  const server = createServer({ ...app.app, now: before }, async () => true)
  const response = await server.request('http://127.0.0.1/api/health', { headers: { host: '127.0.0.1' } })
  const { uptime } = (await response.json()) as { uptime: number }
  expect(uptime).toBeGreaterThan(0)
  expect(uptime).toBeLessThanOrEqual(process.uptime())
})

test('a license that expires while the server runs is reported as invalid, and the server continues', async () => {
  const later = () => new Date(Date.parse(app.app.license.expiresAt) + 1000)
  const server = createServer({ ...app.app, now: later }, async () => true)
  const response = await server.request('http://127.0.0.1/api/health', { headers: { host: '127.0.0.1' } })
  expect(await response.json()).toMatchObject({
    status: 'healthy',
    licenseInfo: { valid: false },
    warnings: [
      expect.stringMatching(/^The license expired on .* If it has not ended, the clock of this machine is wrong: set it\.$/),
    ],
  })
})

test('ready is 200 after the stores are open', async () => {
  await expect.poll(() => app.json('/api/ready')).toEqual({ status: 200, body: { ready: true } })
})

test.each([
  ['are not open yet', async () => false],
  ['could not be opened', () => Promise.reject(new Error('disk on fire'))],
])('ready is 503 if the stores %s', async (_why, ready) => {
  const server = createServer(app.app, ready)
  const response = await server.request('http://127.0.0.1/api/ready', { headers: { host: '127.0.0.1' } })
  expect({ status: response.status, body: await response.json() }).toEqual({ status: 503, body: { ready: false } })
})

test('auth/mcp returns whether a key is required, without a key or a redirect', async () => {
  const answers = []
  for (const on of [true, null]) {
    app.app.settings.change({ 'permissions.requireMcpAuth': on })
    const response = await app.ask('/api/auth/mcp', { redirect: 'error' })
    answers.push([response.status, await response.text()])
  }
  expect(answers).toEqual([
    [200, '{"enabled":true}'],
    [200, '{"enabled":false}'],
  ])
})

test('auth/mcp names the package of the setting setup.package', async () => {
  app.app.settings.change({ 'setup.package': '@acme/carrel' })
  expect(await app.json('/api/auth/mcp')).toEqual({ status: 200, body: { enabled: false, package: '@acme/carrel' } })
  app.app.settings.change({ 'setup.package': null })
})

test.each([
  [false, ['/acme/open'], 1],
  [true, [], 2],
])(
  'health names damaged libraries only to callers that may read them, with requireMcpAuth %s',
  async (requireMcpAuth, shown, hidden) => {
    const facts = {
      title: '',
      description: '',
      branch: 'main',
      sourceUrl: 'https://github.com/acme/x',
      aliases: [],
      settings: {},
    }
    const version = { version: '', ref: 'main', commit: '', tokens: 0, snippets: 0, codeSnippets: 0, rules: [], format: 1 }
    for (const name of ['open', 'secret'])
      app.app.catalog.publish({ id: `/acme/${name}`, ...facts, private: name === 'secret' }, [
        { ...version, generation: `g-${name}` },
      ])
    app.app.settings.change({ 'permissions.requireMcpAuth': requireMcpAuth })
    const damagedContent = [
      { generation: 'g-open', damage: 'quarantined' as const },
      { generation: 'g-secret', damage: 'unchecked' as const },
      { generation: 'g-secret', damage: 'rows' as const },
    ]
    const snippets = { ...app.app.snippets, damaged: () => damagedContent }
    const damage = { ...app.app.damage, messages: () => ['/srv/data/sessions.key cannot be read'] }
    const server = createServer({ ...app.app, snippets, damage }, async () => true)
    const warningsFor = async (headers: Record<string, string>) => {
      const response = await server.request('http://127.0.0.1/api/health', { headers: { host: '127.0.0.1', ...headers } })
      return ((await response.json()) as { warnings: string[] }).warnings.join(' ')
    }
    const anonymous = await warningsFor({})
    const member = await warningsFor({ authorization: `Bearer ${app.keys.member}` })
    app.app.settings.change({ 'permissions.requireMcpAuth': null })
    expect(anonymous.match(/\/acme\/\w+/g) ?? []).toEqual(shown)
    expect(anonymous).toContain(`The files of ${hidden} librar`)
    expect(anonymous).not.toContain('/srv/data')
    expect(member).toMatch(/\/acme\/open.*\/acme\/secret.*\/srv\/data/)
  },
)

test.each(['/api/health', '/api/ready'])('a request for %s creates no file, also after the first sign-in', async (path) => {
  await signIn(app, { username: 'admin', password: 'admin' })
  utimesSync(app.dataDir, 1, 1)
  await app.ask(path)
  expect(statSync(app.dataDir).mtimeMs).toBe(1000)
})
