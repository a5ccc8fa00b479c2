import { afterAll, beforeAll, expect, test } from 'vitest'
import { declarableSettings } from '../../../onprem/declared/declarable-settings.ts'
import { secretNames, settingNames } from '../../../shared/settings/settings.ts'
import { page } from '../../fixtures/page.ts'
import { type TestInstall, testInstall } from '../../fixtures/test-install.ts'

let app: TestInstall
const docs = { files: { 'README.md': page('Guide', 'The lever turns.') }, tags: ['v1'] }
const follow = 'acme/install'
const manifest = (text: string) => app.git.commit(follow, { files: { 'carrel.yaml': text } })
const url = (repo: string) => `${app.git.url}/${repo}`
const entries = (...repos: string[]) => `libraries:\n${repos.map((repo) => `  - url: ${url(repo)}\n`).join('')}`
const reconcile = (force = false) => app.call('POST', `/api/gitops/reconcile${force ? '?force=true' : ''}`)
const status = async () => (await app.call('GET', '/api/gitops/status')).body
const jobsEnded = async () => {
  for (const { id } of app.app.jobs.active()) await app.ended(id)
}

beforeAll(async () => {
  app = await testInstall()
  for (const name of ['one', 'two', 'three']) await app.git.create(`acme/${name}`, docs)
  await app.git.create(follow, { files: { 'README.md': 'Ours.' } })
})
afterAll(() => app.close())

test('a server follows a repository that changes', async () => {
  expect(await reconcile()).toMatchObject({ status: 409, body: { error: 'not_configured' } })
  expect(await app.call('PUT', '/api/gitops/config', { repository: 'https://elsewhere.example/a/b' })).toMatchObject({
    status: 400,
  })
  const config = { repository: url(follow), schedule: 'manual' }
  expect(await app.call('PUT', '/api/gitops/config', config)).toMatchObject({ status: 200, body: { ...config, prune: false } })
  expect(await reconcile()).toMatchObject({
    status: 404,
    body: { message: expect.stringContaining('carrel.yaml or repos.yaml') },
  })
  const first = await manifest(`${entries('acme/one', 'acme/two')}settings: { backup.schedule: daily }\n`)
  const counts = { created: 2, updated: 0, unchanged: 0, pruned: 0, skipped: 0 }
  expect(await reconcile()).toMatchObject({ status: 200, body: { ...counts, commit: first } })
  await jobsEnded()
  expect(await app.context('/acme/two', 'lever')).toContain('The lever turns.')
  expect(await reconcile()).toMatchObject({ body: { created: 0, updated: 0, unchanged: 0, skipped: 2 } })
  expect(await reconcile(true)).toMatchObject({ body: { created: 0, updated: 0, unchanged: 2, skipped: 0 } })
  expect(await status()).toMatchObject({
    commit: first,
    libraries: 2,
    settings: 1,
    drift: [],
    failed: null,
    counts: { unchanged: 2 },
  })
  await manifest(`libraries:\n  - { url: ${url('acme/one')}, versions: [v1] }\n  - url: ${url('acme/three')}\n`)
  expect(await reconcile()).toMatchObject({ body: { created: 1, updated: 1, unchanged: 1, pruned: 0 } })
  await jobsEnded()
  expect((await app.call('GET', '/api/projects/acme/one')).body.versions).toEqual(['v1'])
})

