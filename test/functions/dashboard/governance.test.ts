import { afterAll, beforeAll, describe, expect, test } from 'vitest'
import type { Teamspace } from '../../../functions/access/teamspaces.ts'
import { type Person, type TestDashboard, testDashboard } from '../../fixtures/test-dashboard.ts'

let dashboard: TestDashboard
let teams: { acme: Teamspace; other: Teamspace }
let admin: Person
let developer: Person
let key: string
const [widgets, gears] = ['/acme/widgets', '/acme/gears']

beforeAll(async () => {
  dashboard = await testDashboard()
  const { hosted } = dashboard
  const acme = await dashboard.teamspace('Acme', { ann: 'owner', adam: 'admin', dave: 'developer' })
  teams = { acme, other: await dashboard.teamspace('Other', { oscar: 'owner' }) }
  admin = await dashboard.signIn('adam')
  developer = await dashboard.signIn('dave')
  key = (await hosted.hosted.teamspaces.createKey(acme.id, { createdBy: 'test' })).key
  for (const repo of ['acme/widgets', 'acme/gears', 'acme/claimed', 'acme/added']) {
    await hosted.git.create(repo, { files: { 'README.md': '# Guide\n\nTurn the lever.\n' } })
    await hosted.add(repo)
  }
  await hosted.git.create('other/secret', { files: { 'README.md': '# Guide\n\nTurn the lever.\n' } })
  await hosted.add('other/secret', { private: true, teamspace: 'Other' })
})
afterAll(() => dashboard.close())

const at = (path: string, team = teams.acme) => `/api/teamspaces/${team.id}/${path}`
const block = (library: string) => ({ libraryFilters: { mode: 'quality', quality: { blockedLibraries: { add: [library] } } } })
const context = (libraryId: string) =>
  dashboard.hosted.get(`/api/v2/context?libraryId=${libraryId}&query=lever&type=json`, { authorization: `Bearer ${key}` })

describe('the policy of a teamspace', () => {
  test('is previewed by every member, changed by an admin, and applies to its keys at once', async () => {
    const before = await developer.ask<{ accessibleLibraryCount: number }>('GET', at('policy'))
    const seen = await developer.ask('POST', at('policy/preview'), block(widgets))
    expect(seen.body).toMatchObject({ accessibleLibraryCount: before.body.accessibleLibraryCount - 1 })
    expect(await developer.ask('GET', at('policy'))).toEqual(before)
    expect(await developer.ask('PATCH', at('policy'), block(widgets))).toMatchObject({ status: 403 })
    expect((await context(widgets)).status).toBe(200)
    expect(await admin.ask('PATCH', at('policy'), block(widgets))).toEqual({ ...seen, status: 200 })
    expect((await context(widgets)).status).toBe(403)
    await admin.ask('PATCH', at('policy'), { libraryFilters: { mode: null } })
  })

  test('is not changed on the basis of an older one', async () => {
    const etag = (await admin.send('GET', at('policy'))).headers.get('etag') ?? ''
    const change = (type: string) => admin.send('PATCH', at('policy'), { sourceTypes: { disable: [type] } }, { 'if-match': etag })
    expect((await change('websites')).status).toBe(200)
    expect((await change('websites')).status).toBe(412)
  })

  test.each([
    ['1 MB', { x: 'x'.repeat(1_100_000) }, 413],
    ['an unknown field', { sourceTypes: {}, more: 1 }, 400],
    ['10,000 entries', { libraryFilters: { quality: { blockedLibraries: { add: Array(10_000).fill('/a/b') } } } }, 400],
  ])('rejects %s', async (_, body, status) => {
    expect(await admin.ask('PATCH', at('policy'), body)).toMatchObject({ status })
    expect(await admin.ask('POST', at('policy/preview'), body)).toMatchObject({ status })
  })
})

