import { afterAll, beforeAll, describe, expect, onTestFinished, test } from 'vitest'
import { createUser } from '../../fixtures/create-user.ts'
import { groupUrn, patchUrn, type ScimClient, scimClient, scimToken, userUrn } from '../../fixtures/scim.ts'
import { signIn } from '../../fixtures/sign-in.ts'
import { type TestInstall, testInstall } from '../../fixtures/test-install.ts'
import { methodOf, routes } from '../routes.ts'

let install: TestInstall
let corp: ScimClient
let ann: string
let docs: string

beforeAll(async () => {
  install = await testInstall()
  corp = await providerOf('corp')
  ann = await corp.createUser('ann')
  docs = await corp.createGroup('docs', [ann])
})
afterAll(() => install.close())

const providerOf = (name: string) => scimClient(install, name)
const filtered = (filter: string, path = '/Users') => corp.scim('GET', `${path}?filter=${encodeURIComponent(filter)}`)

describe('a token', () => {
  const below = routes.filter(({ route }) => route.includes('/scim/'))
  const send = (route: (typeof routes)[number], headers: Record<string, string>) =>
    install.ask(route.path.replace('/missing/', '/corp/'), {
      method: methodOf(route),
      headers: { 'content-type': 'application/json', ...headers },
      ...(route.body !== undefined && { body: route.body }),
    })

  test.each(below)('$route is closed to every caller without the token of its issuer', async (route) => {
    const pair = { username: 'mia', password: 'a long password' }
    await createUser(install, { ...pair, role: 'admin' })
    const callers: Record<string, string>[] = [
      {},
      { cookie: await signIn(install, pair), origin: install.url },
      ...[install.keys.admin, install.keys.member, 'x', scimToken, 'corp'].map((token) => ({ authorization: `Bearer ${token}` })),
    ]
    for (const headers of callers) {
      // Wrong tokens are limited.
      install.app.attempts.take = () => undefined
      const answer = await send(route, headers)
      expect([answer.status, answer.headers.get('www-authenticate')]).toEqual([401, 'Bearer realm="carrel"'])
      expect(await answer.json()).toMatchObject({ schemas: ['urn:ietf:params:scim:api:messages:2.0:Error'], status: '401' })
    }
  })

  test.each(below)('$route looks like a missing one while the issuer has no token', async (route) => {
    const [one, missing] = [await send(route, {}), await install.ask('/scim/v2/missing/None', { method: methodOf(route) })]
    expect(one.status).toBe(401)
    install.app.settings.change({ 'sso.issuers.corp.scimToken': null })
    onTestFinished(() => void install.app.settings.change({ 'sso.issuers.corp.scimToken': `corp-${scimToken}` }))
    const closed = await send(route, { authorization: `Bearer corp-${scimToken}` })
    expect(closed.status).toBe(404)
    const without = (text: string) => text.replace(/There is no .*"/, '')
    expect(without(await closed.text())).toBe(without(await missing.text()))
  })

  test('a token of another issuer opens nothing', async () => {
    const other = await providerOf('other')
    expect((await other.scim('GET', '/Users')).status).toBe(200)
    expect((await corp.scim('GET', '/Users', undefined, `other-${scimToken}`)).status).toBe(401)
  })

  test('a token is at least 32 characters long, and is only shown by its end', async () => {
    const set = (token: string) => install.call('PATCH', '/api/settings', { 'sso.issuers.corp.scimToken': token })
    expect(await set('x'.repeat(31))).toMatchObject({ status: 400, body: { message: expect.stringContaining('at least 32') } })
    expect((await set(`corp-${scimToken}`)).body).toMatchObject({ 'sso.issuers.corp.scimToken': { set: true, last4: 'suer' } })
  })

  test('a token is dropped when the address of the issuer changes, and its groups with it', async () => {
    const moved = await providerOf('moved')
    await moved.createGroup('docs', [await moved.createUser('mo')])
    const others = install.app.settings.get('sso.issuers').filter(({ name }) => name !== 'moved')
    const entry = install.app.settings.get('sso.issuers').find(({ name }) => name === 'moved')
    const issuer = 'http://127.0.0.1:9/elsewhere'
    expect(install.app.settings.change({ 'sso.issuers': [...others, { ...entry, issuer }] }).dropped).toContain(
      'sso.issuers.moved.scimToken',
    )
    expect((await moved.scim('GET', '/Users')).status).toBe(404)
    install.app.settings.change({ 'sso.issuers.moved.scimToken': `moved-${scimToken}` })
    for (const path of ['/Users', '/Groups']) expect((await moved.scim('GET', path)).body).toMatchObject({ totalResults: 0 })
    expect(install.app.groups.list().map(({ name }) => name)).not.toContain('moved:docs')
  })

  test('wrong tokens of one address are limited and audited', async () => {
    const fresh = await testInstall()
    onTestFinished(fresh.close)
    const provider = await scimClient(fresh)
    const statuses = []
    for (let tries = 0; tries < 61; tries++) statuses.push((await provider.scim('GET', '/Users', undefined, 'wrong')).status)
    expect(new Set(statuses.slice(0, 60))).toEqual(new Set([401]))
    expect(statuses.at(-1)).toBe(429)
    expect((await provider.scim('GET', '/Users')).status).toBe(200)
    expect(fresh.app.audit.list(1, 1, { action: 'scim.refuse' }).entries).toMatchObject([
      { actor: 'anonymous', subject: 'issuer corp' },
    ])
  })
})

describe('a user or group of somebody else', () => {
  test('a user or group of another issuer does not exist', async () => {
    const other = await providerOf('strange')
    const [user, group] = [await other.createUser('ann'), await other.createGroup('docs')]
    for (const [path, id] of [
      ['Users', user],
      ['Groups', group],
    ] as const) {
      expect((await corp.scim('GET', `/${path}/${id}`)).status).toBe(404)
      expect((await corp.scim('DELETE', `/${path}/${id}`)).status).toBe(404)
      expect((await corp.patch(`/${path}/${id}`, { op: 'replace', value: { active: false } })).status).toBe(404)
      const body = { schemas: [userUrn], userName: 'x', displayName: 'x' }
      expect((await corp.scim('PUT', `/${path}/${id}`, body)).status).toBe(404)
      expect((await filtered(`id eq "${id}"`, `/${path}`)).body).toMatchObject({ totalResults: 0 })
    }
    expect(await corp.patch(`/Groups/${docs}`, { op: 'add', path: 'members', value: [{ value: user }] })).toMatchObject({
      status: 400,
      body: { scimType: 'invalidValue' },
    })
    expect((await corp.patch(`/Groups/${docs}`, { op: 'remove', path: `members[value eq "${user}"]` })).status).toBe(204)
    expect(install.app.users.find(user)).toBeUndefined()
    expect((await other.scim('GET', `/Users/${user}`)).body).toMatchObject({ active: true })
  })

  test('a local user is neither found nor changed, also by the id of the user', async () => {
    const id = await createUser(install, { username: 'local', password: 'a long password' })
    expect((await corp.scim('GET', `/Users/${id}`)).status).toBe(404)
    expect((await corp.setActive(id, false)).status).toBe(404)
    expect((await filtered('userName eq "local"')).body).toMatchObject({ totalResults: 0 })
    expect((await corp.patch(`/Groups/${docs}`, { op: 'add', path: 'members', value: [{ value: id }] })).status).toBe(400)
    const made = await corp.createUser('local', { externalId: id })
    expect((await corp.scim('GET', `/Users/${made}`)).body).toMatchObject({ userName: 'local' })
    expect(
      install.app.users
        .list()
        .filter(({ username }) => username.startsWith('local'))
        .map(({ username }) => username),
    ).toEqual(['local', 'local-2'])
  })

  test('a local group is never one of an issuer, whatever its name is', async () => {
    install.app.groups.create('team')
    await corp.createGroup('team', [ann])
    expect(install.app.groups.members('team')).toEqual([])
  })
})

describe('a filter', () => {
  test.each([
    'userName sw "a"',
    'userName eq "a" or userName eq "b"',
    'not (userName eq "a")',
    'name.familyName eq "a"',
    'password eq "a"',
    '__proto__ eq "a"',
    'constructor eq "a"',
    'userName eq',
    'userName',
    'userName eq ann',
    'userName eq "a',
    'userName eq "a" and',
    'userName eq "\\x"',
    'emails[type eq "work"',
    'emails[type eq "work" and value eq "a"].value eq "b"',
    '(userName eq "a")',
    `${'('.repeat(1_500)}userName eq "a"`,
    Array.from({ length: 50 }, () => 'userName eq "a"').join(' and '),
    `userName eq "${'a'.repeat(10_000)}"`,
    '',
    '   ',
    "userName eq 'a' --",
  ])('the filter %s is rejected', async (filter) => {
    for (const path of ['/Users', '/Groups'])
      expect(await filtered(filter, path)).toMatchObject({ status: 400, body: { scimType: 'invalidFilter', status: '400' } })
  })

  test('a filter of a megabyte is rejected before it is read', async () => {
    expect((await fetch(`${install.url}/scim/v2/corp/Users?filter=${'a'.repeat(2 ** 20)}`)).status).toBe(431)
  })

  test('a filter is no SQL and takes escapes as JSON does', async () => {
    for (const value of ['x" OR "1"="1', "x' OR '1'='1", '%', '_nn', '*'])
      expect((await filtered(`userName eq ${JSON.stringify(value)}`)).body).toMatchObject({ totalResults: 0 })
    expect((await filtered('userName eq "\\u0061nn"')).body).toMatchObject({ totalResults: 1 })
  })
})

test.each([
  'startIndex=NaN',
  'count=NaN',
  'count=1e3',
  'count=1.5',
  'startIndex=99999999999999999999',
  'count=1&count=2',
  'count=',
])('the page %s is rejected', async (query) => {
  expect(await corp.scim('GET', `/Users?${query}`)).toMatchObject({ status: 400, body: { scimType: 'invalidValue' } })
})

describe('a body', () => {
  const user = { schemas: [userUrn], userName: 'bad' }
  test.each([
    ['no object', '[]'],
    ['no JSON', '{'],
    ['null', 'null'],
    ['without schemas', { userName: 'bad' }],
    ['of another core schema', { ...user, schemas: ['urn:ietf:params:scim:schemas:core:3.0:User'] }],
    ['of the schema of groups', { ...user, schemas: [groupUrn] }],
    ['of both core schemas', { ...user, schemas: [userUrn, groupUrn] }],
    ['without userName', { schemas: [userUrn] }],
    ['with an empty userName', { ...user, userName: ' ' }],
    ['with a number as userName', { ...user, userName: 7 }],
    ['with a very long userName', { ...user, userName: 'x'.repeat(257) }],
    ['with a control character', { ...user, userName: 'a\nb' }],
    ['with an object as externalId', { ...user, externalId: {} }],
    ['with a word as active', { ...user, active: 'yes' }],
    ['with a number as active', { ...user, active: 0 }],
  ])('a body %s is rejected with the reason', async (_, body) => {
    const answer = await corp.scim('POST', '/Users', body)
    expect(answer).toMatchObject({ status: 400, body: { status: '400', detail: expect.stringMatching(/\.$/) } })
    expect((await filtered('userName eq "bad"')).body).toMatchObject({ totalResults: 0 })
  })

  test('a body above a megabyte or of another type is rejected', async () => {
    const large = { ...user, nickName: 'x'.repeat(2 ** 20) }
    expect(await corp.scim('POST', '/Users', large)).toMatchObject({ status: 413, body: { status: '413' } })
    const text = {
      method: 'POST',
      headers: { authorization: `Bearer corp-${scimToken}`, 'content-type': 'text/plain' },
      body: '{}',
    }
    expect((await install.ask('/scim/v2/corp/Users', text)).status).toBe(400)
  })

  test('a deeply nested attribute that is unknown is ignored', async () => {
    const depth = 100_000
    const body = `{"schemas":["${userUrn}"],"userName":"deep","__proto__":{"active":false},"x":${'['.repeat(depth)}${']'.repeat(depth)}}`
    expect(await corp.scim('POST', '/Users', body)).toMatchObject({ status: 201, body: { active: true } })
  })

  test('names of attributes ignore case', async () => {
    const made = await corp.scim('POST', '/Users', {
      SCHEMAS: [userUrn.toUpperCase()],
      USERNAME: 'Cased',
      EXTERNALID: 'c',
      Active: 'FALSE',
    })
    expect(made).toMatchObject({ status: 201, body: { userName: 'Cased', externalId: 'c', active: false } })
  })
})

describe('a PATCH', () => {
  test.each([
    [{ op: 'remove' }, 'noTarget'],
    [{ op: 'replace', path: 'members[', value: 'x' }, 'invalidPath'],
    [{ op: 'replace', path: 'members[value eq "x"]]', value: 'x' }, 'invalidPath'],
    [{ op: 'replace', path: 7, value: 'x' }, 'invalidPath'],
    [{ op: 'add', path: 'members[value eq "x"]', value: [] }, 'invalidPath'],
    [{ op: 'remove', path: 'members[display eq "x"]' }, 'invalidPath'],
    [{ op: 'replace', path: 'displayName' }, 'invalidValue'],
    [{ op: 'replace', value: 'x' }, 'invalidValue'],
    [{ op: 'replace', path: 'id', value: 'x' }, 'mutability'],
    [{ op: 'replace', value: { id: 'x' } }, 'mutability'],
    [{ op: 'remove', path: 'displayName' }, 'mutability'],
    [{ op: 'replace', path: 'meta.created', value: 'x' }, 'mutability'],
    [{ op: 'add', path: 'members', value: [{ value: 'missing' }] }, 'invalidValue'],
    [{ op: 'add', path: 'members', value: [{ display: 'x' }] }, 'invalidValue'],
    ['x', 'invalidSyntax'],
  ])('the operation %j is rejected as %s and changes nothing', async (operation, scimType) => {
    const before = (await corp.scim('GET', `/Groups/${docs}`)).body
    const rename = { op: 'replace', path: 'displayName', value: 'changed' }
    const answer = await corp.scim('PATCH', `/Groups/${docs}`, { schemas: [patchUrn], Operations: [rename, operation] })
    expect(answer).toMatchObject({ status: 400, body: { scimType } })
    expect((await corp.scim('GET', `/Groups/${docs}`)).body).toEqual(before)
  })

  test('a PATCH with ten thousand operations is one change', async () => {
    const many = Array.from({ length: 10_000 }, (_, n) => ({
      op: n % 2 ? 'add' : 'remove',
      path: 'members',
      value: [{ value: ann }],
    }))
    const before = install.app.audit.head().id
    expect((await corp.patch(`/Groups/${docs}`, ...many)).status).toBe(204)
    expect(install.app.audit.head().id).toBe(before + 1)
    expect((await corp.scim('GET', `/Groups/${docs}`)).body.members).toMatchObject([{ value: ann }])
  })
})

test('requests at the same time create one user, and no change of members is lost', async () => {
  const body = { schemas: [userUrn], userName: 'once', externalId: 'once' }
  const created = await Promise.all(Array.from({ length: 50 }, () => corp.scim('POST', '/Users', body)))
  expect(created.map(({ status }) => status).sort()).toEqual([201, ...Array(49).fill(409)])
  const ids = await Promise.all(Array.from({ length: 50 }, (_, n) => corp.createUser(`member-${n}`)))
  const group = await corp.createGroup('many')
  await Promise.all(ids.map((value) => corp.patch(`/Groups/${group}`, { op: 'Add', path: 'members', value: [{ value }] })))
  const { members } = (await corp.scim('GET', `/Groups/${group}`)).body as unknown as { members: { value: string }[] }
  expect(members.map(({ value }) => value).sort()).toEqual([...ids].sort())
})

test('a group of more than ten thousand members is rejected as a whole', async () => {
  const { provisionedUsers, users, atomically } = install.app
  const issuer = String(install.app.settings.get('sso.issuers')[0]?.issuer)
  const ids = atomically(() =>
    Array.from({ length: 10_001 }, (_, n) =>
      provisionedUsers.add(issuer, users.createUnbound({ username: `many-${n}`, role: 'member' }), {
        userName: `many-${n}`,
        externalId: null,
      }),
    ),
  )
  const put = (members: string[]) =>
    corp.scim('PUT', `/Groups/${docs}`, {
      schemas: [groupUrn],
      displayName: 'docs',
      members: members.map((value) => ({ value })),
    })
  expect((await put(ids.slice(1))).status).toBe(200)
  const one = await corp.patch(`/Groups/${docs}`, { op: 'add', path: 'members', value: [{ value: ids[0] }] })
  expect(one).toMatchObject({ status: 400, body: { detail: 'A group has at most 10000 members.' } })
  expect(install.app.groups.members('corp:docs')).toHaveLength(10_000)
  expect((await corp.scim('GET', '/Groups?excludedAttributes=members')).body.Resources.some(({ members }) => members)).toBe(false)
})

test('a page of users or groups is read by as many queries as a single one', async () => {
  const { provisionedGroups } = install.app
  const { groupsOf, membersOf } = provisionedGroups
  const read: string[] = []
  provisionedGroups.groupsOf = (ids) => {
    read.push('groups')
    return groupsOf(ids)
  }
  provisionedGroups.membersOf = (ids) => {
    read.push('members')
    return membersOf(ids)
  }
  for (const path of ['/Users?count=200', `/Users/${ann}`, '/Groups', `/Groups/${docs}`]) await corp.scim('GET', path)
  await corp.scim('GET', '/Users?attributes=userName')
  await corp.scim('GET', '/Groups?excludedAttributes=members')
  Object.assign(provisionedGroups, { groupsOf, membersOf })
  expect(read).toEqual(['groups', 'groups', 'members', 'members'])
})

test('rules see a new member and a renamed or deleted group from the next request on', async () => {
  const { libraryRules, groups } = install.app
  const user = await corp.createUser('reader')
  const userId = install.app.users.list().find(({ username }) => username === 'reader')?.id ?? ''
  const { key } = install.app.keys.create({ name: 'reader', role: 'member', userId })
  libraryRules.set({ pattern: '/secret/*', access: 'restricted', groups: ['corp:readers'], users: [] })
  onTestFinished(() => libraryRules.remove('/secret/*'))
  const mayRead = async () => {
    const answer = await install.json('/api/parse', { method: 'POST', key, body: { repoUrl: `${install.git.url}/secret/docs` } })
    return answer.status !== 403
  }
  expect(await mayRead()).toBe(false)
  const group = await corp.createGroup('readers')
  expect(await mayRead()).toBe(false)
  await corp.patch(`/Groups/${group}`, { op: 'add', path: 'members', value: [{ value: user }] })
  expect(await mayRead()).toBe(true)
  await corp.patch(`/Groups/${group}`, { op: 'replace', path: 'displayName', value: 'others' })
  expect(await mayRead()).toBe(false)
  await corp.patch(`/Groups/${group}`, { op: 'replace', path: 'displayName', value: 'readers' })
  expect(await mayRead()).toBe(true)
  await corp.scim('DELETE', `/Groups/${group}`)
  expect(await mayRead()).toBe(false)
  expect(groups.groupsOf(userId)).toEqual(new Set())
})

test('every change is recorded with the issuer as its actor', async () => {
  const before = install.app.audit.head().id
  const user = await corp.createUser('audited')
  await corp.patch(`/Users/${user}`, { op: 'replace', value: { userName: 'renamed', externalId: 'e', active: false } })
  await corp.setActive(user, false)
  const group = await corp.createGroup('audited', [user])
  await corp.patch(`/Groups/${group}`, { op: 'replace', path: 'displayName', value: 'other' })
  await corp.scim('DELETE', `/Groups/${group}`)
  await corp.scim('DELETE', `/Users/${user}`)
  const entries = install.app.audit.after(before, 100)
  expect(entries.map(({ actor, address, action, subject }) => [actor, address, action, subject])).toEqual(
    [
      ['user.create', 'audited'],
      ['user.username', 'renamed'],
      ['user.externalId', 'renamed'],
      ['user.disabled', 'renamed'],
      ['group.create', 'corp:audited'],
      ['group.members', 'corp:audited'],
      ['group.rename', 'corp:audited to corp:other'],
      ['group.delete', 'corp:other'],
      ['user.delete', 'renamed'],
    ].map((entry) => ['scim corp', '127.0.0.1', ...entry]),
  )
})
