import { once } from 'node:events'
import { createServer, type Server } from 'node:http'
import type { AddressInfo } from 'node:net'
import { PutCommand } from '@aws-sdk/lib-dynamodb'
import type { Context } from 'aws-lambda'
import { afterAll, beforeAll, expect, test } from 'vitest'
import { exportLimits } from '../../functions/bundles/export-library.ts'
import { makeKeyPair } from '../../shared/keys/key-pair.ts'
import { signLicense } from '../../shared/keys/license.ts'
import { type GitServer, startGitServer } from '../fixtures/git-server.ts'
import { apiForm, exportEntry, gatewayEvent, kinesisRecord, lambdaContext, logsEvent } from '../fixtures/lambda-events.ts'
import { startStage, type TestStage } from '../fixtures/stage.ts'
import { usageEvent } from '../fixtures/usage.ts'
import { mayDo } from './may-do.ts'
import { type Call, recordCalls } from './recorded-calls.ts'
import { allows, rightsOf } from './rights.ts'

/** `dashboard-access.test.ts` has the other role. */
const { DashboardRole: _, ...roles } = mayDo
const rights = rightsOf(roles)
const pair = makeKeyPair()
const by = { createdBy: 'test' }
/** The token of a private repository. */
const token = 'ghp_secret1234'
let recorded: ReturnType<typeof recordCalls>
let stage: TestStage
let git: GitServer
/** It never has capacity. */
let ecs: Server
let lambda: Server
/** Requests to the function Bundle. */
const invoked: unknown[] = []

beforeAll(async () => {
  ;[stage, git] = await Promise.all([startStage(), startGitServer()])
  ecs = createServer((request, response) => {
    request.resume()
    response.end(JSON.stringify({ tasks: [], failures: [{ reason: 'RESOURCE:CPU' }] }))
  })
  lambda = createServer(async (request, response) => {
    invoked.push(JSON.parse(Buffer.concat(await request.toArray()).toString()))
    response.writeHead(202).end()
  })
  await Promise.all([ecs, lambda].map((server) => once(server.listen(0, '127.0.0.1'), 'listening')))
  Object.assign(process.env, stage.env, {
    GITHUB_BASE_URL: git.url,
    AWS_ENDPOINT_URL_ECS: addressOf(ecs),
    AWS_ENDPOINT_URL_LAMBDA: addressOf(lambda),
    WORKER_TASK: JSON.stringify(nowhere),
  })
  await git.create('acme/widgets', {
    files: { 'README.md': '# Widgets\n\nTurn the lever.\n', 'carrel.json': '{"rules":["Use levers."]}' },
  })
  await git.create('acme/secret', { files: { 'README.md': '# Secret\n\nPull the rope.\n' }, private: `*:${token}` })
  await git.create('acme/large', { files: { 'README.md': `# Large\n\n${'Turn the lever. '.repeat(1000)}\n` } })
  Object.assign(exportLimits, { bytes: 8_000, buildWaitMs: 0 })
  recorded = recordCalls(stage.doors.s3)
})
afterAll(async () => {
  for (const server of [ecs, lambda]) {
    server.closeAllConnections()
    server.close()
  }
  await stage.close()
  await git.close()
})

const addressOf = (server: Server) => `http://127.0.0.1:${(server.address() as AddressInfo).port}`

const uploadEvent = (key: string) => ({
  ...gatewayEvent('POST', '/api/v2/add/openapi-upload', {
    authorization: `Bearer ${key}`,
    'content-type': 'multipart/form-data; boundary=part',
  }),
  body: apiForm,
})

const nowhere = {
  cluster: 'arn:aws:ecs:us-east-1:123456789012:cluster/none',
  taskDefinition: 'arn:aws:ecs:us-east-1:123456789012:task-definition/none:1',
  containers: ['Worker'],
  subnets: ['subnet'],
  securityGroups: ['group'],
  assignPublicIp: true,
}
const as = <T>(role: string, work: () => Promise<T>): Promise<T> => recorded.as(role, work)

