import { readdirSync, readFileSync } from 'node:fs'
import { join } from 'node:path'
import { afterAll, beforeAll, describe, expect, test } from 'vitest'
import type { Role, Teamspace } from '../../../functions/access/teamspaces.ts'
import { type Person, type TestDashboard, testDashboard } from '../../fixtures/test-dashboard.ts'

let dashboard: TestDashboard
beforeAll(async () => {
  dashboard = await testDashboard()
})
afterAll(() => dashboard.close())

type Team = { teamspace: Teamspace; path: string; people: Record<string, Person> }
let made = 0

/** A new teamspace, with people whose names occur nowhere else. */
async function team(roles: Record<string, Role>): Promise<Team> {
  const n = ++made
  const named = (name: string) => `${name}${n}`
  const members = Object.fromEntries(Object.entries(roles).map(([name, role]) => [named(name), role]))
  const teamspace = await dashboard.teamspace(`Team ${n}`, members)
  const signedIn = await Promise.all(Object.keys(roles).map(async (name) => [name, await dashboard.signIn(named(name))] as const))
  return { teamspace, path: `/api/teamspaces/${teamspace.id}`, people: Object.fromEntries(signedIn) }
}

const person = ({ people }: Team, name: string): Person => people[name] as Person
const rolesIn = async ({ path, people }: Team) => {
  const [anyone] = Object.values(people)
  const { body } = (await anyone?.ask<{ members: { name: string; role: Role }[] }>('GET', `${path}/members`)) ?? {}
  return body?.members.map(({ name, role }) => `${name.replace(/\d+$/, '')} ${role}`).sort()
}
const statusOf = async (response: Promise<Response>) => (await response).status

describe('a teamspace', () => {
  test('is created by somebody who is its owner then, and seen by its name', async () => {
    const ann = await dashboard.signIn('creator')
    const created = await ann.ask<{ id: string }>('POST', '/api/teamspaces', { name: '  Created  ' })
    expect(created).toMatchObject({ status: 201, body: { name: 'Created', plan: 'free', role: 'owner' } })
    expect(await ann.ask('GET', `/api/teamspaces/${created.body.id}`)).toEqual({ status: 200, body: created.body })
    expect((await ann.ask('GET', '/api/session')).body).toMatchObject({ teamspaces: [created.body] })
  })

  test('has a name that nobody else has, in any case', async () => {
    const ann = await dashboard.signIn('namer')
    expect(await ann.ask('POST', '/api/teamspaces', { name: 'Taken' })).toMatchObject({ status: 201 })
    expect(await ann.ask('POST', '/api/teamspaces', { name: 'TAKEN' })).toMatchObject({ status: 400 })
  })

  test('is created at most ten times a day by a person; attempts that fail do not count', async () => {
    const ann = await dashboard.signIn('eager')
    for (let n = 0; n < 10; n++) {
      expect(await ann.ask('POST', '/api/teamspaces', { name: `Eager ${n}` })).toMatchObject({ status: 201 })
      if (n < 9) expect(await ann.ask('POST', '/api/teamspaces', { name: 'Eager 0' })).toMatchObject({ status: 400 })
    }
    const refused = await ann.send('POST', '/api/teamspaces', { name: 'Eager 10' })
    expect([refused.status, refused.headers.get('ratelimit-limit')]).toEqual([429, '10'])
    expect(await (await dashboard.signIn('other')).ask('POST', '/api/teamspaces', { name: 'Eager 10' })).toMatchObject({
      status: 201,
    })
  })

  test('is renamed, and its old name is free', async () => {
    const { path, people } = await team({ ann: 'owner' })
    expect(await people.ann?.ask('PATCH', path, { name: 'Renamed' })).toMatchObject({ status: 200, body: { name: 'Renamed' } })
    expect(await people.ann?.ask('GET', path)).toMatchObject({ body: { name: 'Renamed' } })
  })

  test('is deleted with its keys when its name confirms it, and its name leads to nothing of it', async () => {
    const crew = await team({ ann: 'owner', bob: 'developer' })
    const { path, teamspace } = crew
    const [ann, bob] = [person(crew, 'ann'), person(crew, 'bob')]
    const { key } = (await bob.ask<{ key: string }>('POST', `${path}/keys`, { name: 'ci' })).body
    expect(await ann.ask('DELETE', path, { name: 'Another' })).toMatchObject({ status: 400 })
    expect(await ann.ask('DELETE', path, { name: teamspace.name })).toMatchObject({ status: 200 })
    for (const each of [ann, bob]) {
      expect(await each.ask('GET', path)).toMatchObject({ status: 404, body: { error: 'team_not_found' } })
      expect((await each.ask('GET', '/api/session')).body).toMatchObject({ teamspaces: [] })
    }
    expect(await dashboard.hosted.hosted.teamspaces.findKey(key)).toBeUndefined()
    const stranger = await dashboard.signIn('heir')
    const heir = await stranger.ask<{ id: string }>('POST', '/api/teamspaces', { name: teamspace.name })
    expect(heir.status).toBe(201)
    expect((await stranger.ask('GET', `/api/teamspaces/${heir.body.id}/keys`)).body).toEqual({ keys: [] })
    expect(await statusOf(ann.send('GET', `/api/teamspaces/${heir.body.id}`))).toBe(404)
  })
})

