import { once } from 'node:events'
import { createServer, type Server } from 'node:http'
import type { AddressInfo } from 'node:net'
import { ScanCommand, UpdateCommand } from '@aws-sdk/lib-dynamodb'
import type { APIGatewayProxyStructuredResultV2, Context } from 'aws-lambda'
import { afterAll, beforeAll, expect, test } from 'vitest'
import { type DevIssuer, startDevIssuer } from '../../functions/local/dev-issuer.ts'
import { type GitServer, startGitServer } from '../fixtures/git-server.ts'
import { apiForm, kinesisRecord, lambdaContext } from '../fixtures/lambda-events.ts'
import { startStage, type TestStage } from '../fixtures/stage.ts'
import { usageEvent } from '../fixtures/usage.ts'
import { dashboardBrowser } from './dashboard-browser.ts'
import { mayDoInProduction } from './may-do.ts'
import { recordCalls } from './recorded-calls.ts'
import { allows, rightsOf } from './rights.ts'

const role = 'DashboardRole'
const url = 'https://app.example.com'
const named = '/acme/widgets'
/** The token of a private repository. */
const token = 'ghp_secret1234'

let recorded: ReturnType<typeof recordCalls>
let stage: TestStage
let git: GitServer
let issuer: DevIssuer
let lambda: Server
/** Requests to the function Bundle. */
const invoked: unknown[] = []
let ses: Server
type Handler = (event: unknown, context: Context) => Promise<APIGatewayProxyStructuredResultV2>
let handler: Handler

beforeAll(async () => {
  issuer = await startDevIssuer({ port: 0, redirectUri: `${url}/auth/callback` })
  const { issuer: address, clientId, clientSecret } = issuer
  ;[stage, git] = await Promise.all([startStage({ signIn: { issuer: address, clientId, clientSecret, url } }), startGitServer()])
  lambda = createServer(async (request, response) => {
    invoked.push(JSON.parse(Buffer.concat(await request.toArray()).toString()))
    response.writeHead(202).end()
  })
  ses = createServer((request, response) => {
    request.resume()
    response.end('{"MessageId":"1"}')
  })
  await Promise.all([lambda, ses].map((server) => once(server.listen(0, '127.0.0.1'), 'listening')))
  Object.assign(process.env, stage.env, {
    GITHUB_BASE_URL: git.url,
    AWS_ENDPOINT_URL_LAMBDA: addressOf(lambda),
    AWS_ENDPOINT_URL_SESV2: addressOf(ses),
    MAIL_FROM: 'carrel@docs.example.com',
  })
  await git.create('acme/widgets', { files: { 'README.md': '# Widgets\n\nTurn the lever.\n' } })
  await git.create('acme/secret', { files: { 'README.md': '# Secret\n\nPull the rope.\n' }, private: `*:${token}` })
  recorded = recordCalls(stage.doors.s3)
  ;({ handler } = (await recorded.as(role, () => import('../../functions/entries/dashboard.ts'))) as never)
})
afterAll(async () => {
  for (const server of [lambda, ses]) {
    server.closeAllConnections()
    server.close()
  }
  await Promise.all([stage.close(), git.close(), issuer.close()])
})

const addressOf = (server: Server) => `http://127.0.0.1:${(server.address() as AddressInfo).port}`

const browser = () => dashboardBrowser(url, (event) => recorded.as(role, () => handler(event, lambdaContext)))

/** Signs in as one of the people of the issuer, and returns their requests, which must succeed. */
async function signIn(person: string) {
  const cookies = await browser().signIn(person)
  return async (method: string, path: string, body?: unknown, status = 200) => {
    const answer = await browser().request(method, path, cookies, body)
    expect(answer.status, `${method} ${path} ${JSON.stringify(answer.body)}`).toBe(status)
    return answer.body
  }
}

/** The operator's part: only a plan allows to delete a public library. */
const setPlan = (id: string | undefined) =>
  stage.dynamo.db.send(
    new UpdateCommand({
      TableName: stage.dynamo.name,
      Key: { pk: `TEAM#${id}`, sk: 'TEAM' },
      UpdateExpression: 'SET #plan = :plan',
      ExpressionAttributeNames: { '#plan': 'plan' },
      ExpressionAttributeValues: { ':plan': 'team' },
    }),
  )

/** The library has counters. */
async function count(): Promise<void> {
  const { handler } = await import('../../functions/entries/usage.ts')
  const Records = [kinesisRecord(JSON.stringify(usageEvent({ library: named })), 1)]
  await recorded.as('ApplyUsageRole', async () => (handler as never as Handler)({ Records }, lambdaContext))
}

