import { mkdirSync } from 'node:fs'
import { join } from 'node:path'
import { DatabaseSync } from 'node:sqlite'
import { afterAll, beforeAll, expect, test } from 'vitest'
import { createServer } from '../../onprem/server.ts'
import { limits } from '../../shared/indexing/limits.ts'
import { head } from '../fixtures/bundle.ts'
import { createUser } from '../fixtures/create-user.ts'
import { type GitServer, startGitServer } from '../fixtures/git-server.ts'
import { snippetsOf } from '../fixtures/imports.ts'
import { type ModelHub, smallModel, startModelHub } from '../fixtures/model-hub.ts'
import { page } from '../fixtures/page.ts'
import { groupUrn, patchUrn, scimClient, scimToken, userUrn } from '../fixtures/scim.ts'
import { signIn } from '../fixtures/sign-in.ts'
import { softAuthenticator } from '../fixtures/soft-authenticator.ts'
import { aiOf, type TestEmbedder, testEmbedder } from '../fixtures/test-embedder.ts'
import { type TestInstall, testInstall } from '../fixtures/test-install.ts'
import { codeAt } from '../fixtures/totp.ts'
import { until } from '../fixtures/until.ts'
import { methodOf, routes } from './routes.ts'

let app: TestInstall
let gitlab: GitServer
let bitbucket: GitServer
let hub: ModelHub
let embedder: TestEmbedder | undefined
let db: DatabaseSync
let cookie: string
let adasCookie: string
const appSecret = 'JBSWY3DPEHPK3PXPJBSWY3DPEHPK3PXP'
let ids: Record<
  | 'mia'
  | 'leo'
  | 'ada'
  | 'kim'
  | 'pia'
  | 'team'
  | 'adasSession'
  | 'key'
  | 'session'
  | 'queued'
  | 'failed'
  | 'backup'
  | 'feedback'
  | 'hook'
  | 'request'
  | 'grant'
  | 'device',
  string
>

const mia = { username: 'mia', password: 'correct horse battery' }
const repoUrl = (repo: string) => `${app.git.url}/${repo}`
const docs = { files: { 'README.md': page('Guide', 'The lever turns.') } }