describe('members', () => {
  test('are listed with their address, their name and no more', async () => {
    const crew = await team({ ann: 'owner' })
    const ann = person(crew, 'ann')
    const { id: user, email, name } = ann.user
    const members = [{ user, email, name, role: 'owner', addedAt: expect.any(String) }]
    expect((await ann.ask('GET', `${crew.path}/members`)).body).toEqual({ members })
  })

  test('get their roles from admins, and the role of an owner only from owners', async () => {
    const crew = await team({ ann: 'owner', bob: 'admin', eve: 'developer' })
    const change = (who: string, whom: string, role: Role) =>
      statusOf(person(crew, who).send('PATCH', `${crew.path}/members/${person(crew, whom).user.id}`, { role }))
    expect(await change('bob', 'eve', 'admin')).toBe(200)
    expect(await change('bob', 'eve', 'owner')).toBe(403)
    expect(await change('bob', 'bob', 'owner')).toBe(403)
    expect(await change('bob', 'ann', 'developer')).toBe(403)
    expect(await rolesIn(crew)).toEqual(['ann owner', 'bob admin', 'eve admin'])
    expect(await change('ann', 'bob', 'owner')).toBe(200)
    expect(await change('ann', 'ann', 'developer')).toBe(200)
    expect(await rolesIn(crew)).toEqual(['ann developer', 'bob owner', 'eve admin'])
  })

  test('are removed by admins, and owners only by owners', async () => {
    const crew = await team({ ann: 'owner', bob: 'admin', eve: 'developer', kim: 'owner' })
    const remove = (who: string, whom: string) =>
      statusOf(person(crew, who).send('DELETE', `${crew.path}/members/${person(crew, whom).user.id}`))
    expect(await remove('bob', 'ann')).toBe(403)
    expect(await remove('bob', 'eve')).toBe(200)
    expect(await remove('bob', 'eve')).toBe(404)
    expect(await remove('ann', 'kim')).toBe(200)
    expect(await rolesIn(crew)).toEqual(['ann owner', 'bob admin'])
    expect(await statusOf(person(crew, 'eve').send('GET', crew.path))).toBe(404)
  })

  test('leave when the name of the teamspace confirms it', async () => {
    const crew = await team({ ann: 'owner', eve: 'developer' })
    const eve = person(crew, 'eve')
    expect(await statusOf(eve.send('POST', `${crew.path}/leave`, { name: 'x' }))).toBe(400)
    expect(await statusOf(eve.send('POST', `${crew.path}/leave`, { name: crew.teamspace.name }))).toBe(200)
    expect(await statusOf(eve.send('GET', crew.path))).toBe(404)
    expect(await rolesIn(crew)).toEqual(['ann owner'])
  })

  test('include an owner to the last: nobody removes, demotes or leaves as that one', async () => {
    const crew = await team({ ann: 'owner', bob: 'admin' })
    const ann = person(crew, 'ann')
    const own = `${crew.path}/members/${ann.user.id}`
    const attempts = [
      ann.ask('PATCH', own, { role: 'admin' }),
      ann.ask('DELETE', own),
      ann.ask('POST', `${crew.path}/leave`, { name: crew.teamspace.name }),
    ]
    for (const attempt of attempts)
      expect(await attempt).toMatchObject({ status: 400, body: { message: expect.stringContaining('last owner') } })
    expect(await rolesIn(crew)).toEqual(['ann owner', 'bob admin'])
  })

  test('include an owner when all owners leave at the same time', async () => {
    const names = ['ann', 'bob', 'eve', 'kim']
    const crew = await team(Object.fromEntries(names.map((name) => [name, 'owner'])))
    const statuses = await Promise.all(
      names.map((name) => statusOf(person(crew, name).send('POST', `${crew.path}/leave`, { name: crew.teamspace.name }))),
    )
    expect(statuses.sort()).toEqual([200, 200, 200, 400])
    const { teamspaces } = dashboard.hosted.hosted
    expect((await teamspaces.members(crew.teamspace.id)).map(({ role }) => role)).toEqual(['owner'])
  })

  test('do not return, once they are removed, by a promotion at the same time', async () => {
    for (let n = 0; n < 5; n++) {
      const crew = await team({ ann: 'owner', kim: 'owner', eve: 'developer' })
      const path = `${crew.path}/members/${person(crew, 'eve').user.id}`
      const [removed] = await Promise.all([
        statusOf(person(crew, 'ann').send('DELETE', path)),
        statusOf(person(crew, 'kim').send('PATCH', path, { role: 'owner' })),
      ])
      expect(removed).toBe(200)
      expect(await rolesIn(crew)).toEqual(['ann owner', 'kim owner'])
    }
  })
})

