import { randomUUID } from 'node:crypto'
import { DeleteCommand, PutCommand, paginateScan } from '@aws-sdk/lib-dynamodb'
import type { APIGatewayProxyEventV2, Context } from 'aws-lambda'
import { afterAll, beforeAll, expect, test } from 'vitest'
import { hostedProgram } from '../../../functions/cli/hosted-program.ts'
import { licenseProgram } from '../../../functions/cli/license-program.ts'
import { makeKeyPair } from '../../../shared/keys/key-pair.ts'
import { signLicense } from '../../../shared/keys/license.ts'
import { type GitServer, startGitServer } from '../../fixtures/git-server.ts'
import { exportEntry, gatewayEvent, lambdaContext, type StreamedAnswer } from '../../fixtures/lambda-events.ts'
import { runHere } from '../../fixtures/run-here.ts'
import { startStage, type TestStage } from '../../fixtures/stage.ts'
import { usageEvent } from '../../fixtures/usage.ts'

const pair = makeKeyPair()
let stage: TestStage
let git: GitServer
let api: (event: APIGatewayProxyEventV2, context: Context) => Promise<{ statusCode: number; body: string }>
let exported: (license: string, library: string) => Promise<StreamedAnswer>

beforeAll(async () => {
  ;[stage, git] = await Promise.all([startStage({ licenseKey: pair.publicPem }, { versions: true }), startGitServer()])
  Object.assign(process.env, stage.env, { GITHUB_BASE_URL: git.url })
  api = (await import('../../../functions/entries/api.ts')).handler as never
  const ask = await exportEntry()
  exported = (license, library) => ask({ authorization: `Bearer ${license}` }, library)
})
afterAll(async () => {
  await stage.close()
  await git.close()
})

const ask = async (path: string, headers: Record<string, string> = {}) => {
  const { statusCode, body } = await api(gatewayEvent('GET', path, headers), lambdaContext)
  return { status: statusCode, body }
}
const context = (id: string) => ask(`/api/v2/context?libraryId=${id}&query=lever`)
const hosted = (...words: string[]) => runHere(hostedProgram, { words, env: process.env })
const license = (...words: string[]) => runHere(licenseProgram, { words, env: process.env })

async function parse(id: string): Promise<void> {
  const { awsWorker } = await import('../../../functions/aws/stage-ports.ts')
  const { workLibrary } = await import('../../../functions/worker/work-library.ts')
  expect(await workLibrary(awsWorker(), id, new AbortController().signal)).toBe('finalized')
}

async function add(repo: string): Promise<void> {
  const { awsHosted } = await import('../../../functions/aws/stage-ports.ts')
  const { addLibrary } = await import('../../../functions/jobs/add-library.ts')
  await git.create(repo, { files: { 'README.md': `# ${repo}\n\nTurn the lever of ${repo}.\n` } })
  await addLibrary(awsHosted(), { repoUrl: `${git.url}/${repo}`, isPrivate: false })
  await parse(`/${repo}`)
}

/** A new commit replaces the content, and the schedule deletes what was replaced. */
async function replaceContent(owner: string, repo: string): Promise<void> {
  const { awsHosted, awsSchedule } = await import('../../../functions/aws/stage-ports.ts')
  const { refreshLibrary } = await import('../../../functions/jobs/refresh-library.ts')
  const { schedule } = await import('../../../functions/jobs/schedule.ts')
  await git.commit(`${owner}/${repo}`, { files: { 'README.md': `# ${repo}\n\nTurn the crank of ${repo}.\n` } })
  await refreshLibrary(awsHosted(), { owner, repo })
  await parse(`/${owner}/${repo}`)
  await schedule({ ...awsSchedule(), retiredMs: 0 })()
}

const items = async () => {
  const pages = paginateScan({ client: stage.dynamo.db }, { TableName: stage.dynamo.name })
  const found: Record<string, unknown>[] = []
  for await (const { Items = [] } of pages) found.push(...Items)
  return found
}

/** Does what point-in-time recovery does: the table has the items of an earlier time. */
async function restoreTable(before: Record<string, unknown>[]): Promise<void> {
  const { db, name: TableName } = stage.dynamo
  for (const { pk, sk } of await items()) await db.send(new DeleteCommand({ TableName, Key: { pk, sk } }))
  for (const Item of before) await db.send(new PutCommand({ TableName, Item }))
}

