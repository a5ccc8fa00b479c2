import { beforeEach, expect, onTestFinished, test } from 'vitest'
import { enterpriseUrn, groupUrn, patchUrn, type ScimProvider, scimProvider, userUrn } from '../../fixtures/scim.ts'
import { type TestInstall, testInstall } from '../../fixtures/test-install.ts'

/** The bodies are those of "Develop and plan provisioning for a SCIM endpoint" and of the known issues of Microsoft Entra ID. */
let install: TestInstall
let entra: ScimProvider

beforeEach(async () => {
  install = await testInstall()
  onTestFinished(install.close)
  entra = await scimProvider(install, 'entra', { kind: 'entra' })
})

const externalId = '0a21f0f2-8d2a-4f8e-bf98-7363c4aed4ef'
const userName = 'Test_User_00aa00aa-bb11-cc22-dd33-44ee44ee44ee'
const newUser = {
  schemas: [userUrn, enterpriseUrn],
  externalId,
  userName,
  active: true,
  emails: [{ primary: true, type: 'work', value: 'Test_User_11bb11bb-cc22-dd33-ee44-55ff55ff55ff@testuser.com' }],
  meta: { resourceType: 'User' },
  name: { formatted: 'givenName familyName', familyName: 'familyName', givenName: 'givenName' },
  roles: [],
}
const newGroup = {
  schemas: [groupUrn, 'http://schemas.microsoft.com/2006/11/ResourceManagement/ADSCIM/2.0/Group'],
  externalId: '8aa1a0c0-c4c3-4bc0-b4a5-2ef676900159',
  displayName: 'displayName',
  meta: { resourceType: 'Group' },
}
const find = (path: string, filter: string, more = '') => entra.scim('GET', `${path}?${more}filter=${encodeURIComponent(filter)}`)

test('a user is created with what is used of them, and found by id, userName and externalId', async () => {
  const { status, headers, body } = await entra.scim('POST', '/Users', newUser)
  expect(status).toBe(201)
  expect(headers.get('content-type')).toBe('application/scim+json')
  expect(headers.get('location')).toBe(`${install.url}/scim/v2/entra/Users/${body.id}`)
  const user = {
    schemas: [userUrn],
    id: body.id,
    externalId,
    userName,
    active: true,
    groups: [],
    meta: {
      resourceType: 'User',
      location: headers.get('location'),
      created: expect.any(String),
      lastModified: expect.any(String),
    },
  }
  expect(body).toEqual(user)
  expect(await entra.scim('GET', `/Users/${body.id}`)).toMatchObject({ status: 200, body: user })
  for (const filter of [
    `userName eq "${userName}"`,
    `userName eq "${userName.toUpperCase()}"`,
    `USERNAME EQ "${userName}"`,
    `externalId eq "${externalId}"`,
    `id eq "${body.id}" and userName eq "${userName}"`,
    `${userUrn}:userName eq "${userName}"`,
  ])
    expect((await find('/Users', filter)).body, filter).toEqual({
      schemas: ['urn:ietf:params:scim:api:messages:2.0:ListResponse'],
      totalResults: 1,
      startIndex: 1,
      itemsPerPage: 1,
      Resources: [user],
    })
})

test.each([
  'userName eq "non-existent user"',
  'emails[type eq "work"].value eq "Test_User@testuser.com"',
  'emails.value eq "Test_User@testuser.com"',
])('the filter %s finds nobody', async (filter) => {
  await entra.scim('POST', '/Users', newUser)
  expect(await find('/Users', filter)).toMatchObject({ status: 200, body: { totalResults: 0, Resources: [] } })
})

test('a user who is missing is an error of SCIM', async () => {
  const { status, headers, body } = await entra.scim('GET', '/Users/5171a35d82074e068ce2')
  expect([status, headers.get('content-type')]).toEqual([404, 'application/scim+json'])
  expect(body).toEqual({
    schemas: ['urn:ietf:params:scim:api:messages:2.0:Error'],
    status: '404',
    detail: 'There is no user with this id.',
  })
})