describe('a member of another teamspace', () => {
  test('is no member of this one, whatever ids are combined', async () => {
    const [own, foreign] = [await team({ ann: 'owner' }), await team({ eve: 'owner' })]
    const [ann, eve] = [person(own, 'ann'), person(foreign, 'eve')]
    const { id: key } = (await eve.ask<{ id: string }>('POST', `${foreign.path}/keys`, { name: 'ci' })).body
    const { id: invite } = (
      await eve.ask<{ id: string }>('POST', `${foreign.path}/invites`, { email: 'x@example.com', role: 'admin' })
    ).body
    const attempts: [string, string, unknown?][] = [
      ['PATCH', `${own.path}/members/${eve.user.id}`, { role: 'admin' }],
      ['DELETE', `${own.path}/members/${eve.user.id}`],
      ['DELETE', `${own.path}/keys/${key}`],
      ['DELETE', `${own.path}/invites/${invite}`],
    ]
    for (const [method, path, body] of attempts)
      expect((await ann.send(method, path, body)).status, `${method} ${path}`).toBe(404)
    expect((await eve.ask<{ keys: unknown[] }>('GET', `${foreign.path}/keys`)).body.keys).toMatchObject([
      { id: key, revokedAt: null },
    ])
    expect((await eve.ask<{ invites: unknown[] }>('GET', `${foreign.path}/invites`)).body.invites).toMatchObject([{ id: invite }])
    expect(await rolesIn(foreign)).toEqual(['eve owner'])
  })
})

