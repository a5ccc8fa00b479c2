import { Client, StreamableHTTPClientTransport } from '@modelcontextprotocol/client'
import { afterAll, beforeAll, describe, expect, test } from 'vitest'
import { type GitServer, startGitServer } from '../fixtures/git-server.ts'
import { type TestInstall, testInstall } from '../fixtures/test-install.ts'

let app: TestInstall
let gitlab: GitServer
let forge: GitServer

type Applied = { libraries: { id: string; change: string }[]; jobs: number[] }

const readme = (words: string) => ({ 'README.md': `# Widgets\n\n${words}\n` })

beforeAll(async () => {
  app = await testInstall()
  gitlab = await startGitServer()
  forge = await startGitServer()
  await app.git.create('acme/widgets', { files: readme('Turn the lever of the first host.') })
  await gitlab.create('acme/widgets', { files: readme('Turn the crank of the second host.'), tags: ['v1.0'] })
  await gitlab.create('group/sub/tool', { files: readme('Pull the rope of the group.'), tags: ['v2/0'] })
  await forge.create('acme/widgets', { files: readme('Push the button of the third host.') })
  app.app.settings.change({
    'gitlab.baseUrl': gitlab.url,
    'git.hosts': [{ name: 'forge', kind: 'gitea', baseUrl: forge.url }],
  })
  await app.parse('acme/widgets')
})
afterAll(async () => {
  await app.close()
  await Promise.all([gitlab.close(), forge.close()])
})

const add = (repoUrl: string, more = {}) => app.call('POST', '/api/parse', { repoUrl, ...more })
const added = async (repoUrl: string, more = {}) => {
  const { body } = await add(repoUrl, more)
  expect(await app.ended(Number(body.queueId))).toMatchObject({ state: 'done' })
  return body.project
}

describe('libraries with one owner and name', () => {
  test('are added from three hosts, and each is asked by its own id', async () => {
    expect(await added(`${gitlab.url}/acme/widgets`, { versions: ['v1.0'] })).toBe('/gitlab/acme~widgets')
    expect(await added(`${forge.url}/acme/widgets`)).toBe('/forge/acme~widgets')
    expect(await app.context('/acme/widgets', 'turn the lever')).toContain('lever of the first host')
    expect(await app.context('/gitlab/acme~widgets', 'turn the crank')).toContain('crank of the second host')
    expect(await app.context('/gitlab/acme~widgets@1.0', 'turn the crank')).toContain('crank of the second host')
    expect(await app.context('/GitLab/Acme~Widgets/v1.0', 'turn the crank')).toContain('crank of the second host')
    expect(await app.context('/forge/acme~widgets', 'push the button')).toContain('button of the third host')
  })

  test('keep their ids when they are added again, also without the other', async () => {
    expect(await added(`${gitlab.url}/acme/widgets`, { versions: ['v1.0'] })).toBe('/gitlab/acme~widgets')
    await app.call('DELETE', '/api/projects/acme/widgets')
    expect(await added(`${gitlab.url}/acme/widgets`, { versions: ['v1.0'] })).toBe('/gitlab/acme~widgets')
    expect(await added(`${app.git.url}/acme/widgets`)).toBe('/acme/widgets')
  })

  test('are declared in one file, which changes nothing when it is applied again', async () => {
    for (const git of [app.git, gitlab]) await git.create('pair/one', { files: readme('A pair.') })
    const file = `libraries:\n${[app.git.url, gitlab.url].map((url) => `  - url: ${url}/pair/one\n`).join('')}`
    const apply = async () => (await app.call('POST', '/api/gitops/apply', { file })).body as unknown as Applied
    const first = await apply()
    expect(first.libraries.map(({ id, change }) => `${id} ${change}`)).toEqual(['/pair/one added', '/gitlab/pair~one added'])
    for (const id of first.jobs) expect(await app.ended(id)).toMatchObject({ state: 'done' })
    expect((await apply()).libraries.map(({ change }) => change)).toEqual(['unchanged', 'unchanged'])
  })
})