test('a declared library or setting cannot be changed by hand, but tokens can', async () => {
  await manifest(`${entries('acme/one', 'acme/three')}settings: { backup.schedule: daily, llm.rerank: llm }\n`)
  await reconcile()
  await jobsEnded()
  const link = expect.stringMatching(/\/acme\/install\/blob\/[0-9a-f]{40}\/carrel\.yaml#L\d+\. Change it there\.$/)
  const refused = { status: 403, body: { message: link } }
  expect(await app.call('PATCH', '/api/projects/acme/one/source', { branch: 'main' })).toMatchObject(refused)
  expect(await app.call('DELETE', '/api/projects/acme/one')).toMatchObject(refused)
  expect(await app.call('POST', '/api/parse', { repoUrl: url('acme/one'), excludeFiles: ['a.md'] })).toMatchObject(refused)
  expect(await app.call('PATCH', '/api/settings', { 'backup.schedule': 'weekly' })).toMatchObject(refused)
  expect(await app.call('PATCH', '/api/settings', { 'github.token': 'ghp_0123456789' })).toMatchObject({ status: 200 })
  expect(await app.call('POST', '/api/projects/acme/one/refresh')).toMatchObject({ status: 202 })
  await jobsEnded()
  expect((await app.call('GET', '/api/projects/acme/one')).body).toMatchObject({
    mayDelete: false,
    declaredIn: expect.stringMatching(/#L2$/),
  })
  app.app.settings.change({ 'backup.schedule': 'weekly' })
  expect((await status()).drift).toEqual([{ kind: 'setting', name: 'backup.schedule', message: 'is weekly, declared as daily' }])
  expect(await app.call('POST', '/api/gitops/apply', { file: entries('acme/one') })).toMatchObject({
    status: 400,
    body: { message: expect.stringContaining('is declared in') },
  })
})

test('a schedule and a rule for tags that the file no longer names are those of the install again', async () => {
  const source = async () => (await app.call('GET', '/api/projects/acme/one/source')).body
  const rule = 'schedule: daily, tagRule: { tags: v* }'
  await manifest(`libraries:\n  - { url: ${url('acme/one')}, ${rule} }\n`)
  expect(await reconcile()).toMatchObject({ body: { updated: 1 } })
  await jobsEnded()
  expect(await source()).toMatchObject({ schedule: 'daily', tagRule: { tags: 'v*' } })
  await manifest(`libraries:\n  - { url: ${url('acme/one')} }\n`)
  expect(await reconcile()).toMatchObject({ body: { updated: 1 } })
  await jobsEnded()
  expect(await source()).toMatchObject({ schedule: null, tagRule: null, versions: ['v1'] })
  expect(await reconcile(true)).toMatchObject({ body: { updated: 0 } })
})

test.each([
  ['an unknown field', 'libraries:\n  - url: a/b\n    token: x\n', 'line 3: libraries.0.token is not a field'],
  ['an unknown type', 'libraries:\n  - url: a/b\n    type: svn\n', 'line 3: libraries.0.type must be one of git'],
  ['an entry without an address', 'libraries:\n\n  - branch: main\n', 'line 3: libraries.0 must have one url'],
  [
    'two entries for one library',
    'libraries:\n  - url: acme/one\n  - url: ACME/One.git\n',
    'line 3: libraries.1 is /ACME/One, as line 2 is',
  ],
  ['a key twice', 'settings:\n  backup.schedule: daily\n  backup.schedule: weekly\n', 'line 3: backup.schedule is named twice'],
  ['no YAML', 'libraries: [\n', 'is not valid YAML'],
  [
    'anchors that explode',
    Array.from(
      { length: 12 },
      (_, at) =>
        `a${at}: &a${at} [${
          at === 0
            ? 'x'
            : Array(9)
                .fill(`*a${at - 1}`)
                .join(', ')
        }]\n`,
    ).join(''),
    'alias',
  ],
  ['brackets that nest', '['.repeat(50_000), 'nests more than'],
  ['dashes that nest', '- '.repeat(50_000), 'nests more than'],
  ['more bytes than allowed', `# ${'x'.repeat(140_000)}\n`, 'larger than'],
  ['an unknown setting', 'settings: { backup.shedule: daily }\n', 'line 1: settings.backup.shedule'],
  ['an invalid setting', 'settings:\n  storage.minFreeMb: lots\n', 'line 2: settings.storage.minFreeMb must be a whole number'],
  ['a permission', 'settings: { permissions.anonymousDelete: true }\n', 'cannot be set by a followed repository'],
  ['allowed hosts', 'settings: { sources.allowedHosts: [evil.example] }\n', 'cannot be set by a followed repository'],
  [
    'an address that a token is sent to',
    'settings: { github.baseUrl: https://evil.example }\n',
    'cannot be set by a followed repository',
  ],
  [
    'another repository to follow',
    'settings: { gitops.repository: https://github.com/evil/evil }\n',
    'cannot be declared in a file',
  ],
  ['a role', 'users: [{ name: eve, role: admin }]\n', 'line 1: users is not a field'],
  ['a repository of another host', 'libraries: [{ url: https://evil.example/a/b }]\n', 'line 1: libraries.0'],
  [
    'a website of a host that is not allowed',
    'libraries: [{ type: openapi, url: http://169.254.169.254/x.json }]\n',
    'never asked',
  ],
  ['a secret as text', 'settings: { llm.apiKey: sk-secret-value }\n', 'a file holds no secrets'],
  ['a secret that was stored for something else', 'settings: { llm.apiKey: { secret: other } }\n', 'was not stored for it'],
  [
    'a secret for an address that has changed',
    'settings: { gitlab.token: { secret: lab } }\n',
    'was not stored for it and for its present address',
  ],
])('a followed file with %s is rejected as a whole, with its line', async (_, text, message) => {
  app.app.settings.change({ 'permissions.hidePrivate': false })
  app.app.secrets.set('other', 'ghp_secret', 'github.token')
  if (!app.app.settings.get('gitlab.baseUrl').includes('lab.example')) {
    app.app.secrets.set('lab', 'glpat_secret', 'gitlab.token')
    app.app.settings.change({ 'gitlab.baseUrl': 'https://lab.example' })
  }
  const before = [
    app.app.settings.describe(),
    app.app.catalog.libraries(),
    app.app.declared.libraries(),
    app.app.declared.settings(),
  ]
  await manifest(text)
  const { status: code, body } = await reconcile()
  expect([400, 413]).toContain(code)
  expect(body.message).toContain(message)
  expect(JSON.stringify(body)).not.toMatch(/sk-secret-value|ghp_secret|glpat_secret/)
  expect([
    app.app.settings.describe(),
    app.app.catalog.libraries(),
    app.app.declared.libraries(),
    app.app.declared.settings(),
  ]).toEqual(before)
  expect((await status()).failed).toMatchObject({ message: expect.stringContaining(message) })
})

test('a link in a followed repository is not read', async () => {
  await app.git.create('acme/linked', { files: { 'carrel.yaml': { link: '/etc/passwd' } } })
  await app.call('PUT', '/api/gitops/config', { repository: url('acme/linked') })
  expect(await reconcile()).toMatchObject({ status: 404 })
  await app.call('PUT', '/api/gitops/config', { repository: url(follow) })
})

test('a followed repository names a secret that was stored for the setting', async () => {
  app.app.secrets.set('work', 'ghp_work_token_1', 'github.token')
  await manifest(`${entries('acme/one')}settings: { github.token: { secret: work } }\n`)
  expect(await reconcile()).toMatchObject({ status: 200 })
  expect(app.app.settings.getSecret('github.token')).toBe('ghp_work_token_1')
  expect(JSON.stringify([await status(), await app.call('GET', '/api/audit-log')])).not.toContain('ghp_work')
  await jobsEnded()
})

test('prune deletes libraries that the followed file no longer names, and no others', async () => {
  await app.git.create('acme/own', docs)
  await app.parse('acme/own')
  await manifest(entries('acme/one'))
  await app.call('PUT', '/api/gitops/config', { prune: true })
  expect(await reconcile()).toMatchObject({ body: { pruned: 2, updated: 1 } })
  expect(app.app.catalog.libraries().map(({ id }) => id)).toEqual(['/acme/one', '/acme/own'])
  await jobsEnded()
  // The file named this version before.
  expect((await app.call('GET', '/api/projects/acme/one')).body.versions).toEqual([])
})

test('a repository that has moved is not followed to its new name', async () => {
  await app.git.create('eve/install', { files: { 'carrel.yaml': 'libraries: []\n' } })
  app.git.misbehave(follow, { kind: 'redirect', to: '/eve/install' })
  expect(await reconcile(true)).toMatchObject({ status: 400, body: { message: expect.stringContaining('has moved to') } })
  app.git.misbehave(follow)
})

test('every setting says who may declare it, and a followed repository sets no address, host or permission', () => {
  const all = [...settingNames, ...secretNames]
  expect(Object.keys(declarableSettings).sort()).toEqual([...all].sort())
  const byGit = all.filter((name) => declarableSettings[name] === 'git')
  expect(
    byGit.filter((name) => /url|host|address|region|provider|permission|gitops|package|folder|modelHub|key$/i.test(name)),
  ).toEqual(['llm.apiKey', 'embedding.apiKey'])
})