describe('an invitation', () => {
  const invite = async (crew: Team, who: string, email: string, role: Role) => {
    const { status, body } = await person(crew, who).ask<{ id: string; link: string; sent: boolean }>(
      'POST',
      `${crew.path}/invites`,
      {
        email,
        role,
      },
    )
    return { status, ...body, token: body.link?.split('/').at(-1) ?? '' }
  }

  test('makes the person of its address a member, once', async () => {
    const crew = await team({ ann: 'owner' })
    const guest = await dashboard.signIn(`Guest${made}`)
    const { token, status, sent } = await invite(crew, 'ann', guest.user.email.toUpperCase(), 'developer')
    expect([status, sent]).toEqual([201, true])
    const { name } = crew.teamspace
    expect((await guest.ask('GET', `/api/invites/${token}`)).body).toMatchObject({ teamspace: { name }, role: 'developer' })
    const accepted = { status: 200, body: { id: crew.teamspace.id, name, role: 'developer' } }
    expect(await guest.ask('POST', `/api/invites/${token}/accept`)).toMatchObject(accepted)
    expect(await rolesIn(crew)).toEqual(['Guest developer', 'ann owner'])
    expect(await statusOf(guest.send('POST', `/api/invites/${token}/accept`))).toBe(404)
    expect((await guest.ask('GET', `${crew.path}/invites`)).body).toEqual({ invites: [] })
  })

  test('is a message with its link, and the token is stored nowhere', async () => {
    const crew = await team({ ann: 'owner' })
    const { token, link } = await invite(crew, 'ann', 'mailed@example.com', 'admin')
    const outbox = join(dashboard.hosted.dataDir, 'outbox')
    const messages = readdirSync(outbox).map((name) => readFileSync(join(outbox, name), 'utf8'))
    const [message = ''] = messages.filter((text) => text.startsWith('To: mailed@example.com\n'))
    expect(message).toContain(link)
    expect(message).toContain(person(crew, 'ann').user.email)
    expect(token).toMatch(/_[\w-]{43}$/)
    const { invites } = (await person(crew, 'ann').ask<{ invites: unknown[] }>('GET', `${crew.path}/invites`)).body
    expect(invites).toMatchObject([{ email: 'mailed@example.com', role: 'admin' }])
    expect(JSON.stringify(invites)).not.toContain(token.slice(-43))
    expect(dashboard.hosted.log.text()).not.toContain(token.slice(-43))
  })

  test('is of no use to anybody with another address', async () => {
    const crew = await team({ ann: 'owner' })
    const { token } = await invite(crew, 'ann', 'somebody@example.com', 'owner')
    const thief = await dashboard.signIn('thief')
    for (const [method, path] of [
      ['GET', ''],
      ['POST', '/accept'],
    ] as const)
      expect(await thief.ask(method, `/api/invites/${token}${path}`)).toMatchObject({ status: 403, body: { error: 'forbidden' } })
    expect(await rolesIn(crew)).toEqual(['ann owner'])
  })

  test('ends when it is withdrawn, replaced, or its inviter may not invite any more', async () => {
    const crew = await team({ ann: 'owner', bob: 'admin' })
    const guest = await dashboard.signIn(`visitor${made}`)
    const accept = (token: string) => statusOf(guest.send('POST', `/api/invites/${token}/accept`))
    const first = await invite(crew, 'ann', guest.user.email, 'admin')
    const second = await invite(crew, 'ann', guest.user.email, 'developer')
    expect(await accept(first.token)).toBe(404)
    expect(await statusOf(person(crew, 'bob').send('DELETE', `${crew.path}/invites/${second.id}`))).toBe(200)
    expect(await accept(second.token)).toBe(404)
    const third = await invite(crew, 'bob', guest.user.email, 'developer')
    await person(crew, 'ann').send('PATCH', `${crew.path}/members/${person(crew, 'bob').user.id}`, { role: 'developer' })
    expect(await accept(third.token)).toBe(404)
    expect(await rolesIn(crew)).toEqual(['ann owner', 'bob developer'])
  })

  test('does not change the role of a member', async () => {
    const crew = await team({ ann: 'owner', kim: 'owner' })
    const { token } = await invite(crew, 'kim', person(crew, 'ann').user.email, 'developer')
    expect(await person(crew, 'ann').ask('POST', `/api/invites/${token}/accept`)).toMatchObject({ body: { role: 'owner' } })
    expect(await rolesIn(crew)).toEqual(['ann owner', 'kim owner'])
  })

  test('gives no higher role than that of its inviter', async () => {
    const crew = await team({ ann: 'owner', bob: 'admin' })
    expect(await invite(crew, 'bob', 'x@example.com', 'owner')).toMatchObject({ status: 403 })
    expect(await invite(crew, 'bob', 'x@example.com', 'admin')).toMatchObject({ status: 201 })
  })

  test.each(['', 'x', 'x@', 'a@b\nc@example.com', `${'x'.repeat(300)}@example.com`, 1, null])(
    'is not sent to %j',
    async (email) => {
      const crew = await team({ ann: 'owner' })
      expect(await person(crew, 'ann').ask('POST', `${crew.path}/invites`, { email, role: 'admin' })).toMatchObject({
        status: 400,
      })
    },
  )

  test('is made at most fifty times a day by a person', async () => {
    const crew = await team({ ann: 'owner' })
    for (let n = 0; n < 50; n++) expect((await invite(crew, 'ann', `guest${n}@example.com`, 'developer')).status).toBe(201)
    expect((await invite(crew, 'ann', 'guest50@example.com', 'developer')).status).toBe(429)
  })
})

