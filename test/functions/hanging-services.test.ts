import type { APIGatewayProxyEventV2, Context } from 'aws-lambda'
import { afterAll, afterEach, beforeAll, expect, onTestFinished, test, vi } from 'vitest'
import { makeKeyPair } from '../../shared/keys/key-pair.ts'
import { signLicense } from '../../shared/keys/license.ts'
import { type Door, openDoor, type Refusal } from '../fixtures/door.ts'
import { type GitServer, startGitServer } from '../fixtures/git-server.ts'
import { exportEntry, gatewayEvent, lambdaContext } from '../fixtures/lambda-events.ts'
import { startStage, type TestStage } from '../fixtures/stage.ts'

type Answer = { statusCode: number; body: string; headers: Record<string, string> }

/** The longest time that a caller waits. */
const maxMs = 5_000
const dynamo = (type: string, status: number): Refusal => ({
  status,
  type: 'application/x-amz-json-1.0',
  body: JSON.stringify({ __type: `com.amazonaws.dynamodb.v20120810#${type}`, message: 'not now' }),
})
const failures: [string, Refusal][] = [
  ['hangs', 'hang'],
  ['cuts connections', 'cut'],
  ['throttles', dynamo('ProvisionedThroughputExceededException', 400)],
  ['answers 500', dynamo('InternalServerError', 500)],
]

const pair = makeKeyPair()
let stage: TestStage
let git: GitServer
let key: string
let gitLab: Door
let api: (event: APIGatewayProxyEventV2, context: Context) => Promise<Answer>

beforeAll(async () => {
  ;[stage, git] = await Promise.all([startStage({ licenseKey: pair.publicPem }), startGitServer()])
  gitLab = await openDoor(git.url)
  Object.assign(process.env, stage.env, { GITHUB_BASE_URL: git.url, GITLAB_BASE_URL: gitLab.url })
  api = (await import('../../functions/entries/api.ts')).handler as never
  const { awsHosted } = await import('../../functions/aws/stage-ports.ts')
  const { teamspaces } = awsHosted()
  const { id } = await teamspaces.create('acme', 'team')
  key = (await teamspaces.createKey(id, { createdBy: 'a test' })).key
  for (const name of ['widgets', 'unread']) await parsed(name)
})
afterEach(() => {
  for (const door of Object.values(stage.doors)) door.open()
})
afterAll(async () => {
  await stage.close()
  await gitLab.close()
  await git.close()
})

async function parsed(name: string): Promise<void> {
  const { awsHosted, awsWorker } = await import('../../functions/aws/stage-ports.ts')
  const { addLibrary } = await import('../../functions/jobs/add-library.ts')
  const { workLibrary } = await import('../../functions/worker/work-library.ts')
  await git.create(`acme/${name}`, { files: { 'README.md': `# ${name}\n\nTurn the lever of ${name}.\n` } })
  await addLibrary(awsHosted(), { repoUrl: `${git.url}/acme/${name}`, isPrivate: false })
  expect(await workLibrary(awsWorker(), `/acme/${name}`, new AbortController().signal)).toBe('finalized')
}

/** The response, after at most five seconds. */
async function asked(method: string, path: string, headers: Record<string, string> = {}, body?: unknown) {
  const beganAt = performance.now()
  const event = gatewayEvent(method, path, { 'x-viewer-address': '203.0.113.9', ...headers }, body)
  const { statusCode, body: text } = await api(event, lambdaContext)
  const ms = performance.now() - beganAt
  expect(ms, path).toBeLessThan(maxMs)
  return { status: statusCode, text, error: text.startsWith('{') ? JSON.parse(text).error : undefined }
}
const context = (name: string, headers = {}) => asked('GET', `/api/v2/context?libraryId=/acme/${name}&query=lever`, headers)
const bearer = () => ({ authorization: `Bearer ${key}` })

test.each(failures)(
  'questions are answered within five seconds with an error of the contract while DynamoDB %s',
  async (_what, refusal) => {
    stage.doors.dynamo.shut(() => refusal)
    for (const headers of [{}, bearer()]) {
      const { status, error } = await context('widgets', headers)
      expect([status, error]).toEqual([503, 'temporarily_unavailable'])
    }
    stage.doors.dynamo.open()
    expect((await context('widgets', bearer())).text).toContain('Turn the lever')
  },
)

