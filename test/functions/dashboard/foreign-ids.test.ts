import { afterAll, beforeAll, expect, test, vi } from 'vitest'
import type { Teamspace } from '../../../functions/access/teamspaces.ts'
import { type Person, type TestDashboard, testDashboard } from '../../fixtures/test-dashboard.ts'
import type { Row } from './access-table.ts'
import { rows } from './access-table-tests.ts'

/** Ids of a teamspace, by the name of their path parameter or the folder before it. */
type Ids = Record<'library' | 'members' | 'invites' | 'keys' | 'licenses' | 'exports' | 'selections' | 'sessions', string>

/** The library, and bodies that are valid. */
const bodies: Record<string, (library: string) => unknown> = {
  'PATCH …/members/:user': () => ({ role: 'admin' }),
  'PATCH …/libraries/:owner/:repo/source': () => ({ folders: ['docs'] }),
  'PATCH …/licenses/:id/policy': () => ({ libraryFilters: { mode: 'quality' } }),
  'POST …/licenses/:id/policy/preview': () => ({ libraryFilters: { mode: 'quality' } }),
  'PUT …/rules/:owner/:repo': () => ({ rules: ['Be brief.'] }),
  'PUT …/selections/:id': (library) => ({ name: 'Mine', libraries: [library] }),
  'POST …/exports': (library) => ({ libraries: [library] }),
  'POST …/policy/preview': (library) => ({ libraryFilters: { mode: 'select', select: { allowedLibraries: [library] } } }),
  'PATCH …/policy': (library) => ({ libraryFilters: { mode: 'select', select: { allowedLibraries: [library] } } }),
}

let dashboard: TestDashboard
let own: Teamspace
let vault: Teamspace
let foreign: Ids
const unknown: Ids = {
  library: '/vault/nosuch',
  members: '0'.repeat(64),
  invites: '0'.repeat(36),
  keys: '0'.repeat(36),
  licenses: 'license-of-none',
  exports: '00000000-0000-4000-8000-000000000000',
  selections: 'selection-of-none',
  sessions: '0'.repeat(64),
}

beforeAll(async () => {
  dashboard = await testDashboard()
  own = await dashboard.teamspace('Acme', { owner: 'owner' })
  vault = await dashboard.teamspace('Vault', { keeper: 'owner' })
  const { git, run } = dashboard.hosted
  const files = { 'README.md': '# Secret\n\nTurn the lever.\n' }
  await git.create('vault/secret', { files, private: '*:token-of-vault' })
  await git.create('vault/open', { files })
  await dashboard.hosted.add('vault/open')
  for (const teamspace of ['Acme', 'Vault'])
    await run('recordLicense', {
      id: `license-of-${teamspace.toLowerCase()}`,
      customer: teamspace,
      kind: 'offline',
      teamspace,
      expiresAt: '2099-01-01T00:00:00.000Z',
    })
  const keeper = await dashboard.signIn('keeper')
  const made = async (method: string, path: string, body: unknown) => {
    const answer = await keeper.ask<{ id: string }>(method, `/api/teamspaces/${vault.id}${path}`, body)
    expect(answer.status, `${method} ${path}`).toBeLessThan(300)
    return answer.body.id
  }
  await made('PUT', '/git-tokens/github', { token: 'token-of-vault' })
  await made('POST', '/libraries', { repoUrl: `${git.url}/vault/secret`, private: true })
  await vi.waitFor(
    async () => expect(await run('progress', { library: '/vault/secret' })).toMatchObject({ active: false }),
    60_000,
  )
  foreign = {
    library: '/vault/secret',
    members: keeper.user.id,
    invites: await made('POST', '/invites', { email: 'guest@example.com', role: 'developer' }),
    keys: await made('POST', '/keys', { name: 'ci' }),
    licenses: 'license-of-vault',
    exports: await made('POST', '/exports', { libraries: ['/vault/open'] }),
    selections: await made('PUT', '/selections/selection-of-vault', { name: 'Ours', libraries: ['/vault/open'] }),
    sessions: await sessionOf(keeper),
  }
})
afterAll(() => dashboard.close())

const sessionOf = async (person: Person) =>
  (await person.ask<{ sessions: { id: string }[] }>('GET', '/api/sessions')).body.sessions[0]?.id ?? ''

const nameOf = ({ route }: Row) => route.replace('/api/teamspaces/:team', '…')
/** An invitation is found by its secret, not by its id. */
const hasId = (row: Row) => /:(owner|user|id)\b/.test(row.route) || nameOf(row) in bodies

function pathWith({ route }: Row, ids: Ids): string {
  const path = route.replace(/^\w+ /, '').replace(':team', own.id).replace('/:owner/:repo', ids.library)
  return path
    .replace(/(\w+)\/:(user|id)\b/, (_, folder: keyof Ids) => `${folder}/${ids[folder]}`)
    .replace(':path{.+}', 'README.md')
}

async function answerWith(row: Row, ids: Ids): Promise<string> {
  const owner = await dashboard.signIn('owner')
  const query = row.path.includes('?') ? row.path.slice(row.path.indexOf('?')) : ''
  const body = bodies[nameOf(row)]?.(ids.library)
  const response = await owner.send(row.route.split(' ')[0] ?? '', pathWith(row, ids) + query, body)
  const text = Object.values(ids).reduce((shown, id) => shown.replaceAll(id, 'ID'), await response.text())
  return `${response.status} ${text.replace(/"updatedAt":"[^"]*"/, '')}`
}

test.each(rows.filter(hasId))('the route $route answers ids of another teamspace like unknown ones', async (row) => {
  expect(await answerWith(row, foreign)).toBe(await answerWith(row, unknown))
})

test('a repository that another teamspace reads with its token cannot be added, like one that does not exist', async () => {
  const owner = await dashboard.signIn('owner')
  const answers = []
  for (const name of ['secret', 'nosuch'])
    for (const isPrivate of [false, true]) {
      const body = { repoUrl: `${dashboard.hosted.git.url}/vault/${name}`, private: isPrivate }
      const answer = await owner.ask<{ error: string; message: string }>('POST', `/api/teamspaces/${own.id}/libraries`, body)
      answers.push(`${answer.status} ${answer.body.error} ${answer.body.message.replaceAll(name, 'NAME')}`)
    }
  expect(answers.slice(2)).toEqual(answers.slice(0, 2))
  expect(answers.every((answer) => /^4/.test(answer))).toBe(true)
})

test('nothing of the other teamspace has changed', async () => {
  const keeper = await dashboard.signIn('keeper')
  const read = async (path: string) => JSON.stringify((await keeper.ask('GET', `/api/teamspaces/${vault.id}${path}`)).body)
  expect(await read('/members')).toContain(foreign.members)
  expect(await read('/invites')).toContain(foreign.invites)
  expect(await read('/keys')).toContain(`"id":"${foreign.keys}"`)
  expect(await read('/keys')).not.toContain('"revokedAt":"')
  expect(await read('/libraries')).toContain(foreign.library)
  expect(await read('/licenses/license-of-vault/policy')).toContain('"mode":null')
  expect(await read('/selections/selection-of-vault')).toContain('"name":"Ours"')
  expect(await read(`/exports/${foreign.exports}`)).toContain('"state":"built"')
  expect((await read('/rules')).includes('Be brief.')).toBe(false)
})