describe('a key', () => {
  const create = async (crew: Team, who: string, more: object = {}) =>
    (await person(crew, who).ask<{ id: string; key: string }>('POST', `${crew.path}/keys`, { name: 'ci', ...more })).body
  const rights = (key: string) => dashboard.hosted.hosted.teamspaces.findKey(key)

  test('is shown once, and listed with its prefix, creator, scope, expiry and last use', async () => {
    const crew = await team({ ann: 'owner' })
    const expiresAt = '2099-01-01T00:00:00.000Z'
    const { id, key } = await create(crew, 'ann', { scope: 'read+add', role: 'developer', expiresAt })
    const list = async () => (await person(crew, 'ann').ask<{ keys: unknown[] }>('GET', `${crew.path}/keys`)).body.keys
    const listed = { id, name: 'ci', role: 'developer', scope: 'read+add', expiresAt, usedDay: null, revokedAt: null }
    expect(await list()).toMatchObject([{ ...listed, holder: person(crew, 'ann').user.id, prefix: expect.any(String) }])
    expect(JSON.stringify(await list())).not.toContain(key)
    await rights(key)
    expect(await list()).toMatchObject([{ usedDay: expect.stringMatching(/^\d{4}-\d\d-\d\d$/) }])
  })

  test('has no higher role than its member, and only reads unless a wider scope is asked for', async () => {
    const crew = await team({ ann: 'owner', eve: 'developer' })
    expect(await person(crew, 'eve').ask('POST', `${crew.path}/keys`, { name: 'ci', role: 'admin' })).toMatchObject({
      status: 403,
    })
    expect(await rights((await create(crew, 'eve')).key)).toMatchObject({ role: 'developer', scope: 'read' })
  })

  test.each([
    { expiresAt: '2020-01-01T00:00:00Z' },
    { expiresAt: 'tomorrow' },
    { scope: 'all' },
    { name: '' },
    { holder: 'eve' },
  ])('is not created with %j', async (more) => {
    const crew = await team({ ann: 'owner' })
    expect(await person(crew, 'ann').ask('POST', `${crew.path}/keys`, { name: 'ci', ...more })).toMatchObject({ status: 400 })
  })

  test('is revoked by its member and by admins, not by others', async () => {
    const crew = await team({ ann: 'owner', bob: 'admin', eve: 'developer', kim: 'developer' })
    const [first, second] = [await create(crew, 'eve'), await create(crew, 'eve')]
    const revoke = (who: string, id: string) => statusOf(person(crew, who).send('DELETE', `${crew.path}/keys/${id}`))
    expect(await revoke('kim', first.id)).toBe(403)
    expect(await revoke('eve', first.id)).toBe(200)
    expect(await revoke('bob', second.id)).toBe(200)
    expect([await rights(first.key), await rights(second.key)]).toEqual([undefined, undefined])
  })

  test('has the role of its member at the moment', async () => {
    const crew = await team({ ann: 'owner', bob: 'admin' })
    const { key } = await create(crew, 'bob', { scope: 'admin' })
    expect(await rights(key)).toMatchObject({ role: 'admin' })
    await person(crew, 'ann').send('PATCH', `${crew.path}/members/${person(crew, 'bob').user.id}`, { role: 'developer' })
    expect(await rights(key)).toMatchObject({ role: 'developer' })
  })

  test('ends when its member is removed, and stays so if the member returns', async () => {
    const crew = await team({ ann: 'owner', eve: 'developer' })
    const { key } = await create(crew, 'eve')
    const { id } = person(crew, 'eve').user
    await person(crew, 'ann').send('DELETE', `${crew.path}/members/${id}`)
    expect(await rights(key)).toBeUndefined()
    await dashboard.hosted.hosted.teamspaces.addMember(crew.teamspace.id, id, 'developer')
    expect(await rights(key)).toBeUndefined()
  })

  test('ends with the membership even if it was not revoked with it', async () => {
    const crew = await team({ ann: 'owner', eve: 'developer' })
    const { key } = await create(crew, 'eve')
    await dashboard.hosted.hosted.teamspaces.removeMember(crew.teamspace.id, person(crew, 'eve').user.id)
    expect(await rights(key)).toBeUndefined()
  })

  test('is not valid if it is created while its member is removed', async () => {
    const crew = await team({ ann: 'owner', eve: 'developer' })
    const { id } = person(crew, 'eve').user
    const { teamspaces } = dashboard.hosted.hosted
    await teamspaces.removeMember(crew.teamspace.id, id)
    const late = teamspaces.createKey(crew.teamspace.id, { createdBy: 'test', holder: id })
    await expect(late).rejects.toMatchObject({ code: 'user_not_found' })
  })

  test('reads the metrics of a library of the teamspace, until its member is removed', async () => {
    const { hosted } = dashboard
    const crew = await team({ ann: 'owner', eve: 'developer' })
    const { key } = await create(crew, 'eve')
    await hosted.git.create('measured/docs', { files: { 'README.md': '# Guide\n\nTurn the lever.\n' } })
    await hosted.add('measured/docs', { teamspace: crew.teamspace.name })
    const metrics = () => hosted.get('/api/v2/libs/metrics?libraryId=/measured/docs', { authorization: `Bearer ${key}` })
    expect((await metrics()).status).toBe(200)
    await person(crew, 'ann').send('DELETE', `${crew.path}/members/${person(crew, 'eve').user.id}`)
    expect((await metrics()).status).toBe(401)
    const other = await team({ zoe: 'owner' })
    const foreign = await create(other, 'zoe')
    const response = await hosted.get('/api/v2/libs/metrics?libraryId=/measured/docs', { authorization: `Bearer ${foreign.key}` })
    expect(response.status).toBe(403)
  })
})