/** A function that starts now finds that the snapshot names an object that does not exist. */
async function loseSnapshot(): Promise<void> {
  const { awsHosted } = await import('../../functions/aws/stage-ports.ts')
  const { snapshots } = awsHosted().catalog
  const turn = await snapshots.take(true)
  if (!turn) throw new Error('Another process publishes.')
  await snapshots.publish('catalog/lost.jsonl.gz', turn, false)
  await snapshots.release(turn)
  await expect(recorded.as(role, async () => awsHosted().names.listed())).rejects.toMatchObject({ code: 'search_failed' })
  await awsHosted().publishNames({ whole: true })
}

/** The operator makes the teamspace the owner. */
async function own(team = ''): Promise<void> {
  const { awsHosted } = await import('../../functions/aws/stage-ports.ts')
  const { catalog, teamspaces } = awsHosted()
  await teamspaces.own(team, named, 'operator')
  await catalog.own({ owner: 'acme', repo: 'widgets' }, team)
}

async function buildZip(): Promise<void> {
  const { handler } = await import('../../functions/entries/bundle.ts')
  for (const event of invoked) await recorded.as('BundleRole', async () => (handler as never as Handler)(event, lambdaContext))
}

async function recordLicense(team: string | undefined): Promise<void> {
  const { awsHosted } = await import('../../functions/aws/stage-ports.ts')
  const license = { id: 'l', customer: 'Acme', kind: 'offline', expiresAt: '2099-01-01T00:00:00.000Z' } as const
  await awsHosted().licenses.record(license, team)
}

/** The sessions were last used on another day. */
async function leaveUnused(): Promise<void> {
  const { db, name: TableName } = stage.dynamo
  const { Items = [] } = await db.send(new ScanCommand({ TableName }))
  for (const { pk, sk } of Items.filter((item) => item.sk === 'SESSION'))
    await db.send(
      new UpdateCommand({
        TableName,
        Key: { pk, sk },
        UpdateExpression: 'SET seenDay = :day',
        ExpressionAttributeValues: { ':day': '2020-01-01' },
      }),
    )
}

/** A person with a new address, and another one with that of somebody else, which the issuer of this machine does not have. */
async function changeAddress(): Promise<void> {
  const { awsHosted } = await import('../../functions/aws/stage-ports.ts')
  const { users } = awsHosted()
  const signInAs = (sub: string, email: string) =>
    recorded.as(role, () => users.signIn({ issuer: 'https://issuer.example.com', sub, email, name: sub }))
  await signInAs('ann', 'ann@example.com')
  await signInAs('ann', 'ann@new.example.com')
  await expect(signInAs('eve', 'ann@new.example.com')).rejects.toMatchObject({ code: 'forbidden' })
}

async function work(library = named): Promise<void> {
  const { awsWorker } = await import('../../functions/aws/stage-ports.ts')
  const { workLibrary } = await import('../../functions/worker/work-library.ts')
  await recorded.as('Worker', () => workLibrary(awsWorker(), library, new AbortController().signal))
}