test('metrics keep to the errors of the specification while DynamoDB hangs', async () => {
  stage.doors.dynamo.shut(() => 'hang')
  const { status, error } = await asked('GET', '/api/v2/libs/metrics?libraryId=/acme/widgets', bearer())
  expect([status, error]).toEqual([500, 'internal_error'])
})

test('questions about content on the disk are answered while S3 hangs, and others fail within five seconds', async () => {
  expect((await context('widgets')).status).toBe(200)
  stage.doors.s3.shut(() => 'hang')
  expect((await context('widgets')).text).toContain('Turn the lever')
  const { status, error } = await context('unread')
  expect([status, error]).toEqual([503, 'search_failed'])
  stage.doors.s3.open()
  expect((await context('unread')).text).toContain('Turn the lever')
})

test.each(['hang', 'stall'] as const)(
  'a search after a quiet minute is answered from the list in memory while S3 does not (%s)',
  async (how) => {
    const { awsHosted } = await import('../../functions/aws/stage-ports.ts')
    const search = () => asked('GET', '/api/v2/libs/search?libraryName=widgets')
    await awsHosted().publishNames({ whole: true })
    expect((await search()).status).toBe(200)
    await awsHosted().publishNames({ whole: true })
    stage.doors.s3.shut(() => how)
    vi.useFakeTimers({ toFake: ['Date'], now: Date.now() + 70_000 })
    onTestFinished(() => void vi.useRealTimers())
    expect((await search()).text).toContain('/acme/widgets')
  },
)

test('the first search of a process fails within five seconds while S3 stalls', async () => {
  const { awsHosted } = await import('../../functions/aws/stage-ports.ts')
  stage.doors.s3.shut(() => 'stall')
  const beganAt = performance.now()
  await expect(awsHosted().names.listed()).rejects.toMatchObject({ code: 'search_failed' })
  expect(performance.now() - beganAt).toBeLessThan(maxMs)
})

test('an export fails within five seconds, before its first byte, while S3 hangs', async () => {
  const ask = await exportEntry()
  const expiresAt = '2099-01-01T00:00:00.000Z'
  const license = await signLicense({ id: 'l', customer: 'Example', kind: 'offline', expiresAt }, pair.privatePem)
  stage.doors.s3.shut(() => 'hang')
  const beganAt = performance.now()
  const { status, body } = await ask({ authorization: `Bearer ${license}` }, 'acme/unread')
  expect([status, body.error]).toEqual([503, 'search_failed'])
  expect(performance.now() - beganAt).toBeLessThan(maxMs)
})

test('adding a library fails within five seconds with timeout while a git host hangs', async () => {
  gitLab.shut(() => 'hang')
  const { status, error } = await asked('POST', '/api/v2/add/repo/gitlab', bearer(), { docsRepoUrl: `${gitLab.url}/acme/slow` })
  expect([status, error]).toEqual([504, 'timeout'])
})

test('a request that nothing else ends is answered with 504 before the end of the function', async () => {
  gitLab.shut(() => 'hang')
  const context = { ...lambdaContext, getRemainingTimeInMillis: () => 1_700 } as Context
  const event = gatewayEvent('POST', '/api/v2/add/repo/gitlab', bearer(), { docsRepoUrl: `${gitLab.url}/acme/slow` })
  const { statusCode, body } = await api(event, context)
  expect([statusCode, JSON.parse(body).error]).toEqual([504, 'timeout'])
  expect(body).toContain('did not finish in time')
})

test('questions are answered while Kinesis hangs', async () => {
  stage.doors.kinesis.shut(() => 'hang')
  expect((await context('widgets')).status).toBe(200)
})

test('a library is added while SQS hangs, and its job waits for the schedule', async () => {
  await git.create('acme/late', { files: { 'README.md': '# Late\n\nTurn the lever.\n' } })
  stage.doors.sqs.shut(() => 'hang')
  expect((await asked('POST', '/api/v2/add/repo/github', bearer(), { docsRepoUrl: `${git.url}/acme/late` })).status).toBe(200)
  const { awsHosted } = await import('../../functions/aws/stage-ports.ts')
  expect(await awsHosted().jobs.find('/acme/late')).toMatchObject({ state: 'queued' })
})