test('the audit log of a teamspace has every change and who made it, newest first', async () => {
  const ann = await dashboard.signIn('audited')
  const guest = await dashboard.signIn('auditedguest')
  const { id } = (await ann.ask<{ id: string }>('POST', '/api/teamspaces', { name: 'Audited' })).body
  const path = `/api/teamspaces/${id}`
  await ann.send('PATCH', path, { name: 'Audited well' })
  const { link } = (await ann.ask<{ link: string }>('POST', `${path}/invites`, { email: guest.user.email, role: 'developer' }))
    .body
  await guest.send('POST', `/api/invites/${link.split('/').at(-1)}/accept`)
  const other = (await ann.ask<{ id: string }>('POST', `${path}/invites`, { email: 'x@example.com', role: 'admin' })).body
  await ann.send('DELETE', `${path}/invites/${other.id}`)
  await ann.send('PATCH', `${path}/members/${guest.user.id}`, { role: 'admin' })
  const key = (await guest.ask<{ id: string; key: string }>('POST', `${path}/keys`, { name: 'ci' })).body
  await guest.send('DELETE', `${path}/keys/${key.id}`)
  await ann.send('POST', `${path}/leave`, { name: 'Audited well' })
  const { entries } = (await ann.ask<{ entries: { who: string; what: string; outcome: string }[] }>('GET', `${path}/audit`)).body
  const [by, from] = [`user ${ann.user.id}`, `user ${guest.user.id}`]
  expect(entries.map(({ who, what, outcome }) => `${who} ${what} ${outcome}`)).toEqual([
    `${by} leaveTeamspace failed`,
    `${from} revokeKey done`,
    `${from} createKey done`,
    `${by} changeRole done`,
    `${by} withdrawInvite done`,
    `${by} invite done`,
    `${from} acceptInvite done`,
    `${by} invite done`,
    `${by} renameTeamspace done`,
    `${by} createTeamspace done`,
  ])
  expect(JSON.stringify(entries)).not.toContain(key.key)
})

test.each(['\u202Egpj.exe', 'a\u2066b', 'a\u2028b'])(
  'names of teamspaces and keys reorder and break no text: %j',
  async (name) => {
    const [ann, { id }] = [
      await dashboard.signIn('ann'),
      await dashboard.teamspace(`Plain ${name.codePointAt(1)}`, { ann: 'owner' }),
    ]
    expect((await ann.ask('PATCH', `/api/teamspaces/${id}`, { name })).status).toBe(400)
    expect((await ann.ask('POST', `/api/teamspaces/${id}/keys`, { name })).status).toBe(400)
  },
)