test('a table of an earlier time finds its content, and what was revoked, removed and erased since stays so', async () => {
  for (const repo of ['acme/widgets', 'acme/unread', 'acme/gone']) await add(repo)
  await hosted('teamspace', 'create', 'acme')
  await hosted('own', '/acme/widgets', '--teamspace', 'acme')
  const [key, leaked] = [
    await hosted('key', 'create', '--teamspace', 'acme'),
    await hosted('key', 'create', '--teamspace', 'acme'),
  ]
  await hosted('teamspace', 'create', 'leaving')
  const left = await hosted('key', 'create', '--teamspace', 'leaving')
  const leakedId = /key (\w+) of/.exec(leaked.err)?.[1] ?? ''
  const sign = (id: string) =>
    signLicense({ id, customer: 'Example', kind: 'offline', expiresAt: '2099-01-01T00:00:00.000Z' }, pair.privatePem)
  const [valid, revoked] = [await sign('valid'), await sign('revoked')]
  const { awsHosted } = await import('../../../functions/aws/stage-ports.ts')
  await awsHosted().licenses.record({
    id: 'revoked',
    customer: 'Example',
    kind: 'offline',
    expiresAt: '2099-01-01T00:00:00.000Z',
  })
  const event = usageEvent({ library: '/acme/widgets' })
  await awsHosted().counters.add('/acme/widgets', 'shard', [{ sequence: '1', event }])
  const metrics = async (sent: string) =>
    ask('/api/v2/libs/metrics?libraryId=/acme/widgets&days=30', { authorization: `Bearer ${sent.trim()}` })
  expect(JSON.parse((await metrics(key.out)).body).total.txt).toBe(1)

  const restoredTo = new Date().toISOString()
  const before = await items()

  await replaceContent('acme', 'widgets')
  await replaceContent('acme', 'unread')
  for (const command of [
    await hosted('key', 'revoke', leakedId),
    await license('revoke', 'revoked'),
    await hosted('remove', '/acme/gone'),
    await hosted('teamspace', 'delete', 'leaving'),
    await hosted('usage', 'erase', '/acme/widgets'),
  ])
    expect([command.code, command.err]).toEqual([0, expect.not.stringContaining('carrel: There is no')])

  await restoreTable(before)
  expect((await context('/acme/unread')).body).not.toContain('Turn the lever')
  expect((await exported(revoked, 'acme/gone')).status).not.toBe(401)
  expect((await metrics(leaked.out)).status).toBe(200)
  expect((await metrics(left.out)).status).not.toBe(401)

  const { awsSchedule } = await import('../../../functions/aws/stage-ports.ts')
  const snapshot = before.find(({ pk, sk }) => pk === 'SNAPSHOT' && sk === 'STATE')
  await awsSchedule().objects.remove(String(snapshot?.object))
  await expect(awsHosted().names.listed()).rejects.toThrow('was lost')

  const recovered = await hosted('recover', '--restored-to', restoredTo)
  expect(recovered).toMatchObject({ code: 0, out: '' })
  expect(recovered.err).toMatch(/^carrel: 2 libraries, [1-9]\d* deleted objects restored, 5 acts repeated\.$/m)
  for (const id of ['/acme/widgets', '/acme/unread']) expect((await context(id)).body).toContain('Turn the lever')
  expect((await exported(valid, 'acme/widgets')).status).toBe(200)
  expect((await exported(revoked, 'acme/widgets')).status).toBe(401)
  for (const revokedKey of [leaked, left]) expect((await metrics(revokedKey.out)).status).toBe(401)
  expect(JSON.parse((await metrics(key.out)).body).total.txt).toBe(0)
  expect((await context('/acme/gone')).status).toBe(404)
  const { libraries } = await awsHosted().names.listed()
  expect(libraries.map(({ id }) => id).sort()).toEqual(['/acme/unread', '/acme/widgets'])
  expect((await hosted('recover', '--restored-to', restoredTo)).err).toMatch(/2 libraries, 0 deleted objects restored/)

  await replaceContent('acme', 'unread')
  await restoreTable(before)
  stage.content?.expire()
  const late = await hosted('recover', '--restored-to', restoredTo)
  expect([late.code, late.out]).toEqual([0, '/acme/unread\n'])
  expect(late.err).toContain('Refresh them with "hosted refresh".')
}, 120_000)

test('a table of an earlier time has no session, and no member, role, invitation, account or opt-out that has ended since', async () => {
  const { awsHosted } = await import('../../../functions/aws/stage-ports.ts')
  const { notingPorts } = await import('../../../functions/recovery/noting-ports.ts')
  const { invites, optOuts, sessions, teamspaces, users } = notingPorts(awsHosted())
  const { id: team } = await teamspaces.create('crew', 'free', { id: randomUUID(), owner: 'ann' })
  await teamspaces.addMember(team, 'bob', 'admin')
  for (const user of ['eve', 'dan']) await teamspaces.addMember(team, user, 'developer')
  const { token } = await sessions.begin('eve', 'test')
  const invite = await invites.create({ teamspace: team, email: 'eve@example.com', role: 'admin', invitedBy: 'ann' })
  const leaving = await users.signIn({ issuer: 'https://issuer.example.com', sub: 'fay', email: 'fay@example.com', name: 'Fay' })
  await optOuts.add('/acme/shy', { library: '/acme/Shy', by: 'operator' })

  const restoredTo = new Date().toISOString()
  const before = await items()

  await teamspaces.changeRole(team, 'bob', 'developer')
  for (const user of ['eve', 'dan']) await teamspaces.removeMember(team, user)
  await teamspaces.addMember(team, 'dan', 'admin')
  await expect(teamspaces.removeMember(team, 'ann')).rejects.toMatchObject({ code: 'validation_error' })
  await sessions.endAll('eve')
  await invites.remove(team, invite.id)
  await users.remove(leaving.id)
  await optOuts.lift('/acme/shy')

  await restoreTable(before)
  expect(await sessions.find(token)).toBeDefined()
  const recovered = await hosted('recover', '--restored-to', restoredTo)
  expect([recovered.code, recovered.err]).toEqual([0, expect.not.stringContaining('could not')])
  const members = (await teamspaces.members(team)).map(({ user, role }) => `${user} ${role}`)
  expect(members.sort()).toEqual(['ann owner', 'bob developer', 'dan admin'])
  expect(await sessions.find(token)).toBeUndefined()
  expect(await invites.list(team)).toEqual([])
  expect(await users.get(leaving.id)).toBeUndefined()
  expect(await optOuts.find('/acme/shy')).toBeUndefined()
}, 60_000)