test('each role has exactly the permissions that its function uses', async () => {
  const library = { owner: 'acme', repo: 'widgets' }
  const named = '/acme/widgets'
  const { handler: api } = await as('ApiRole', () => import('../../functions/entries/api.ts'))
  const { team, key, held, unused, offline, online } = await prepare()
  const ask = (method: string, path: string, bearer?: string, body?: unknown) => {
    const headers: Record<string, string> = bearer === undefined ? {} : { authorization: `Bearer ${bearer}` }
    return invoke('ApiRole', api, gatewayEvent(method, path, headers, body))
  }
  const { handler: start } = await import('../../functions/entries/start-worker.ts')
  const { handler: check } = await import('../../functions/entries/checks.ts')
  const { handler: sweep } = await import('../../functions/entries/schedule.ts')
  const { handler: count } = await import('../../functions/entries/usage.ts')
  const { handler: countLogged } = await import('../../functions/entries/replay-usage.ts')
  const { handler: pack } = await import('../../functions/entries/bundle.ts')
  const exporting = await as('ExportRole', exportEntry)

  expect(await work(named)).toBe('none')
  expect(await ask('POST', '/api/v2/add/repo/github', key, { docsRepoUrl: `${git.url}${named}` })).toBe(200)
  expect(await ask('GET', `/api/v2/context?libraryId=${named}&query=lever`)).toBe(404)
  await invoke('StartWorkerRole', start, { Records: [{ messageId: '1', body: named }] })
  expect(await work(named)).toBe('finalized')
  await loseSnapshot()
  // A function that starts now.
  await expect(as('ApiRole', async () => (await hosted()).names.listed())).rejects.toMatchObject({ code: 'search_failed' })
  await (await hosted()).catalog.own(library, team)
  await git.commit('acme/widgets', { files: { 'more.md': '# More\n\nPull the rope.\n' } })
  expect(await ask('POST', '/api/v1/refresh', key, { libraryName: named })).toBe(200)
  await work(named, AbortSignal.abort())
  await leaveBehind()
  expect(await work(named)).toBe('finalized')
  expect(await ask('POST', '/api/v1/refresh', key, { libraryName: named })).toBe(200)
  await invoke('StartWorkerRole', start, { Records: [{ messageId: '1', body: named }] })
  expect(await work(named)).toBe('none')
  await leaveInOldFormat()
  await leaveBehind()
  await invoke('ScheduleRole', sweep, {})
  expect(await work(named)).toBe('finalized')
  expect(await ask('GET', `/api/v2/context?libraryId=${named}&query=lever`)).toBe(200)
  const secret = { docsRepoUrl: `${git.url}/acme/secret`, private: true }
  const keeper = await keyOfPrivate()
  expect(await ask('POST', '/api/v2/add/repo/github', keeper, secret)).toBe(200)
  expect(await work('/acme/secret')).toBe('finalized')
  expect(await invoke('ApiRole', api, uploadEvent(keeper))).toBe(200)
  expect(await ask('GET', '/api/v2/libs/search?libraryName=widgets', online)).toBe(200)
  expect(await ask('PATCH', '/api/v2/policies', online, { sourceTypes: {} })).toBe(200)
  await invoke('ApplyUsageRole', count, {
    Records: [kinesisRecord(JSON.stringify(usageEvent({ library: named, surface: 'mcp', user: 'u'.repeat(22) })), 1)],
  })
  expect(await ask('GET', '/api/v2/libs/search?libraryName=widgets', key)).toBe(200)
  const takedown = { library: named, reason: 'It is mine.', contact: 'ann@example.com' }
  expect(await ask('POST', '/api/v2/takedowns', undefined, takedown)).toBe(202)
  const missed = JSON.stringify({
    event: usageEvent({ library: '/acme/missed', surface: 'mcp', user: 'v'.repeat(22) }),
    uncertain: false,
  })
  await invoke('ReplayUsageRole', countLogged, logsEvent([missed]))
  expect(await ask('GET', `/api/v2/libs/metrics?libraryId=${named}`, key)).toBe(200)
  expect(await ask('GET', `/api/v2/libs/metrics?libraryId=${named}`, held)).toBe(200)
  const exporter = (library: string) => as('ExportRole', () => exporting({ authorization: `Bearer ${offline}` }, library))
  expect(await exporter(named)).toMatchObject({ status: 200 })
  expect(await ask('POST', '/api/v2/add/repo/github', key, { docsRepoUrl: `${git.url}/acme/large` })).toBe(200)
  expect(await work('/acme/large')).toBe('finalized')
  expect(await exporter('/acme/large')).toMatchObject({ status: 503, body: { error: 'temporarily_unavailable' } })
  await invoke('BundleRole', pack, invoked[0])
  const stored = await exporter('/acme/large')
  expect([stored.status, stored.body]).toEqual([303, {}])
  expect(await (await fetch(stored.location ?? '')).json()).toMatchObject({ libraries: [{ project: '/acme/large' }] })
  await as('ExportRole', () => exporting({ authorization: `Bearer ${unused}` }, named))
  await as('ExportRole', () => exporting({ authorization: `Bearer ${held}` }, named))
  await invoke('BundleRole', pack, { id: 'b', libraries: [named] })

  await git.commit('acme/widgets', { files: { 'carrel.json': '{"disallowIndexing": true}' } })
  await makeDue(named)
  await invoke('ChecksRole', check, {})
  await makeDue(named)
  await invoke('ChecksRole', check, {})
  expect(await work(named)).toBe('removed')

  const { calls } = recorded
  const ofRoles = calls.filter(({ role }) => role !== undefined)
  expect(unique(ofRoles.filter((call) => !rights.some((right) => allows(right, call))))).toEqual([])
  expect(unique(rights.filter((right) => !ofRoles.some((call) => allows(right, call))))).toEqual([])
})