beforeAll(async () => {
  gitlab = await startGitServer()
  bitbucket = await startGitServer()
  hub = await startModelHub()
  hub.answer('onnx/model_quantized.onnx', (_, response) => void response.writeHead(200).write('w'))
  app = await testInstall({
    openAi: () => aiOf(() => embedder, []),
    catalogue: [smallModel],
    // A job waits for its host until the last test, however long that takes: its end would be a change.
    limits: { clone: { ...limits.clone, idleMs: limits.clone.timeMs } },
  })
  mkdirSync(join(app.dataDir, 'models/spare'), { recursive: true })
  db = new DatabaseSync(join(app.dataDir, 'carrel.db'))
  for (const repo of ['docs', 'gone', 'undone', 'new', 'added', 'old', 'read', 'also'].map((name) => `acme/${name}`))
    await app.git.create(repo, docs)
  await app.git.create('acme/follow', { files: { 'carrel.yaml': 'libraries: []\n' } })
  await gitlab.create('acme/lab', docs)
  for (const repo of ['bitbucket', 'git']) await bitbucket.create(`acme/${repo}`, docs)
  await app.call('PATCH', '/api/settings', {
    'gitlab.baseUrl': gitlab.url,
    'sources.allowedHosts': [new URL(gitlab.url).host],
    'git.hosts': [{ name: 'cloud', kind: 'bitbucket', baseUrl: bitbucket.url }],
    'models.hub': hub.url,
    'llm.provider': 'openai',
    'llm.apiKey': 'sk-0123456789',
  })
  for (const repo of ['acme/docs', 'acme/gone', 'acme/undone', 'acme/old', 'acme/read', 'acme/also']) await app.parse(repo)
  await app.call('DELETE', '/api/projects/acme/undone?undo=600')
  const corp = await scimClient(app)
  const user = (pair: typeof mia) => createUser(app, { ...pair, role: 'admin' })
  ids = {
    mia: await user(mia),
    leo: await user({ ...mia, username: 'leo' }),
    ada: await user({ ...mia, username: 'ada' }),
    adasSession: '',
    kim: await user({ ...mia, username: 'kim' }),
    key: String((await app.call('POST', '/api/keys', { name: 'spare' })).body.id),
    hook: String((await app.call('POST', '/api/hooks', { kind: 'github', name: 'spare hook' })).body.id),
    failed: String((await app.parse('acme/missing')).id),
    pia: await corp.createUser('pia'),
    team: await corp.createGroup('team'),
    queued: '',
    session: '',
    feedback: '',
    request: '',
    grant: '',
    device: app.app.deviceLogins.begin('carrel login on spare', '127.0.0.1').userCode,
    backup: String((await app.call('POST', '/api/backup')).body.name),
  }
  cookie = await signIn(app, mia)
  app.app.newApps.set(String(app.app.users.sessions(ids.mia)[0]?.id), { secret: appSecret })
  await signIn(app, mia)
  for (const id of [ids.ada, ids.kim]) app.app.factors.setApp(id, appSecret, 0)
  const ada = { ...mia, username: 'ada' }
  const pending = app.app.pendingSignIns.add(await app.app.accounts.checkPassword(ada))
  app.app.passkeys.add(ids.ada, 'spare', { name: 'Spare', host: 'localhost', publicKey: '', counter: 0, transports: [] })
  adasCookie = `${await signIn(app, ada)}; carrel.second-step=${pending}`
  ids.adasSession = String(app.app.users.sessions(ids.ada)[0]?.id)
  app.app.groups.create('spare')
  app.app.libraryRules.set({ pattern: '/spare/*', access: 'internal', groups: [], users: [] })
  app.app.settings.change({ 'feedback.enabled': true })
  const about = { key: '/acme/docs', question: 'how', comment: '', author: ids.mia } as const
  for (const kind of ['helpful', 'unhelpful'] as const) app.app.feedback.rate({ ...about, kind })
  ids.feedback = String(app.app.feedback.list({}, 1, 1).feedback[0]?.id)
  const client = { id: 'editor', name: 'Editor', redirectUris: ['https://example.com/'], byAdmin: false }
  const asked = {
    client,
    redirectUri: 'https://example.com/',
    namesRedirect: true,
    challenge: '',
    state: undefined,
    resource: '',
  }
  ids.request = app.app.authorizations.ask(asked)
  ids.grant = app.app.oauth.grant({ userId: ids.mia, client, resource: '' }).grantId
  ids.session = String(app.app.users.sessions(ids.mia)[0]?.id)
  await until(async () => (await app.call('GET', '/api/backups')).body.running === null)
  // The job of the other library keeps this one in the queue.
  await app.git.create('acme/slow', docs)
  app.git.misbehave('acme/slow', { kind: 'stall', at: 'pack' })
  const slow = await app.queue('acme/slow')
  await until(() => app.app.jobs.get(slow)?.state === 'parsing')
  ids.queued = String(await app.queue('acme/new'))
  embedder = testEmbedder()
})
afterAll(async () => {
  db.close()
  await app.close()
  await gitlab.close()
  await bitbucket.close()
  await hub.close()
})

function formOf(field: string, name: string, text: string): FormData {
  const form = new FormData()
  form.append(field, new Blob([text]), name)
  return form
}

type Change = {
  route: string
  path: () => string
  body?: () => unknown
  /** A session instead of the key of an admin. */
  asMia?: true
  /** A session, and a sign-in that waits for its second step. */
  asAda?: true
  /** The token of an issuer instead. */
  asScim?: true
  /** The name of the server in the request. */
  host?: string
  status: number
  /** The actions and subjects that the change is recorded as. */
  entries: [action: string, subject: unknown][]
}