test('attributes that are not stored are changed without an error', async () => {
  const { body } = await entra.scim('POST', '/Users', newUser)
  const changed = await entra.patch(
    `/Users/${body.id}`,
    { op: 'Replace', path: 'emails[type eq "work"].value', value: 'updatedEmail@microsoft.com' },
    { op: 'Replace', path: 'name.familyName', value: 'updatedFamilyName' },
    { op: 'Add', path: 'nickName', value: 'Babs' },
    { op: 'Replace', path: `${enterpriseUrn}:employeeNumber`, value: 'Eqpj' },
    { op: 'replace', value: { displayName: 'Bjfe', 'name.givenName': 'Kkom', [`${enterpriseUrn}:employeeNumber`]: 'Aklq' } },
  )
  expect(changed).toMatchObject({ status: 200, body: { ...body, meta: { resourceType: 'User' } } })
})

test('the name of a user changes, also that of the user here', async () => {
  const { body } = await entra.scim('POST', '/Users', newUser)
  const renamed = '5b50642d-79fc-4410-9e90-4c077cdd1a59@testuser.com'
  const changed = await entra.patch(`/Users/${body.id}`, { op: 'Replace', path: 'userName', value: renamed })
  expect(changed).toMatchObject({ status: 200, body: { userName: renamed } })
  expect(install.app.users.list().map(({ username }) => username)).toContain(renamed)
})

test.each([
  { op: 'Replace', path: 'active', value: 'False' },
  { op: 'replace', path: 'active', value: false },
  { op: 'Add', path: 'active', value: 'false' },
  { op: 'Replace', value: { active: 'False' } },
  { op: 'replace', path: `${userUrn}:active`, value: false },
])('a user is disabled by %j and enabled again', async (operation) => {
  const { body } = await entra.scim('POST', '/Users', newUser)
  const path = `/Users/${body.id}`
  expect(await entra.patch(path, operation)).toMatchObject({ status: 200, body: { active: false } })
  expect((await find('/Users', `userName eq "${userName}"`)).body).toMatchObject({
    totalResults: 1,
    Resources: [{ active: false }],
  })
  expect(await entra.patch(path, { op: 'Replace', path: 'active', value: 'True' })).toMatchObject({ body: { active: true } })
})

test('a user is deleted', async () => {
  const { body } = await entra.scim('POST', '/Users', newUser)
  expect((await entra.scim('DELETE', `/Users/${body.id}`)).status).toBe(204)
  expect((await entra.scim('GET', `/Users/${body.id}`)).status).toBe(404)
  expect((await entra.scim('DELETE', `/Users/${body.id}`)).status).toBe(404)
  expect(install.app.users.count()).toBe(1)
})

test('a group is created, found without its members and renamed', async () => {
  const { status, body } = await entra.scim('POST', '/Groups', newGroup)
  expect(status).toBe(201)
  expect(body).toMatchObject({ schemas: [groupUrn], externalId: newGroup.externalId, displayName: 'displayName', members: [] })
  const { members, ...withoutMembers } = body
  expect(await entra.scim('GET', `/Groups/${body.id}?excludedAttributes=members`)).toMatchObject({ body: withoutMembers })
  const found = await find('/Groups', 'displayName eq "displayName"', 'excludedAttributes=members&')
  expect(found.body.Resources).toEqual([withoutMembers])
  const value = '1879db59-3bdf-4490-ad68-ab880a269474updatedDisplayName'
  expect((await entra.patch(`/Groups/${body.id}`, { op: 'Replace', path: 'displayName', value })).status).toBe(204)
  expect((await entra.scim('GET', `/Groups/${body.id}`)).body).toMatchObject({ displayName: value })
  expect(install.app.groups.list()).toEqual([{ name: `entra:${value}`, issuer: 'entra', members: 0 }])
})

