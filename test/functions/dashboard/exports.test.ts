import { afterAll, beforeAll, expect, test, vi } from 'vitest'
import type { Teamspace } from '../../../functions/access/teamspaces.ts'
import { deleteTeamspace } from '../../../functions/admin/delete-teamspace.ts'
import { distinctLibraries } from '../../../functions/exports/team-selections.ts'
import { defaultGitHosts } from '../../../shared/reading/git/git-hosts.ts'
import { type Person, type TestDashboard, testDashboard } from '../../fixtures/test-dashboard.ts'
import { type TestInstall, testInstall } from '../../fixtures/test-install.ts'

type Body = Record<string, unknown> & { message: string; error: string; id: string }
type Export = { state: string; url: string; bytes: number; message: string; done: number; total: number }

const dayMs = 86_400_000
const names = ['widgets', 'gadgets']

let dashboard: TestDashboard
let install: TestInstall
let acme: Teamspace
let dev: Person

beforeAll(async () => {
  ;[dashboard, install] = await Promise.all([testDashboard(), testInstall()])
  acme = await dashboard.teamspace('Acme', { dev: 'developer', ann: 'owner' })
  dev = await dashboard.signIn('dev')
  for (const name of names) {
    const files = {
      'README.md': `# ${name}\n\nTurn the lever of ${name} to open the gate.\n`,
      'carrel.json': JSON.stringify({ previousVersions: [{ tag: 'v1.0.0' }] }),
    }
    await dashboard.hosted.git.create(`acme/${name}`, { files, tags: ['v1.0.0'] })
    await dashboard.hosted.add(`acme/${name}`)
  }
  await dashboard.hosted.git.create('acme/secret', { files: { 'README.md': '# Secret\n\nNothing.\n' } })
  await dashboard.hosted.add('acme/secret', { private: true, teamspace: 'Acme' })
  await license('l1', 'Acme')
})
afterAll(() => Promise.all([dashboard?.close(), install?.close()]))

/** A license that was issued to a teamspace and is valid for a day, or since `-days`. */
const license = (id: string, teamspace: string, { kind = 'offline', days = 1 } = {}) =>
  dashboard.hosted.run('recordLicense', {
    id,
    customer: 'Acme Ltd',
    kind,
    teamspace,
    expiresAt: new Date(Date.now() + days * dayMs).toISOString(),
  })

const at = (path: string, team = acme) => `/api/teamspaces/${team.id}${path}`

async function built(id: string, person = dev, team = acme): Promise<Export> {
  for (;;) {
    const { status, body } = await person.ask<Export>('GET', at(`/exports/${id}`, team))
    expect(status).toBe(200)
    if (body.state !== 'building') return body
    await new Promise((resolve) => setTimeout(resolve, 20))
  }
}

const start = async (request: unknown) => {
  const { status, body } = await dev.ask<Body>('POST', at('/exports'), request)
  expect([status, body.message]).toEqual([202, undefined])
  return body.id
}

test('a selection and an export name a library by its own id, also if the longer one was sent', async () => {
  const libraries = ['/github/acme~widgets@v1.0.0', '/github/acme~gadgets', '/github/acme~secret']
  const saved = await dev.ask('PUT', at('/selections/longer'), { name: 'Longer', libraries })
  expect(saved.body).toMatchObject({
    libraries: [
      { id: expect.stringMatching(/^\/acme\/widgets@/), isMissing: false },
      { id: '/acme/gadgets', isMissing: false },
      { id: '/github/acme~secret', isMissing: true },
    ],
  })
  await dev.send('DELETE', at('/selections/longer'))
  const id = await start({ libraries: ['/github/acme~gadgets'] })
  expect(await built(id)).toMatchObject({ state: 'built', libraries: ['/acme/gadgets'] })
})

