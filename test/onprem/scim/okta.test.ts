import { beforeEach, expect, onTestFinished, test } from 'vitest'
import { groupUrn, type ScimProvider, scimProvider, userUrn } from '../../fixtures/scim.ts'
import { type TestInstall, testInstall } from '../../fixtures/test-install.ts'

/** The bodies are those of "Okta and SCIM Version 2.0". */
let install: TestInstall
let okta: ScimProvider

beforeEach(async () => {
  install = await testInstall()
  onTestFinished(install.close)
  okta = await scimProvider(install, 'okta', { kind: 'okta' })
})

const newUser = {
  schemas: [userUrn],
  userName: 'test.user@okta.local',
  name: { givenName: 'Test', familyName: 'User' },
  emails: [{ primary: true, value: 'test.user@okta.local', type: 'work' }],
  displayName: 'Test User',
  locale: 'en-US',
  externalId: '00ujl29u0le5T6Aj10h7',
  groups: [],
  password: '1mz050nq',
  active: true,
}

test('a user is found by userName before it is created', async () => {
  const search = () =>
    okta.scim('GET', `/Users?filter=${encodeURIComponent('userName eq "test.user@okta.local"')}&startIndex=1&count=100`)
  expect((await search()).body).toMatchObject({ totalResults: 0, startIndex: 1, itemsPerPage: 0, Resources: [] })
  const { status, body } = await okta.scim('POST', '/Users', newUser)
  expect(status).toBe(201)
  expect(body).toMatchObject({ userName: newUser.userName, externalId: newUser.externalId, active: true, groups: [] })
  expect((await search()).body).toMatchObject({ totalResults: 1, Resources: [{ id: body.id }] })
})

test('a password, a name and an address that are sent are stored nowhere', async () => {
  await okta.scim('POST', '/Users', { ...newUser, emails: [{ value: 'secret-address@okta.local' }] })
  const [user] = install.app.users.list().slice(1)
  expect(user).toMatchObject({ username: newUser.userName, role: 'member', issuer: okta.forging.issuer })
  expect(() => install.app.users.hashOf(user?.id ?? '')).toThrow('no password')
  expect(JSON.stringify(install.app.audit.list(1, 100))).not.toContain('secret-address')
})

test('a user who exists is a conflict', async () => {
  await okta.scim('POST', '/Users', newUser)
  for (const other of [{ externalId: 'other' }, { userName: 'other' }, { userName: 'TEST.USER@okta.local', externalId: 'other' }])
    expect(await okta.scim('POST', '/Users', { ...newUser, ...other })).toMatchObject({
      status: 409,
      body: { status: '409', scimType: 'uniqueness' },
    })
})

test('a user is put back with what Okta has read, without an externalId', async () => {
  const { body } = await okta.scim('POST', '/Users', newUser)
  const { externalId, ...rest } = newUser
  const put = await okta.scim('PUT', `/Users/${body.id}`, {
    ...rest,
    id: body.id,
    name: { givenName: 'Another', middleName: 'Excited', familyName: 'User' },
    meta: { resourceType: 'User' },
  })
  expect(put).toMatchObject({ status: 200, body: { id: body.id, externalId, active: true } })
})

test('a user is deactivated and activated by PATCH without a path, and by PUT', async () => {
  const { body } = await okta.scim('POST', '/Users', newUser)
  const id = String(body.id)
  expect(await okta.setActive(id, false)).toMatchObject({ status: 200, body: { active: false } })
  expect(await okta.setActive(id, true)).toMatchObject({ status: 200, body: { active: true } })
  expect(await okta.scim('PUT', `/Users/${id}`, { ...newUser, id, active: false })).toMatchObject({ body: { active: false } })
  expect(await okta.scim('PUT', `/Users/${id}`, { ...newUser, id })).toMatchObject({ body: { active: true } })
})

test('users and groups are listed in pages of the same order', async () => {
  for (const name of ['a', 'b', 'c']) {
    await okta.createUser(name)
    await okta.createGroup(name)
  }
  const page = async (query: string) => {
    const { body } = await okta.scim('GET', query)
    const names = body.Resources.map(({ userName, displayName }) => userName ?? displayName)
    return [body.totalResults, body.startIndex, body.itemsPerPage, names]
  }
  expect(await page('/Users?startIndex=1&count=2')).toEqual([3, 1, 2, ['a', 'b']])
  expect(await page('/Users?startIndex=3&count=2')).toEqual([3, 3, 1, ['c']])
  expect(await page('/Users?startIndex=0&count=0')).toEqual([3, 1, 0, []])
  expect(await page('/Users?startIndex=-5&count=-1')).toEqual([3, 1, 0, []])
  expect(await page('/Users?startIndex=9')).toEqual([3, 9, 0, []])
  expect(await page('/Users?count=999999')).toEqual([3, 1, 3, ['a', 'b', 'c']])
  expect(await page('/Groups?startIndex=2&count=100')).toEqual([3, 2, 2, ['b', 'c']])
})

test('a group is pushed, gets members, another name and other members', async () => {
  const [one, two] = [await okta.createUser('one'), await okta.createUser('two')]
  const created = await okta.scim('POST', '/Groups', { schemas: [groupUrn], displayName: 'Test SCIMv2', members: [] })
  expect(created).toMatchObject({ status: 201, body: { displayName: 'Test SCIMv2', members: [] } })
  const id = String(created.body.id)
  const put = (displayName: string, members: unknown[]) =>
    okta.scim('PUT', `/Groups/${id}`, { schemas: [groupUrn], id, displayName, members, meta: { resourceType: 'Group' } })
  expect(await put('Test SCIMv2', [{ value: one, display: 'test.user@okta.local' }])).toMatchObject({
    status: 200,
    body: { members: [{ value: one, display: 'one' }] },
  })
  expect((await okta.patch(`/Groups/${id}`, { op: 'replace', value: { id, displayName: 'Renamed' } })).status).toBe(204)
  const changed = await okta.patch(
    `/Groups/${id}`,
    { op: 'remove', path: `members[value eq "${one}"]` },
    { op: 'add', path: 'members', value: [{ value: two, display: 'test.user@okta.local' }] },
  )
  expect(changed.status).toBe(204)
  expect((await okta.scim('GET', `/Groups/${id}`)).body).toMatchObject({ displayName: 'Renamed', members: [{ value: two }] })
  expect(install.app.groups.list()).toEqual([{ name: 'okta:Renamed', issuer: 'okta', members: 1 }])
  expect((await okta.scim('DELETE', `/Groups/${id}`)).status).toBe(204)
  expect((await okta.scim('DELETE', `/Groups/${id}`)).status).toBe(404)
  expect(install.app.groups.list()).toEqual([])
})

test('a group with a taken name or externalId is a conflict', async () => {
  await okta.scim('POST', '/Groups', { schemas: [groupUrn], displayName: 'docs', externalId: 'g1' })
  const other = await okta.createGroup('other')
  for (const sent of [{ displayName: 'DOCS' }, { displayName: 'new', externalId: 'g1' }])
    expect(await okta.scim('POST', '/Groups', { schemas: [groupUrn], ...sent })).toMatchObject({
      status: 409,
      body: { scimType: 'uniqueness' },
    })
  expect((await okta.patch(`/Groups/${other}`, { op: 'replace', value: { displayName: 'docs' } })).status).toBe(409)
})