describe('the rules of a teamspace', () => {
  test('are set for all libraries and for one, and are in the answers to its keys', async () => {
    await admin.ask('PUT', at('rules'), { rules: [' Be brief.\u0007 ', '<b>Use v2.</b>'] })
    const set = await admin.ask('PUT', at(`rules${widgets}`), { rules: ['Only widgets.'] })
    const rules = { global: ['Be brief.', '<b>Use v2.</b>'], libraries: { [widgets]: ['Only widgets.'] } }
    expect(set).toEqual({ status: 200, body: rules })
    expect(await developer.ask('GET', at('rules'))).toEqual({ status: 200, body: rules })
    expect(await (await context(widgets)).json()).toMatchObject({
      rules: { global: rules.global, libraryTeam: ['Only widgets.'] },
    })
    expect(await (await context(gears)).json()).not.toHaveProperty('rules.libraryTeam')
    expect((await admin.ask('PUT', at(`rules${widgets}`), { rules: [] })).body).toEqual({ ...rules, libraries: {} })
  })

  test('are refused for a missing library, and in the same words for one of another teamspace', async () => {
    const messages = await Promise.all(
      ['/acme/none', '/other/secret'].map(async (id) => {
        const { status, body } = await admin.ask<{ message: string }>('PUT', at(`rules${id}`), { rules: ['x'] })
        return [status, body.message.replace(id, '')]
      }),
    )
    expect(messages[0]?.[0]).toBe(404)
    expect(messages[1]).toEqual(messages[0])
  })

  test.each([
    ['a rule of 100 kB', { rules: ['x'.repeat(100_000)] }, 413],
    ['a rule of 300 characters', { rules: ['x'.repeat(300)] }, 400],
    ['10,000 rules', { rules: Array(10_000).fill('x') }, 400],
    ['an unknown field', { rules: [], more: 1 }, 400],
    ['no list', { rules: 'x' }, 400],
  ])('reject %s', async (_, body, status) => {
    expect(await admin.ask('PUT', at('rules'), body)).toMatchObject({ status })
  })

  test('are not set on the basis of older ones', async () => {
    const etag = (await admin.send('GET', at('rules'))).headers.get('etag') ?? ''
    await admin.ask('PUT', at('rules'), { rules: ['Newer.'] })
    const late = await admin.send('PUT', at('rules'), { rules: ['Older.'] }, { 'if-match': etag })
    expect([late.status, await late.json()]).toMatchObject([412, { names: ['global'] }])
  })

  test('are changed on the basis of an answer that was compressed', async () => {
    const rules = Array.from({ length: 10 }, (_, n) => `${n} ${'Prefer short answers. '.repeat(9)}`.trim())
    await admin.ask('PUT', at('rules'), { rules })
    const answer = await admin.send('GET', at('rules'), undefined, { 'accept-encoding': 'br' })
    const etag = answer.headers.get('etag') ?? ''
    expect([answer.headers.get('content-encoding'), etag, await answer.json()]).toMatchObject([
      'br',
      expect.stringMatching(/^W\//),
      { global: rules },
    ])
    expect((await admin.send('PUT', at('rules'), { rules: [] }, { 'if-match': etag })).status).toBe(200)
  })
})

describe('the licenses of a teamspace', () => {
  const record = (id: string, teamspace: string, expiresAt = '2099-01-01T00:00:00.000Z') =>
    dashboard.hosted.run('recordLicense', { id, customer: 'Acme', kind: 'online', expiresAt, teamspace })

  test('are listed with their ends, and their policies are changed by admins', async () => {
    await record('valid', 'Acme')
    await record('old', 'Acme', '2020-01-01T00:00:00.000Z')
    await record('gone', 'Acme', '2098-01-01T00:00:00.000Z')
    await dashboard.hosted.run('revokeLicense', { id: 'gone' })
    expect((await developer.ask('GET', at('licenses'))).body).toEqual({
      licenses: [
        { id: 'valid', customer: 'Acme', kind: 'online', expiresAt: '2099-01-01T00:00:00.000Z', state: 'valid' },
        { id: 'gone', customer: 'Acme', kind: 'online', expiresAt: '2098-01-01T00:00:00.000Z', state: 'revoked' },
        { id: 'old', customer: 'Acme', kind: 'online', expiresAt: '2020-01-01T00:00:00.000Z', state: 'expired' },
      ],
    })
    const preview = await developer.ask('POST', at('licenses/valid/policy/preview'), block(gears))
    const changed = await admin.ask('PATCH', at('licenses/valid/policy'), block(gears))
    expect(changed).toEqual(preview)
    expect(await developer.ask('GET', at('licenses/valid/policy'))).toEqual(changed)
    expect((await dashboard.hosted.hosted.licenses.policy('valid')).libraryFilters.quality.blockedLibraries).toEqual([gears])
  })

  test('a license of another teamspace is answered like a missing one', async () => {
    await record('foreign', 'Other')
    for (const [method, path, body] of [
      ['GET', 'policy'],
      ['PATCH', 'policy', block(gears)],
      ['POST', 'policy/preview', block(gears)],
    ] as const) {
      const foreign = await admin.ask(method, at(`licenses/foreign/${path}`), body)
      expect(foreign).toEqual(await admin.ask(method, at(`licenses/none/${path}`), body))
      expect(foreign.status).toBe(404)
    }
  })
})

describe('a library that its owner opts out', () => {
  const owns = async (repo: string, how: 'added' | 'claim') => {
    await dashboard.hosted.hosted.teamspaces.own(teams.acme.id, `/acme/${repo}`, how)
    await dashboard.hosted.hosted.catalog.own({ owner: 'acme', repo }, teams.acme.id)
  }
  const add = (repo: string) =>
    dashboard.hosted.run('add', { repoUrl: `${dashboard.hosted.git.url}/acme/${repo}`, private: false })

  test('is removed, and added only after the owner has lifted that', async () => {
    await owns('claimed', 'claim')
    const path = at('libraries/acme/claimed/opt-out')
    expect(await admin.ask('POST', path)).toMatchObject({ status: 200, body: { removed: true } })
    expect(await dashboard.hosted.hosted.catalog.record({ owner: 'acme', repo: 'claimed' })).toBeUndefined()
    expect((await developer.ask('GET', at('opt-outs'))).body).toMatchObject({ optOuts: [{ library: '/acme/claimed' }] })
    await expect(add('claimed')).rejects.toThrow('its owner does not allow it')
    const oscar = await dashboard.signIn('oscar')
    expect(await oscar.ask('DELETE', at('libraries/acme/claimed/opt-out', teams.other))).toMatchObject({ status: 404 })
    expect((await oscar.ask('GET', at('opt-outs', teams.other))).body).toEqual({ optOuts: [] })
    expect(await admin.ask('DELETE', path)).toMatchObject({ status: 200 })
    expect(await add('claimed')).toMatchObject({ project: '/acme/claimed' })
  })

  test('stays if the teamspace has only added it, or does not own it', async () => {
    await owns('added', 'added')
    expect(await admin.ask('POST', at('libraries/acme/added/opt-out'))).toMatchObject({
      status: 403,
      body: { error: 'forbidden' },
    })
    expect(await admin.ask('POST', at('libraries/acme/gears/opt-out'))).toMatchObject({
      status: 403,
      body: { error: 'access_denied' },
    })
    expect(await admin.ask('POST', at('libraries/other/secret/opt-out'))).toMatchObject({ status: 404 })
    expect((await context(gears)).status).toBe(200)
  })
})

test('changes of policies, rules and opt-outs are in the audit log of the teamspace', async () => {
  const { entries } = (await admin.ask<{ entries: { who: string; what: string }[] }>('GET', at('audit'))).body
  const whats = entries.filter(({ who }) => who === `user ${admin.user.id}`).map(({ what }) => what)
  expect(new Set(whats)).toEqual(new Set(['changePolicy', 'setRules', 'optOut', 'liftOptOut']))
})