test('the role of the dashboard has exactly the permissions that its routes use', async () => {
  const [owner, admin] = [await signIn('owner'), await signIn('admin')]
  const { id } = await owner('POST', '/api/teamspaces', { name: 'Acme' }, 201)
  const team = `/api/teamspaces/${id}`
  await owner('PATCH', team, { name: 'Acme Inc.' })
  await setPlan(id)
  const { user } = (await admin('GET', '/api/session')) as unknown as { user: { id: string } }

  const invite = async () => {
    const body = { email: 'admin@example.com', role: 'admin' }
    const { link = '', sent } = await owner('POST', `${team}/invites`, body, 201)
    expect(sent).toBe(true)
    const token = link.split('/').at(-1)
    await admin('GET', `/api/invites/${token}`)
    await admin('POST', `/api/invites/${token}/accept`)
  }
  await invite()
  await owner('PATCH', `${team}/members/${user.id}`, { role: 'owner' })
  await owner('GET', `${team}/members`)
  const key = await admin('POST', `${team}/keys`, { name: 'ci' }, 201)
  await owner('GET', `${team}/keys`)
  await owner('DELETE', `${team}/keys/${key.id}`)
  await owner('DELETE', `${team}/members/${user.id}`)
  await invite()
  await admin('POST', `${team}/leave`, { name: 'Acme Inc.' })
  await owner('GET', `${team}/invites`)
  await owner('GET', `${team}/audit`)

  const library = `${team}/libraries${named}`
  await owner('POST', `${team}/libraries`, { repoUrl: `${git.url}${named}` }, 202)
  await work()
  await owner('GET', `${team}/libraries`)
  await owner('GET', `${team}/jobs`)
  await owner('GET', library)
  await owner('GET', `${library}/pages`)
  await owner('GET', `${library}/pages/README.md`)
  await owner('GET', `${library}/ask?query=lever`)
  await owner('GET', `${library}/usage`, undefined, 403)
  const { publicKey } = await owner('POST', `${library}/claim`)
  const file = JSON.stringify({ url: `https://example.com${named}`, public_key: publicKey })
  await git.commit('acme/widgets', { files: { 'carrel.json': file } })
  await owner('POST', `${library}/claim/verify`)
  await owner('GET', `${library}/usage`)
  await owner('GET', `${team}/usage`)
  await recordLicense(id)
  await owner('GET', `${team}/exports/libraries?q=widgets`)
  await owner('PUT', `${team}/selections/widgets`, { name: 'Widgets', libraries: [named] })
  await owner('GET', `${team}/selections`)
  const { id: zip } = await owner('POST', `${team}/exports`, { selection: 'widgets' }, 202)
  await buildZip()
  await owner('GET', `${team}/exports`)
  const built = await owner('GET', `${team}/exports/${zip}`)
  // A download has the rights of the role that signed its address.
  expect((await recorded.as(role, () => fetch(String(built.url)))).status).toBe(200)
  await owner('GET', `${team}/selections/widgets`)
  await owner('DELETE', `${team}/selections/widgets`)
  await owner('GET', `${team}/policy`)
  await owner('PATCH', `${team}/policy`, { sourceTypes: { enable: ['public_repos'] } })
  await owner('POST', `${team}/policy/preview`, { sourceTypes: { enable: ['public_repos'] } })
  await owner('GET', `${team}/licenses`)
  await owner('GET', `${team}/licenses/l/policy`)
  await owner('PATCH', `${team}/licenses/l/policy`, { sourceTypes: { enable: ['public_repos'] } })
  await owner('GET', `${team}/limits`)
  await owner('POST', `${team}/plan-request`, { plan: 'enterprise', contact: 'owner@example.com' }, 202)
  await owner('GET', `${team}/rules`)
  await owner('PUT', `${team}/rules`, { rules: ['Use levers.'] })
  await owner('GET', `${team}/opt-outs`)
  await owner('GET', `${library}/source`)
  await owner('PATCH', `${library}/source`, { branch: 'main', schedule: 'daily' })
  await owner('POST', `${library}/refresh`, undefined, 202)
  await owner('PUT', `${team}/git-tokens/github`, { token })
  await owner('GET', `${team}/git-tokens`)
  await owner('PUT', `${team}/confluence`, { siteUrl: 'https://acme.atlassian.net', token })
  await owner('GET', `${team}/confluence`)
  const pets = await owner('POST', `${team}/sources/openapi-upload`, apiForm, 202)
  await work(pets.libraryId)
  await owner('DELETE', `${team}/confluence`)
  await owner('POST', `${team}/libraries`, { repoUrl: `${git.url}/acme/secret`, private: true }, 202)
  await work('/acme/secret')
  await owner('DELETE', `${team}/git-tokens/github`)
  await work()
  await count()
  await loseSnapshot()
  await owner('DELETE', library)
  await owner('POST', `${team}/libraries`, { repoUrl: `${git.url}${named}` }, 202)
  await work()
  await own(id)
  await owner('POST', `${library}/opt-out`)
  await owner('DELETE', `${library}/opt-out`)
  await owner('DELETE', team, { name: 'Acme Inc.' })

  await changeAddress()
  await leaveUnused()
  await owner('GET', '/api/sessions')
  await owner('DELETE', '/api/sessions')
  await admin('GET', '/api/account/data')
  await admin('POST', '/auth/sign-out')
  const leaving = await signIn('developer')
  await leaving('DELETE', '/api/account', { email: 'developer@example.com' })

  const calls = recorded.calls.filter((call) => call.role === role)
  const rights = rightsOf({ [role]: mayDoInProduction[role] ?? {} })
  const shown = (each: { action: string; resource: string }[]) =>
    [...new Set(each.map(({ action, resource }) => `${action} ${resource.replace(/#.*/, '#')}`))].sort()
  expect(shown(calls.filter((call) => !rights.some((right) => allows(right, call))))).toEqual([])
  expect(shown(rights.filter((right) => !calls.some((call) => allows(right, call))))).toEqual([])
})