describe('the longer id of a library whose id is the shorter', () => {
  beforeAll(async () => {
    expect(await added(`${gitlab.url}/group/sub/tool`, { versions: ['v2/0'] })).toBe('/group~sub/tool')
  })

  test('is accepted in queries, paths, versions and bodies', async () => {
    expect(await app.context('/gitlab/group~sub~tool', 'pull the rope')).toContain('rope of the group')
    expect(await app.context('/gitlab/group~sub~tool@v2~0', 'pull the rope')).toContain('rope of the group')
    const answers = await Promise.all(
      [
        '/api/projects/gitlab/group~sub~tool',
        '/api/projects/gitlab/group~sub~tool@v2~0',
        '/api/projects/gitlab/group~sub~tool/pages',
        '/api/projects/gitlab/group~sub~tool/source',
        '/api/projects/gitlab/group~sub~tool/versions',
        '/api/v2/libs/gitlab/group~sub~tool@v2~0/pages',
        '/api/v2/libs/metrics?libraryId=/gitlab/group~sub~tool',
        '/api/jobs?project=/gitlab/group~sub~tool',
        '/api/usage?libraryId=/gitlab/group~sub~tool',
      ].map(async (path) => ({ path, ...(await app.call('GET', path)) })),
    )
    expect(answers.filter(({ status }) => status !== 200)).toEqual([])
    expect(answers[0]?.body).toMatchObject({ id: '/group~sub/tool' })
    expect(answers[7]?.body.total).toBe(1)
    const several = '/gitlab/group~sub~tool,/forge/acme~widgets'
    const both = await app.call('GET', `/api/v2/context?libraryIds=${several}&query=rope%20or%20button&type=json`)
    expect(JSON.stringify(both.body)).toContain('rope of the group')
    const hook = await app.call('POST', '/api/hooks', { kind: 'gitlab', library: '/gitlab/group~sub~tool' })
    expect(hook).toMatchObject({ status: 201, body: { library: '/group~sub/tool' } })
    const exported = await app.ask('/api/export', {
      method: 'POST',
      key: app.keys.admin,
      headers: { 'content-type': 'application/json' },
      body: JSON.stringify({ libraries: ['/gitlab/group~sub~tool'] }),
    })
    expect(exported.status).toBe(200)
    await exported.arrayBuffer()
  })

  test('is accepted by the tools of MCP', async () => {
    const client = new Client({ name: 'test', version: '1' })
    await client.connect(new StreamableHTTPClientTransport(new URL(`${app.url}/mcp`)))
    const call = async (name: string, more: Record<string, string>) =>
      JSON.stringify(await client.callTool({ name, arguments: { libraryId: '/gitlab/group~sub~tool', ...more } }))
    expect(await call('query-docs', { query: 'pull the rope' })).toContain('rope of the group')
    expect(await call('list-pages', {})).toContain('README.md')
    expect(await call('read-page', { path: 'README.md' })).toContain('rope of the group')
    await client.close()
  })

  test('names no library of another host', async () => {
    const answer = await app.call('GET', '/api/v2/context?libraryId=/forge/group~sub~tool&query=rope')
    expect(answer).toMatchObject({ status: 404, body: { error: 'library_not_found' } })
    expect(answer.body.message).toContain('/forge/group~sub~tool is not in this install')
  })

  test('answers a hidden library like a missing one', async () => {
    app.app.catalog.setPrivate({ owner: 'group~sub', repo: 'tool' }, true)
    app.app.settings.change({ 'permissions.hidePrivate': true })
    const said = async (name: string) => {
      const { status, body } = await app.json(`/api/v2/context?libraryId=/gitlab/group~sub~${name}&query=rope`)
      return { status, text: JSON.stringify(body).replaceAll(name, 'NAME') }
    }
    expect(await said('tool')).toEqual(await said('none'))
    app.app.settings.change({ 'permissions.hidePrivate': false })
    app.app.catalog.setPrivate({ owner: 'group~sub', repo: 'tool' }, false)
  })

  test('refreshes and deletes the library', async () => {
    const { body } = await app.call('POST', '/api/projects/gitlab/group~sub~tool/refresh')
    expect(body).toMatchObject({ project: '/group~sub/tool' })
    await app.ended(Number(body.queueId))
    expect(await app.call('DELETE', '/api/projects/gitlab/group~sub~tool')).toMatchObject({ status: 200 })
    expect((await app.call('GET', '/api/projects/group~sub/tool')).status).toBe(404)
  })
})

test.each(['/gitlab/~widgets', '/gitlab/acme~', '/gitlab/acme~..', '/gitlab/acme~wid gets', '/gitlab/a~b@v1/v2'])(
  'the id %s finds nothing',
  async (libraryId) => {
    const { status } = await app.call('GET', `/api/v2/context?${new URLSearchParams({ libraryId, query: 'x' })}`)
    expect([400, 404]).toContain(status)
  },
)
