import { afterAll, beforeAll, expect, test } from 'vitest'
import { type GitServer, startGitServer } from '../../fixtures/git-server.ts'
import { page } from '../../fixtures/page.ts'
import { type TestInstall, testInstall } from '../../fixtures/test-install.ts'

let app: TestInstall
let forge: GitServer
beforeAll(async () => {
  app = await testInstall()
  forge = await startGitServer()
})
afterAll(async () => {
  await app.close()
  await forge.close()
})

/**
 * Answers of the APIs, cut to a few fields more than are read, as their public descriptions have them on 2026-11-29. They are not recorded. GitLab:
 * docs.gitlab.com/api/projects; Gitea: modules/structs/repo.go of its source; Bitbucket Cloud: developer.atlassian.com/cloud/bitbucket/rest;
 * Bitbucket Data Center: developer.atlassian.com/server/bitbucket/rest; Azure DevOps:
 * learn.microsoft.com/rest/api/azure/devops/git/repositories/get-repository.
 */
const kinds = [
  {
    kind: 'gitlab',
    repo: 'group/sub/docs',
    id: 'group~sub/docs',
    answer: {
      id: 15,
      path_with_namespace: 'group/sub/docs',
      description: 'A lever',
      star_count: 12,
      license: { key: 'apache-2.0', name: 'Apache License 2.0', nickname: null },
      topics: ['levers'],
      archived: true,
      default_branch: 'main',
    },
    facts: {
      stars: 12,
      license: 'apache-2.0',
      repository: { topics: ['levers'], archived: true, defaultBranch: 'main' },
    },
    api: '/api/v4/projects/group%2Fsub%2Fdocs',
    authorization: 'Bearer sesame',
  },
  {
    kind: 'gitea',
    repo: 'acme/gitea-docs',
    id: 'acme/gitea-docs',
    answer: {
      id: 140,
      full_name: 'acme/gitea-docs',
      description: 'A lever',
      stars_count: 7,
      licenses: ['MIT'],
      topics: ['levers'],
      archived: false,
      default_branch: 'main',
      object_format_name: 'sha1',
    },
    facts: { stars: 7, license: 'MIT', repository: { topics: ['levers'], archived: false, defaultBranch: 'main' } },
    api: '/api/v1/repos/acme/gitea-docs',
    authorization: 'Bearer sesame',
  },
  {
    kind: 'bitbucket',
    repo: 'acme/cloud-docs',
    id: 'acme/cloud-docs',
    answer: {
      uuid: '{673a6070-3421-46c9-9d48-90745f7bfe8e}',
      full_name: 'acme/cloud-docs',
      description: 'A lever',
      is_private: false,
      mainbranch: { type: 'branch', name: 'main' },
    },
    facts: { stars: -1, repository: { defaultBranch: 'main' } },
    api: '/api/2.0/repositories/acme/cloud-docs',
    authorization: 'Bearer sesame',
  },
  {
    kind: 'bitbucket-server',
    repo: 'scm/web/site',
    id: 'web/site',
    answer: { id: 84, slug: 'site', scmId: 'git', description: 'A lever', archived: true, public: true, project: { key: 'WEB' } },
    facts: { stars: -1, repository: { archived: true } },
    api: '/rest/api/latest/projects/WEB/repos/site',
    authorization: 'Bearer sesame',
  },
  {
    kind: 'azure',
    repo: 'acme/web/_git/azure-docs',
    id: 'acme~web/azure-docs',
    answer: {
      id: '5febef5a-833d-4e14-b9c0-14cb638f91e6',
      name: 'azure-docs',
      project: { id: '6ce954b1-ce1f-45d1-b94d-e6bf2464ba2c', name: 'web', state: 'wellFormed' },
      defaultBranch: 'refs/heads/main',
      size: 728,
    },
    facts: { stars: -1, repository: { defaultBranch: 'main' } },
    api: '/acme/web/_apis/git/repositories/azure-docs',
    authorization: `Basic ${Buffer.from('carrel:sesame').toString('base64')}`,
  },
]

test.each(kinds)(
  'a library of a host of the kind $kind has the facts that its API tells',
  async ({ kind, repo, id, answer, facts, ...sent }) => {
    await app.call('PATCH', '/api/settings', { 'git.hosts': [{ name: 'forge', kind, baseUrl: forge.url }] })
    await app.call('PATCH', '/api/settings', { 'git.hosts.forge.token': 'sesame' })
    await forge.create(repo, { files: { 'README.md': page('Guide', 'The lever turns.') } })
    forge.describe(repo, answer)
    const { body } = await app.call('POST', '/api/parse', { repoUrl: `${forge.url}/${repo}` })
    expect(await app.ended(Number(body.queueId))).toMatchObject({ state: 'done' })
    expect((await app.call('GET', `/api/projects/${id}`)).body).toMatchObject(facts)
    expect(forge.apiRequests.at(-1)).toEqual({ path: sent.api, authorization: sent.authorization })
    forge.describe(repo, 'uuid' in answer ? { ...answer, uuid: '{another}' } : { ...answer, id: 'another' })
    await forge.commit(repo, { files: { 'README.md': page('Guide', 'The imposter sings.') } })
    const refreshed = await app.call('POST', `/api/projects/${id}/refresh`)
    const error = expect.stringContaining('is another repository than the one')
    expect(await app.ended(Number(refreshed.body.queueId))).toMatchObject({ state: 'failed', error })
  },
)

test('a library whose files describe nothing has the description of its repository', async () => {
  await app.git.create('acme/bare', { files: { 'docs/start.md': page('Start', 'Turn it.') } })
  app.git.describe('acme/bare', { id: 77, description: 'Levers for large gates' })
  await app.parse('acme/bare')
  expect((await app.call('GET', '/api/projects/acme/bare')).body).toMatchObject({ description: 'Levers for large gates' })
})

test('several licenses of a Gitea repository are no license', async () => {
  await app.call('PATCH', '/api/settings', { 'git.hosts': [{ name: 'forge', kind: 'gitea', baseUrl: forge.url }] })
  await forge.create('acme/dual', { files: { 'README.md': page('Guide', 'The lever turns.') } })
  forge.describe('acme/dual', { id: 9, licenses: ['MIT', 'Apache-2.0'] })
  const { body } = await app.call('POST', '/api/parse', { repoUrl: `${forge.url}/acme/dual` })
  expect(await app.ended(Number(body.queueId))).toMatchObject({ state: 'done' })
  expect((await app.call('GET', '/api/projects/acme/dual')).body).not.toHaveProperty('license')
})