/** Every route that changes something, in an order in which all succeed. */
const changes: Change[] = [
  {
    route: 'POST /api/parse',
    path: () => '/api/parse',
    body: () => ({ repoUrl: repoUrl('acme/added') }),
    status: 202,
    entries: [['library.add', '/acme/added']],
  },
  {
    route: 'POST /api/parse',
    path: () => '/api/parse',
    body: () => ({ repoUrl: repoUrl('acme/docs'), force: true }),
    status: 202,
    entries: [['library.parse', '/acme/docs']],
  },
  {
    route: 'POST /api/parse-openapi',
    path: () => '/api/parse-openapi',
    body: () => ({ openApiUrl: `${gitlab.url}/openapi.json`, projectTitle: 'Pets' }),
    status: 202,
    entries: [['library.add', '/openapi/pets']],
  },
  {
    route: 'POST /api/parse-website',
    path: () => '/api/parse-website',
    body: () => ({ websiteUrl: `${gitlab.url}/docs/`, projectTitle: 'Pet guide' }),
    status: 202,
    entries: [['library.add', '/websites/pet-guide']],
  },
  {
    route: 'POST /api/parse-llmstxt',
    path: () => '/api/parse-llmstxt',
    body: () => ({ llmstxtUrl: `${gitlab.url}/llms.txt`, projectTitle: 'Pet texts' }),
    status: 202,
    entries: [['library.add', '/llmstxt/pet-texts']],
  },
  {
    route: 'POST /api/parse-confluence',
    path: () => '/api/parse-confluence',
    body: () => ({ siteUrl: `${gitlab.url}/confluence`, spaceKey: 'PETS', projectTitle: 'Pet space' }),
    status: 202,
    entries: [['library.add', '/confluence/pet-space']],
  },
  {
    route: 'POST /api/parse-openapi-upload',
    path: () => '/api/parse-openapi-upload',
    body: () => formOf('openapiFile', 'shop.yaml', 'openapi: 3.1.0\npaths: {/a: {get: {summary: A}}}'),
    status: 202,
    entries: [['library.add', '/openapi/shop']],
  },
  {
    route: 'POST /api/parse-files',
    path: () => '/api/parse-files',
    body: () => formOf('files', 'notes.md', '# Notes\n\nText.'),
    status: 202,
    entries: [['library.add', '/files/notes']],
  },
  {
    route: 'POST /api/v2/add/repo/github',
    path: () => '/api/v2/add/repo/github',
    body: () => ({ docsRepoUrl: repoUrl('other/docs') }),
    status: 200,
    entries: [['library.add', '/other/docs']],
  },
  {
    route: 'POST /api/v2/add/repo/gitlab',
    path: () => '/api/v2/add/repo/gitlab',
    body: () => ({ docsRepoUrl: `${gitlab.url}/acme/lab` }),
    status: 200,
    entries: [['library.add', '/acme/lab']],
  },
  ...(['bitbucket', 'git'] as const).map(
    (host): Change => ({
      route: `POST /api/v2/add/repo/${host}`,
      path: () => `/api/v2/add/repo/${host}`,
      body: () => ({ docsRepoUrl: `${bitbucket.url}/acme/${host}` }),
      status: 200,
      entries: [['library.add', `/acme/${host}`]],
    }),
  ),
  {
    route: 'POST /api/projects/{id}/restore',
    path: () => '/api/projects/acme/undone/restore',
    status: 200,
    entries: [['library.restore', '/acme/undone']],
  },
  {
    route: 'DELETE /api/projects/{id}',
    path: () => '/api/projects/acme/gone',
    status: 200,
    entries: [['library.delete', '/acme/gone']],
  },
  {
    route: 'POST /api/jobs/{id}/cancel',
    path: () => `/api/jobs/${ids.queued}/cancel`,
    status: 202,
    entries: [['job.cancel', expect.stringContaining('/acme/new (job ')]],
  },
  {
    route: 'POST /api/jobs/{id}/retry',
    path: () => `/api/jobs/${ids.failed}/retry`,
    status: 202,
    entries: [['library.add', '/acme/missing']],
  },
  {
    route: 'POST /api/import-libraries',
    path: () => '/api/import-libraries',
    body: () => ({ libraries: [{ ...head({ project: '/acme/imported' }), ...snippetsOf('The imported lever turns.') }] }),
    status: 202,
    entries: [['library.import', '/acme/imported']],
  },
  {
    route: 'POST /api/export',
    path: () => '/api/export',
    body: () => ({ libraries: ['/acme/docs'] }),
    status: 200,
    entries: [['library.export', '/acme/docs']],
  },
  {
    route: 'POST /api/export/key',
    path: () => '/api/export/key',
    status: 200,
    entries: [['export.key', 'exports']],
  },
  {
    route: 'PATCH /api/projects/{owner}/{repo}/source',
    path: () => '/api/projects/acme/old/source',
    body: () => ({ folders: ['docs'], private: true }),
    status: 200,
    entries: [
      ['library.source', '/acme/old'],
      ['library.private', '/acme/old'],
    ],
  },
  {
    route: 'PATCH /api/projects/{owner}/{repo}/tags',
    path: () => '/api/projects/acme/old/tags',
    body: () => ({ add: ['web'] }),
    status: 200,
    entries: [['library.tag', '/acme/old']],
  },
  {
    route: 'POST /api/v1/refresh',
    path: () => '/api/v1/refresh',
    body: () => ({ libraryName: '/acme/read' }),
    status: 200,
    entries: [['library.refresh', '/acme/read']],
  },
  {
    route: 'POST /api/projects/{id}/refresh',
    path: () => '/api/projects/acme/also/refresh',
    status: 202,
    entries: [['library.refresh', '/acme/also']],
  },
  {
    route: 'POST /api/reindex',
    path: () => '/api/reindex',
    status: 202,
    entries: ['also', 'docs', 'old', 'read', 'undone'].map((name) => ['library.reindex', `/acme/${name}`] as const),
  },
  {
    route: 'POST /api/setup/{step}/skip',
    path: () => '/api/setup/llm/skip',
    status: 200,
    entries: [['setup.skip', 'llm']],
  },
  {
    route: 'PATCH /api/settings',
    path: () => '/api/settings',
    body: () => ({ 'llm.provider': 'anthropic', 'permissions.anonymousRefresh': true }),
    status: 200,
    entries: [
      ['setting.change', 'llm.provider'],
      ['setting.change', 'permissions.anonymousRefresh'],
      ['setting.drop', 'llm.apiKey'],
    ],
  },
  {
    route: 'POST /api/models/{name}',
    path: () => `/api/models/${smallModel.name}`,
    body: () => ({}),
    status: 202,
    entries: [['model.add', smallModel.name]],
  },
  {
    route: 'DELETE /api/models/{name}',
    path: () => '/api/models/spare',
    status: 200,
    entries: [['model.remove', 'spare']],
  },
  {
    route: 'PATCH /api/v2/policies',
    path: () => '/api/v2/policies',
    body: () => ({ libraryFilters: { mode: 'select' } }),
    status: 200,
    entries: [['policy.change', 'libraryFilters.mode']],
  },
  {
    route: 'POST /api/users',
    path: () => '/api/users',
    body: () => ({ ...mia, username: 'ann', role: 'member' }),
    status: 201,
    entries: [['user.create', 'ann']],
  },
  {
    route: 'PATCH /api/users/{id}',
    path: () => `/api/users/${ids.leo}`,
    body: () => ({ username: 'leon', role: 'member', disabled: true, password: 'another long password', revokeKeys: true }),
    status: 200,
    entries: ['username', 'role', 'disabled', 'revokeKeys', 'password'].map((name) => [`user.${name}`, 'leo']),
  },
  {
    route: 'POST /api/groups',
    path: () => '/api/groups',
    body: () => ({ name: 'team' }),
    status: 201,
    entries: [['group.create', 'team']],
  },
  {
    route: 'PUT /api/groups/{name}/members',
    path: () => '/api/groups/spare/members',
    body: () => ({ users: ['mia'] }),
    status: 200,
    entries: [['group.members', 'spare']],
  },
  {
    route: 'DELETE /api/groups/{name}',
    path: () => '/api/groups/spare',
    status: 200,
    entries: [['group.delete', 'spare']],
  },
  {
    route: 'PUT /api/library-rules',
    path: () => '/api/library-rules',
    body: () => ({ pattern: '/secret/*', access: 'restricted' }),
    status: 200,
    entries: [['access.rule', '/secret/* restricted']],
  },
  {
    route: 'DELETE /api/library-rules',
    path: () => '/api/library-rules?pattern=/spare/*',
    status: 200,
    entries: [['access.rule', '/spare/* none']],
  },
  {
    route: 'DELETE /api/users/{id}/sessions',
    path: () => `/api/users/${ids.leo}/sessions`,
    status: 200,
    entries: [['user.endSessions', 'leon']],
  },
  {
    route: 'DELETE /api/users/{id}',
    path: () => `/api/users/${ids.leo}`,
    status: 200,
    entries: [['user.delete', 'leon']],
  },
  {
    route: 'POST /api/keys',
    path: () => '/api/keys',
    body: () => ({ name: 'new' }),
    status: 201,
    entries: [['key.create', expect.stringMatching(/^new \(carrel_op_/)]],
  },
  {
    route: 'DELETE /api/keys/{id}',
    path: () => `/api/keys/${ids.key}`,
    status: 200,
    entries: [['key.revoke', expect.stringMatching(/^spare \(carrel_op_/)]],
  },
  {
    route: 'PUT /api/gitops/config',
    path: () => '/api/gitops/config',
    body: () => ({ repository: repoUrl('acme/follow'), schedule: 'manual' }),
    status: 200,
    entries: [
      ['setting.change', 'gitops.repository'],
      ['setting.change', 'gitops.schedule'],
    ],
  },
  {
    route: 'POST /api/gitops/reconcile',
    path: () => '/api/gitops/reconcile',
    status: 200,
    entries: [['gitops.reconcile', expect.stringMatching(/\/acme\/follow$/)]],
  },
  {
    route: 'POST /api/gitops/apply',
    path: () => '/api/gitops/apply',
    body: () => ({ file: `libraries: [{ url: ${repoUrl('acme/applied')} }]` }),
    status: 202,
    entries: [
      ['library.add', '/acme/applied'],
      ['gitops.apply', 'carrel.yaml'],
    ],
  },
  {
    route: 'POST /api/hooks',
    path: () => '/api/hooks',
    body: () => ({ kind: 'github', name: 'main' }),
    status: 201,
    entries: [['hook.create', 'main']],
  },
  {
    route: 'DELETE /api/hooks/{id}',
    path: () => `/api/hooks/${ids.hook}`,
    status: 200,
    entries: [['hook.remove', 'spare hook']],
  },
  {
    route: 'DELETE /api/feedback/{id}',
    path: () => `/api/feedback/${ids.feedback}`,
    status: 200,
    entries: [['feedback.delete', expect.stringMatching(/^\d+$/)]],
  },
  {
    route: 'DELETE /api/feedback',
    path: () => '/api/feedback',
    status: 200,
    entries: [['feedback.delete', 'all libraries']],
  },
  {
    route: 'DELETE /api/account/sessions/{id}',
    path: () => `/api/account/sessions/${ids.session}`,
    asMia: true,
    status: 200,
    entries: [['session.end', 'mia']],
  },
  {
    route: 'POST /api/oauth/requests/{id}',
    path: () => `/api/oauth/requests/${ids.request}`,
    body: () => ({ allow: true }),
    asMia: true,
    status: 200,
    entries: [['client.allow', 'Editor']],
  },
  {
    route: 'POST /api/device-logins/{code}',
    path: () => `/api/device-logins/${ids.device}`,
    body: () => ({ allow: true }),
    asMia: true,
    status: 200,
    entries: [['key.create', expect.stringMatching(/^carrel login on spare \(/)]],
  },
  {
    route: 'DELETE /api/account/grants/{id}',
    path: () => `/api/account/grants/${ids.grant}`,
    asMia: true,
    status: 200,
    entries: [['client.end', 'Editor']],
  },
  {
    route: 'POST /api/auth/session/sign-in/username',
    path: () => '/api/auth/session/sign-in/username',
    body: () => mia,
    host: 'docs.internal',
    status: 200,
    entries: [
      ['session.begin', 'mia'],
      ['host.remember', 'docs.internal'],
    ],
  },
  {
    route: 'POST /api/auth/session/sign-in/second-step',
    path: () => '/api/auth/session/sign-in/second-step',
    body: () => ({ code: codeAt(appSecret, new Date()) }),
    asAda: true,
    status: 200,
    entries: [['session.begin', 'ada (authenticator app)']],
  },
  {
    route: 'POST /api/account/second-factor/passkeys',
    path: () => '/api/account/second-factor/passkeys',
    body: () => {
      // A challenge counts once, also if the passkey cannot be recorded.
      app.app.passkeyChallenges.set(`new in ${ids.adasSession}`, { challenge: 'AAAA' })
      return { name: 'Laptop', credential: softAuthenticator('http://localhost').create({ challenge: 'AAAA' }) }
    },
    host: 'localhost',
    asAda: true,
    status: 200,
    entries: [['secondFactor.add', 'ada (passkey Laptop)']],
  },
  {
    route: 'DELETE /api/account/second-factor/passkeys/{id}',
    path: () => '/api/account/second-factor/passkeys/spare',
    asAda: true,
    status: 200,
    entries: [['secondFactor.remove', 'ada (passkey Spare)']],
  },
  {
    route: 'POST /api/account/second-factor/recovery-codes',
    path: () => '/api/account/second-factor/recovery-codes',
    asAda: true,
    status: 200,
    entries: [['secondFactor.recoveryCodes', 'ada']],
  },
  {
    route: 'DELETE /api/account/second-factor/app',
    path: () => '/api/account/second-factor/app',
    asAda: true,
    status: 200,
    entries: [['secondFactor.remove', 'ada (authenticator app)']],
  },
  {
    route: 'DELETE /api/users/{id}/second-factor',
    path: () => `/api/users/${ids.kim}/second-factor`,
    status: 200,
    entries: [['user.removeSecondFactor', 'kim']],
  },
  {
    route: 'POST /api/account/second-factor/app',
    path: () => '/api/account/second-factor/app',
    body: () => ({ code: codeAt(appSecret, new Date()) }),
    asMia: true,
    status: 200,
    entries: [['secondFactor.add', 'mia (authenticator app)']],
  },
  {
    route: 'POST /api/account/credentials',
    path: () => '/api/account/credentials',
    body: () => ({ currentPassword: mia.password, username: 'mia', password: 'a new long password', revokeKeys: true }),
    asMia: true,
    status: 200,
    entries: [
      ['credentials.change', 'mia'],
      ['user.revokeKeys', 'mia'],
    ],
  },
  ...(
    [
      ['POST', 'Users', { schemas: [userUrn], userName: 'noa' }, 201, [['user.create', 'noa']]],
      ['PUT', 'Users/{id}', { schemas: [userUrn], userName: 'pia', active: false }, 200, [['user.disabled', 'pia']]],
      [
        'PATCH',
        'Users/{id}',
        { schemas: [patchUrn], Operations: [{ op: 'replace', value: { userName: 'pia.lee', active: true } }] },
        200,
        [
          ['user.username', 'pia.lee'],
          ['user.disabled', 'pia.lee'],
        ],
      ],
      ['POST', 'Groups', { schemas: [groupUrn], displayName: 'writers' }, 201, [['group.create', 'corp:writers']]],
      ['PUT', 'Groups/{id}', { schemas: [groupUrn], displayName: 'crew' }, 200, [['group.rename', 'corp:team to corp:crew']]],
      [
        'PATCH',
        'Groups/{id}',
        { schemas: [patchUrn], Operations: [{ op: 'replace', value: { displayName: 'staff' } }] },
        204,
        [['group.rename', 'corp:crew to corp:staff']],
      ],
      ['DELETE', 'Groups/{id}', undefined, 204, [['group.delete', 'corp:staff']]],
      ['DELETE', 'Users/{id}', undefined, 204, [['user.delete', 'pia.lee']]],
    ] as [string, string, object | undefined, number, Change['entries']][]
  ).map(([method, path, body, status, entries]) => ({
    route: `${method} /scim/v2/{issuer}/${path}`,
    path: () => `/scim/v2/corp/${path.replace('{id}', path.startsWith('Users') ? ids.pia : ids.team)}`,
    ...(body && { body: () => body }),
    asScim: true as const,
    status,
    entries,
  })),
  {
    route: 'POST /api/backup',
    path: () => '/api/backup',
    status: 202,
    entries: [['backup.create', expect.stringMatching(/^carrel-/)]],
  },
  {
    route: 'DELETE /api/backups/{name}',
    path: () => `/api/backups/${ids.backup}`,
    status: 200,
    entries: [['backup.delete', expect.stringMatching(/^carrel-/)]],
  },
]

/** The routes with which a caller changes nothing. */
const changesNothing: Record<string, string> = {
  'POST /api/parse/preview': 'reads a repository',
  'POST /api/parse/recognize': 'reads a text',
  'POST /api/v2/feedback': 'rates an answer, which changes nothing of the install',
  'POST /api/settings/test': 'asks models',
  'POST /api/gitops/plan': 'compares a file',
  'POST /api/connect/test': 'asks the server itself',
  'POST /api/hooks/{id}': 'only queues a refresh, which is recorded as one of the webhook',
  'POST /api/github/webhook': 'the same for the webhook of a host',
  'POST /api/auth/session/sign-out': 'ends the session that sends it',
  'POST /api/account/second-factor/confirm': 'only confirms the password',
  'POST /api/account/second-factor/passkeys/start': 'only makes a challenge',
  'POST /api/auth/session/sign-in/passkey': 'only makes a challenge',
  'POST /api/account/second-factor/app/start': 'only makes a secret, which counts when an app has shown a code',
  'POST /mcp/oauth/register': 'only makes a client known, which may do nothing; that of an admin is in oauth.test.ts',
  'POST /mcp/oauth/device': 'only shows a code',
  'POST /mcp/oauth/token': 'exchanges what a user has allowed, which is recorded',
  'POST /mcp/oauth/revoke': 'a client ends its own access',
}

const actorOf = ({ asMia, asAda, asScim, host }: Change) =>
  asScim ? 'scim corp' : asAda ? 'ada' : asMia || host ? 'mia' : 'key admin'

const volatile = ['lastDeliveryAt', 'lastUsedAt', 'doneBytes', 'lastSignInAt', 'elapsedMs', 'lastEventId']

/** Everything that the API shows of what callers can change. A sign-in begins a session before it remembers the name of the server. */
async function state({ host }: Change) {
  const paths = [
    'settings',
    'v2/policies',
    'users',
    'groups',
    'keys',
    'hooks',
    'projects',
    'projects/acme/docs/source',
    'jobs',
    'backups',
    'setup',
    'models',
    'feedback',
  ]
  const answers = paths.map(async (path) => [path, (await app.call('GET', `/api/${path}`)).body])
  const grants = app.app.oauth.list(ids.mia)
  const request = app.app.authorizations.find(ids.request)
  const codes = [ids.ada, ids.mia].map((id) => app.app.factors.recoveryCodes(id))
  const passkeys = app.app.passkeys.list(ids.ada)
  const sessions = host ? [] : app.app.users.sessions(ids.mia).map(({ id }) => id)
  return JSON.parse(
    JSON.stringify([...(await Promise.all(answers)), sessions, grants, request, codes, passkeys], (name, value) =>
      volatile.includes(name) ? undefined : value,
    ),
  )
}

const entries = () =>
  db
    .prepare('SELECT actor, action, subject FROM audit ORDER BY id')
    .all()
    .map((row) => ({ ...row }))

const send = async ({ route, path, body, asMia, asAda, asScim, host = '127.0.0.1' }: Change) => {
  const server = createServer({ ...app.app, loopback: host === '127.0.0.1' }, async () => true)
  const sent = body?.()
  const answer = await server.request(`http://${host}${path()}`, {
    method: route.split(' ')[0] ?? '',
    headers: {
      host,
      ...(!(sent instanceof FormData) && { 'content-type': 'application/json' }),
      origin: `http://${host}`,
      ...(asMia || asAda
        ? { cookie: asAda ? adasCookie : cookie }
        : { authorization: `Bearer ${asScim ? `corp-${scimToken}` : app.keys.admin}` }),
    },
    ...(body && { body: sent instanceof FormData ? sent : JSON.stringify(sent) }),
  })
  await answer.text()
  return answer.status
}

test('every route that is not only read changes something that is recorded, or nothing', () => {
  const writing = routes.filter((route) => methodOf(route) !== 'GET').map(({ route }) => route)
  expect([...new Set([...changes.map(({ route }) => route), ...Object.keys(changesNothing)])].sort()).toEqual(writing.sort())
})

test.each(changes)('$route leaves no change if it cannot be recorded', async (change) => {
  const before = [await state(change), entries()]
  db.exec("CREATE TRIGGER full BEFORE INSERT ON audit BEGIN SELECT RAISE(ABORT, 'database or disk is full'); END")
  try {
    expect(await send(change)).toBe(507)
  } finally {
    db.exec('DROP TRIGGER full')
  }
  expect([await state(change), entries()]).toEqual(before)
})
test.each(changes)('$route is recorded with its caller', async (change) => {
  const before = entries().length
  expect(await send(change)).toBe(change.status)
  expect(entries().slice(before)).toEqual(
    change.entries.map(([action, subject]) => ({ actor: actorOf(change), action, subject })),
  )
})