test('members are added and removed in each form', async () => {
  const ids = await Promise.all(['a', 'b', 'c'].map((name) => entra.createUser(name)))
  const [a, b, c] = ids as [string, string, string]
  const group = `/Groups/${await entra.createGroup('docs')}`
  const members = async () =>
    ((await entra.scim('GET', group)).body.members as { value: string }[]).map(({ value }) => value).sort()
  const send = async (operation: Record<string, unknown>) => {
    expect((await entra.patch(group, operation)).status).toBe(204)
    return members()
  }
  expect(await send({ op: 'Add', path: 'members', value: [{ $ref: null, value: a }] })).toEqual([a])
  expect(await send({ op: 'Add', path: 'members', value: [{ value: b }, { value: c }] })).toEqual([...ids].sort())
  expect(await send({ op: 'Remove', path: 'members', value: [{ $ref: null, value: a }] })).toEqual([b, c].sort())
  expect(await send({ op: 'remove', path: `members[value eq "${b}"]` })).toEqual([c])
  expect(await send({ op: 'remove', path: `members[value eq "${b}"]` })).toEqual([c])
  expect(await send({ op: 'replace', path: 'members', value: [{ value: a }, { value: b }] })).toEqual([a, b].sort())
  expect(await send({ op: 'add', value: { members: [{ value: c }] } })).toEqual([...ids].sort())
  expect(await send({ op: 'Remove', path: 'members' })).toEqual([])
})

test('a membership can be asked for', async () => {
  const user = await entra.createUser('ann')
  const group = await entra.createGroup('docs', [user])
  const asked = (member: string) => find('/Groups', `id eq "${group}" and members eq "${member}"`, 'attributes=id&')
  expect((await asked(user)).body.Resources).toEqual([{ schemas: [groupUrn], id: group }])
  expect((await asked(await entra.createUser('ben'))).body.Resources).toEqual([])
  expect((await entra.scim('GET', `/Users/${user}`)).body.groups).toMatchObject([{ value: group, display: 'docs' }])
})

test('a person is joined by oid, whatever the subject and the name are', async () => {
  const { body } = await entra.scim('POST', '/Users', newUser)
  const { cookie } = await entra.signIn({ sub: 'pairwise', oid: externalId, groups: [], preferred_username: 'other@example.com' })
  const session = await (await install.ask('/api/auth/session/get-session', { headers: { cookie: cookie ?? '' } })).json()
  expect(session).toMatchObject({ user: { username: userName.toLowerCase() } })
  expect((await entra.scim('GET', `/Users/${body.id}`)).body).toMatchObject({ externalId, active: true })
  expect(install.app.users.count()).toBe(2)
})

test('discovery describes what is stored', async () => {
  expect((await entra.scim('GET', '/ServiceProviderConfig')).body).toMatchObject({
    patch: { supported: true },
    bulk: { supported: false },
    filter: { supported: true, maxResults: 200 },
    authenticationSchemes: [{ type: 'oauthbearertoken' }],
  })
  const { body } = await entra.scim('GET', '/Schemas')
  expect(body.Resources.map(({ id, attributes }) => [id, (attributes as { name: string }[]).map(({ name }) => name)])).toEqual([
    [userUrn, ['userName', 'externalId', 'active', 'groups']],
    [groupUrn, ['displayName', 'externalId', 'members']],
  ])
  expect((await entra.scim('GET', `/Schemas/${userUrn}`)).body).toMatchObject({ id: userUrn, name: 'User' })
  expect((await entra.scim('GET', '/ResourceTypes')).body.Resources).toMatchObject([
    { id: 'User', endpoint: '/Users', schema: userUrn },
    { id: 'Group', endpoint: '/Groups', schema: groupUrn },
  ])
  expect((await entra.scim('GET', '/ResourceTypes/Group')).body).toMatchObject({ id: 'Group' })
  expect((await entra.scim('GET', '/ResourceTypes/Device')).status).toBe(404)
})

test('an unknown operation, a list without operations and another schema are rejected', async () => {
  const { body } = await entra.scim('POST', '/Users', newUser)
  const path = `/Users/${body.id}`
  const rejected = { status: 400, body: { scimType: 'invalidSyntax' } }
  expect(await entra.patch(path, { op: 'merge', path: 'active', value: true })).toMatchObject(rejected)
  expect(await entra.patch(path)).toMatchObject(rejected)
  expect(await entra.scim('PATCH', path, { schemas: [userUrn], Operations: [{ op: 'add' }] })).toMatchObject(rejected)
  expect(await entra.scim('PATCH', path, { schemas: [patchUrn] })).toMatchObject(rejected)
})