test('a selection persists, is built, downloaded over HTTP, imported into an install, and answers there', async () => {
  const found = await dev.ask<{ libraries: { id: string; sizeBytes: number }[] }>('GET', at('/exports/libraries?q=widgets'))
  expect(found.body.libraries[0]).toMatchObject({ id: '/acme/widgets', versions: 2, sizeBytes: expect.any(Number) })
  const libraries = ['/acme/widgets', 'ACME/gadgets', '/acme/widgets']
  const saved = await dev.ask('PUT', at('/selections/current'), { name: 'Air gap', libraries })
  expect(saved.body).toMatchObject({ libraries: [{ id: '/acme/widgets' }, { id: '/ACME/gadgets' }], builtAt: null })
  const again = await dashboard.signIn('dev')
  const { body: selection } = await again.ask<{ unpackedBytes: number }>('GET', at('/selections/current'))
  expect(selection).toMatchObject({ name: 'Air gap', limits: { libraries: 50, zipBytes: 100 * 2 ** 20 } })

  const zip = await built(await start({ selection: 'current' }))
  expect(zip).toMatchObject({ state: 'built', url: expect.stringMatching(/^http:\/\/127\.0\.0\.1:\d+\/bundles\//) })
  const download = await fetch(zip.url)
  expect(download.headers.get('content-disposition')).toContain('filename="service-libraries.zip"')
  const form = new FormData()
  const blob = await download.blob()
  expect(blob.size).toBe(zip.bytes)
  form.append('bundleFile', blob, 'service-libraries.zip')
  const imported = await install.ask('/api/import-libraries', { method: 'POST', key: install.keys.member, body: form })
  expect(await imported.json()).toMatchObject({ queued: expect.arrayContaining(['/acme/widgets', '/acme/gadgets@v1.0.0']) })
  await expect.poll(async () => (await install.json('/api/parse-status')).body, { timeout: 30_000 }).toEqual({ activeParses: {} })
  const asked = await install.ask('/api/v2/context?libraryId=/acme/gadgets&query=turn+the+lever')
  expect(await asked.text()).toContain('Turn the lever of gadgets')
})

test('a selection shows what has changed since its last zip', async () => {
  type Changes = { builtAt: string; libraries: { change: string }[]; removedSince: string[] }
  const { body: before } = await dev.ask<Changes>('GET', at('/selections/current'))
  expect(before.libraries.map(({ change }) => change)).toEqual(['unchanged', 'unchanged'])
  await dashboard.hosted.git.commit('acme/widgets', { files: { 'more.md': '# More\n\nPull the chain.\n' } })
  await dashboard.hosted.run('refresh', { library: '/acme/widgets' })
  await vi.waitFor(async () => {
    expect(await dashboard.hosted.run('progress', { library: '/acme/widgets' })).toMatchObject({ active: false })
  }, 30_000)
  const libraries = ['/acme/widgets', '/acme/widgets@v1.0.0', '/acme/secret', '/acme/none']
  await dev.ask('PUT', at('/selections/current'), { name: 'Air gap', libraries })
  const { body } = await dev.ask<Changes>('GET', at('/selections/current'))
  expect(body.libraries.map(({ change }) => change)).toEqual(['changed', 'new', 'missing', 'missing'])
  expect(body.removedSince).toEqual(['/ACME/gadgets'])
  const listed = await dev.ask('GET', at('/selections'))
  expect(listed.body).toMatchObject({ selections: [{ id: 'current', libraries: 4, builtAt: before.builtAt }] })
})

test('a link that was altered or has expired downloads nothing', async () => {
  const { url } = await built(await start({ libraries: ['/acme/widgets'] }))
  const altered = [
    url.replace(/expires=\d/, 'expires=9'),
    url.replace(/signature=(.)/, (_, first) => `signature=${first === '0' ? '1' : '0'}`),
    url.replace('bundles/', 'catalog/'),
    url.replace(/\?.*/, ''),
    url.replace('service-libraries', 'evil'),
  ]
  for (const each of altered) expect([each, (await fetch(each)).status]).toEqual([each, 403])
  expect((await fetch(url)).status).toBe(200)
})

test('a private library of the own teamspace is rejected like a missing one', async () => {
  const answers = []
  for (const id of ['secret', 'none']) {
    const { status, body } = await dev.ask<Body>('POST', at('/exports'), { libraries: [`/acme/${id}`] })
    answers.push(JSON.stringify([status, body]).replaceAll('secret', 'none'))
  }
  expect(answers[0]).toContain('library_not_found')
  expect(answers[1]).toBe(answers[0])
  expect((await dev.ask('GET', at('/exports/libraries?q=secret'))).body).toEqual({ libraries: [] })
})

const many = Array.from({ length: 51 }, (_, n) => `/acme/lib${n}`)

test.each([
  ['51 libraries', { libraries: many }, 'a zip has at most 50'],
  ['no library', { libraries: [] }, 'at least one'],
  ['neither libraries nor a selection', {}, 'libraries or a selection'],
  ['both', { libraries: ['/a/b'], selection: 'current' }, 'libraries or a selection'],
  ['an id that is none', { libraries: ['acme'] }, ''],
  ['an unknown selection', { selection: 'unknown' }, 'no selection'],
])('an export of %s is rejected before it starts', async (_, body, message) => {
  const answer = await dev.ask<Body>('POST', at('/exports'), body)
  expect(answer.status === 400 || answer.status === 404).toBe(true)
  expect(answer.body.message).toContain(message)
})

test('too many longer ids are rejected before any library is looked up, and 50 are looked up together', async () => {
  const longer = (count: number) => Array.from({ length: count }, (_, n) => `/github/acme~lib${n}`)
  let [lookups, waiting, most] = [0, 0, 0]
  const record = async () => {
    lookups += 1
    most = Math.max(most, ++waiting)
    await new Promise(setImmediate)
    waiting -= 1
    return undefined
  }
  const ports = { catalog: { record }, gitHosts: () => defaultGitHosts }
  await expect(distinctLibraries(ports, longer(1_000))).rejects.toMatchObject({ fields: { libraries: 1_000, limit: 50 } })
  expect(lookups).toBe(0)
  expect(await distinctLibraries(ports, longer(50))).toHaveLength(50)
  expect(most).toBe(50)
})

test('a selection of 51 libraries is not saved, and one under an invalid id neither', async () => {
  expect((await dev.ask('PUT', at('/selections/large'), { name: 'Large', libraries: many })).status).toBe(400)
  expect((await dev.ask('PUT', at('/selections/La_rge'), { name: 'Large', libraries: [] })).status).toBe(400)
  expect((await dev.ask('GET', at('/selections/large'))).status).toBe(404)
  expect((await dev.ask('DELETE', at('/selections/large'))).status).toBe(404)
})

test('a selection that changed since it was read is not overwritten, and neither of two members loses a library', async () => {
  const path = at('/selections/current')
  const read = async () => (await dev.send('GET', path)).headers.get('etag') ?? ''
  const put = (etag: string, ...libraries: string[]) =>
    dev.send('PUT', path, { name: 'Air gap', libraries }, { 'if-match': etag })
  const first = await read()
  expect((await put(first, '/acme/widgets')).status).toBe(200)
  const late = await put(first, '/acme/gadgets')
  expect(late.status).toBe(412)
  expect(await late.json()).toMatchObject({ error: 'precondition_failed', names: expect.arrayContaining(['libraries']) })

  const second = await read()
  const both = await Promise.all([put(second, '/acme/widgets', '/acme/gadgets'), put(second, '/acme/widgets', '/acme/other')])
  expect(both.map(({ status }) => status).sort()).toEqual([200, 412])
  const winner = both.find(({ status }) => status === 200)
  expect(await winner?.json()).toEqual((await dev.ask('GET', path)).body)
  expect(winner?.headers.get('etag')).toBe(await read())
})

test('two tabs of a teamspace without a selection do not overwrite each other', async () => {
  const fresh = await dashboard.teamspace('Fresh', { dev: 'owner' })
  await license('l5', 'Fresh')
  const path = at('/selections/current', fresh)
  const etag = (await dev.send('GET', path)).headers.get('etag') ?? ''
  const put = (library: string) =>
    dev.send('PUT', path, { name: 'Current selection', libraries: [library] }, { 'if-match': etag })
  const statuses = (await Promise.all([put('/acme/widgets'), put('/acme/gadgets')])).map(({ status }) => status)
  expect(statuses.sort()).toEqual([200, 412])
})

test('two exports are built at the same time, and a third is rejected until one is done', async () => {
  const { hosted } = dashboard.hosted
  const ids = await Promise.all([1, 2].map(() => start({ libraries: names.map((name) => `/acme/${name}`) })))
  await Promise.all(ids.map((id) => built(id)))
  await hosted.bundles.write(ids[0] ?? '', { state: 'building', done: 0, total: 2 })
  await hosted.bundles.write(ids[1] ?? '', { state: 'building', done: 0, total: 2 })
  expect(await dev.ask('POST', at('/exports'), { libraries: ['/acme/widgets'] })).toMatchObject({
    status: 409,
    body: { error: 'job_active' },
  })
  await hosted.bundles.write(ids[1] ?? '', { state: 'failed', code: 'search_failed', message: 'It broke.' })
  expect((await built(await start({ libraries: ['/acme/widgets'] }))).state).toBe('built')
  await hosted.bundles.write(ids[0] ?? '', { state: 'failed', code: 'search_failed', message: 'It broke.' })
})

test('an export of a library that is being refreshed holds the content that is served', async () => {
  const { git } = dashboard.hosted
  await git.commit('acme/gadgets', { files: { 'late.md': '# Late\n\nToo late.\n' } })
  const open = Promise.withResolvers<void>()
  git.misbehave('acme/gadgets', { kind: 'hold', until: open.promise, held: () => undefined })
  await dashboard.hosted.run('refresh', { library: '/acme/gadgets' })
  expect((await built(await start({ libraries: ['/acme/gadgets'] }))).state).toBe('built')
  open.resolve()
  await vi.waitFor(async () => {
    expect(await dashboard.hosted.run('progress', { library: '/acme/gadgets' })).toMatchObject({ active: false })
  }, 30_000)
  git.misbehave('acme/gadgets')
})

test('exports of a teamspace are those of its members alone', async () => {
  const other = await dashboard.teamspace('Other', { keeper: 'owner' })
  const keeper = await dashboard.signIn('keeper')
  await license('l2', 'Other')
  const id = await start({ libraries: ['/acme/widgets'] })
  await built(id)
  expect(await keeper.ask('GET', at(`/exports/${id}`, other))).toMatchObject({ status: 404, body: { error: 'not_found' } })
  expect((await keeper.ask('GET', at('/selections/current', other))).body).toMatchObject({ libraries: [], updatedAt: null })
  expect((await keeper.ask('GET', at('/exports', other))).body).toMatchObject({
    exports: [],
    licenses: [{ id: 'l2', customer: 'Acme Ltd', isValid: true }],
  })
  const mine = await dev.ask<{ exports: { id: string; url?: string }[] }>('GET', at('/exports'))
  expect(mine.body.exports.find((each) => each.id === id)).toMatchObject({ state: 'built' })
  expect(JSON.stringify(mine.body)).not.toContain('"url"')
})

test('a teamspace that is deleted while it exports leaves nothing that anybody can download', async () => {
  const gone = await dashboard.teamspace('Gone', { leaver: 'owner' })
  const leaver = await dashboard.signIn('leaver')
  await license('l3', 'Gone')
  await leaver.ask('PUT', at('/selections/current', gone), { name: 'All', libraries: ['/acme/widgets'] })
  const { body } = await leaver.ask<Body>('POST', at('/exports', gone), { selection: 'current' })
  await deleteTeamspace(dashboard.hosted.hosted, gone.id)
  for (const path of [`/exports/${body.id}`, '/exports', '/selections/current'])
    expect(await leaver.ask('GET', at(path, gone))).toMatchObject({ status: 404, body: { error: 'team_not_found' } })
  const { teamExports, selections } = dashboard.hosted.hosted
  expect([await teamExports.list(gone.id), await selections.list(gone.id)]).toEqual([[], []])
})

test.each([
  ['an online license', { kind: 'online' }],
  ['a license that has expired', { days: -1 }],
])('a teamspace with %s exports nothing', async (what, claims) => {
  const team = await dashboard.teamspace(what, { holder: 'owner' })
  const holder = await dashboard.signIn('holder')
  await license(what, what, claims)
  for (const [method, path, body] of [
    ['GET', '/exports'],
    ['GET', '/exports/libraries?q=widgets'],
    ['POST', '/exports', { libraries: ['/acme/widgets'] }],
    ['PUT', '/selections/current', { name: 'All', libraries: [] }],
  ] as const)
    expect(await holder.ask(method, at(path, team), body)).toMatchObject({ status: 403, body: { error: 'forbidden' } })
})

test('a license that ends while a zip is built ends its download', async () => {
  const team = await dashboard.teamspace('Ending', { last: 'owner' })
  const last = await dashboard.signIn('last')
  await license('l4', 'Ending', { days: 60 / 86_400 })
  const { body } = await last.ask<Body>('POST', at('/exports', team), { libraries: ['/acme/widgets'] })
  const { url } = await built(body.id, last, team)
  const expires = Number(new URL(url).searchParams.get('expires'))
  expect(expires - Date.now()).toBeLessThanOrEqual(60_000)
  await dashboard.hosted.run('revokeLicense', { id: 'l4' })
  expect(await last.ask('GET', at(`/exports/${body.id}`, team))).toMatchObject({ status: 403, body: { error: 'forbidden' } })
})