const unique = (calls: Call[]): string[] => [
  ...new Set(calls.map(({ role, resource, action }) => `${role} ${action} ${resource}`)),
]

async function work(key: string, signal = new AbortController().signal) {
  const { awsWorker } = await import('../../functions/aws/stage-ports.ts')
  const { workLibrary } = await import('../../functions/worker/work-library.ts')
  return as('WorkerTaskRole', () => workLibrary(awsWorker(), key, signal))
}

async function hosted() {
  return (await import('../../functions/aws/stage-ports.ts')).awsHosted()
}

/** The command line's preparations, with the rights of its operator. */
async function prepare() {
  const { licenses, teamspaces } = await hosted()
  const team = await teamspaces.create('acme', 'free')
  await licenses.trust(pair.publicPem)
  const license = (kind: 'offline' | 'online') =>
    signLicense({ id: kind, customer: 'Example', kind, expiresAt: '2099-01-01T00:00:00.000Z' }, pair.privatePem)
  const [key, unused] = [await teamspaces.createKey(team.id, by), await teamspaces.createKey(team.id, by)].map((made) => made.key)
  await teamspaces.addMember(team.id, 'ann', 'owner')
  const { key: held } = await teamspaces.createKey(team.id, { ...by, holder: 'ann' })
  return { team: team.id, key, held, unused, offline: await license('offline'), online: await license('online') }
}

/** A key of a teamspace that has a token. */
async function keyOfPrivate(): Promise<string> {
  const { gitTokens, teamspaces } = await hosted()
  const { id } = await teamspaces.create('private', 'team')
  await gitTokens.save(id, 'github', token)
  return (await teamspaces.createKey(id, by)).key
}

/** The snapshot names an object that does not exist. */
async function loseSnapshot() {
  const { snapshots } = (await hosted()).catalog
  const turn = await snapshots.take(true)
  if (!turn) throw new Error('Another process publishes.')
  await snapshots.publish('catalog/lost.jsonl.gz', turn, false)
  await snapshots.release(turn)
}

/** An unpublished change, an old snapshot, old content, an old salt, and a job that no worker has claimed. */
async function leaveBehind() {
  await (await hosted()).catalog.snapshots.change('/acme/widgets', 1)
  const long = '2020-01-01T00:00:00.000Z'
  const job = { id: 'old', key: '/acme/old', project: '/acme/old', state: 'queued', request: '{}', progress: '{}' }
  const left = [
    { pk: 'SNAPSHOT', sk: 'OBJECT#catalog/old', object: 'catalog/old', at: long },
    { pk: 'GENERATIONS', sk: 'old', name: 'old', key: '/acme/widgets', retiredAt: long },
    { pk: 'GENERATIONS', sk: 'removed', name: 'removed', key: '/acme/removed', retiredAt: long },
    { pk: 'DETAILS#/acme/removed', sk: 'VERSIONS#old', at: long },
    { pk: 'DETAILS#/acme/widgets', sk: 'VERSIONS#old', at: long },
    { pk: 'JOBS', sk: '/acme/old', ...job, createdAt: long, dueAt: long, sentAt: long },
  ]
  for (const Item of left) await stage.dynamo.db.send(new PutCommand({ TableName: stage.dynamo.name, Item }))
  await stage.dynamo.db.send(new PutCommand({ TableName: 'salts', Item: { pk: '2020-01-01', salt: 'old' } }))
}

/** A check that is due, one of a removed library, and one that has been planned again. */
async function makeDue(named: string) {
  const { checks } = await hosted()
  await checks.plan(named, { dueAt: new Date(Date.now() - 2_000) })
  await checks.plan(named, { dueAt: new Date(Date.now() - 1_000) })
  await checks.plan('/acme/removed', { dueAt: new Date(Date.now() - 1_000) })
}

/** The library in an old format, and no unfinished job. */
async function leaveInOldFormat() {
  const { catalog, jobs } = await hosted()
  const id = { owner: 'acme', repo: 'widgets' }
  const writer = { worker: 'old', bundleBytes: () => 0 }
  await catalog.begin(id, writer.worker)
  const [{ generation } = { generation: '' }] = (await catalog.record(id))?.versions.values() ?? []
  await catalog.replace(id, writer, generation, { generation, format: 0 })
  await catalog.end(id, writer.worker, {})
  for (const { key } of await jobs.active()) {
    const job = await jobs.claim(key, 'old')
    if (job) await jobs.finish(job)
  }
}

const invoke = (role: string, handler: unknown, event: unknown): Promise<number | undefined> =>
  as(role, async () => {
    const run = handler as (event: unknown, context: Context) => Promise<{ statusCode?: number } | undefined>
    return (await run(event, lambdaContext))?.statusCode
  })
