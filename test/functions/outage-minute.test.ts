import { once } from 'node:events'
import { createServer, type Server } from 'node:http'
import type { AddressInfo } from 'node:net'
import { setTimeout as pause } from 'node:timers/promises'
import type { APIGatewayProxyEventV2, Context, KinesisStreamEvent, SQSEvent } from 'aws-lambda'
import { afterAll, afterEach, beforeAll, expect, test } from 'vitest'
import { replay } from '../../functions/counting/replay.ts'
import { replayHandler } from '../../functions/counting/replay-handler.ts'
import { createApi } from '../../functions/server.ts'
import type { Refusal } from '../fixtures/door.ts'
import { type GitServer, startGitServer } from '../fixtures/git-server.ts'
import { gatewayEvent, lambdaContext, logsEvent, originSecret } from '../fixtures/lambda-events.ts'
import { page } from '../fixtures/page.ts'
import { recordedLog } from '../fixtures/recorded-log.ts'
import { startStage, type TestStage } from '../fixtures/stage.ts'
import { until } from '../fixtures/until.ts'

const minuteMs = 60_000
/** The longest time that a caller waits. */
const maxMs = 5_000

const refusal = (status: number, type: string, name: string): Refusal => ({
  status,
  type: `application/x-amz-json-${type}`,
  body: JSON.stringify({ __type: name, message: 'not now' }),
})
const dynamoDown = [refusal(400, '1.0', 'ProvisionedThroughputExceededException'), refusal(500, '1.0', 'InternalServerError')]
const kinesisDown = [refusal(400, '1.1', 'ProvisionedThroughputExceededException'), refusal(500, '1.1', 'InternalFailure')]
const s3Down: Refusal[] = ['SlowDown', 'InternalError'].map((code) => ({
  status: code === 'SlowDown' ? 503 : 500,
  type: 'application/xml',
  body: `<?xml version="1.0" encoding="UTF-8"?><Error><Code>${code}</Code></Error>`,
}))
const inTurn = (refusals: Refusal[]) => (nth: number) => refusals[nth % refusals.length]

type Handler<Event> = (event: Event, context: Context) => Promise<never>
let stage: TestStage
let git: GitServer
let ecs: Server
let key: string
let api: (event: APIGatewayProxyEventV2, context: Context) => Promise<{ statusCode: number; body: string }>
let count: Handler<KinesisStreamEvent>
let start: Handler<SQSEvent>
let schedule: Handler<unknown>
/** Results of the workers that ECS has started. */
const workers: Promise<string>[] = []

beforeAll(async () => {
  ;[stage, git] = await Promise.all([startStage(), startGitServer()])
  ecs = createServer(async (request, response) => {
    const { overrides } = JSON.parse(Buffer.concat(await request.toArray()).toString())
    workers.push(work(overrides.containerOverrides[0].environment[0].value))
    response.end(JSON.stringify({ tasks: [{ taskArn: 'arn:started' }], failures: [] }))
  })
  await once(ecs.listen(0, '127.0.0.1'), 'listening')
  const network = { subnets: ['s'], securityGroups: [], assignPublicIp: true }
  Object.assign(process.env, stage.env, {
    GITHUB_BASE_URL: git.url,
    WORKER_TASK: JSON.stringify({ cluster: 'c', taskDefinition: 't', containers: ['Worker'], ...network }),
    AWS_ENDPOINT_URL_ECS: `http://127.0.0.1:${(ecs.address() as AddressInfo).port}`,
  })
  api = (await import('../../functions/entries/api.ts')).handler as never
  count = (await import('../../functions/entries/usage.ts')).handler as never
  start = (await import('../../functions/entries/start-worker.ts')).handler as never
  schedule = (await import('../../functions/entries/schedule.ts')).handler as never
  const { teamspaces, catalog } = await hosted()
  const { id } = await teamspaces.create('acme', 'team')
  key = (await teamspaces.createKey(id, { createdBy: 'a test' })).key
  expect((await add('widgets')).status).toBe(200)
  await settled('widgets')
  await catalog.own({ owner: 'acme', repo: 'widgets' }, id)
}, 60_000)
afterEach(() => {
  for (const door of Object.values(stage.doors)) door.open()
})
afterAll(async () => {
  await Promise.allSettled(workers)
  ecs.closeAllConnections()
  ecs.close()
  await stage.close()
  await git.close()
})

const hosted = async (log = recordedLog()) => (await import('../../functions/aws/stage-ports.ts')).awsHosted(log)

async function work(jobKey: string): Promise<string> {
  const { awsWorker } = await import('../../functions/aws/stage-ports.ts')
  const { workLibrary } = await import('../../functions/worker/work-library.ts')
  return workLibrary(awsWorker(), jobKey, new AbortController().signal).catch((error: unknown) => String(error))
}

/** The status and error of a response, which comes after at most five seconds. */
async function ask(method: string, path: string, body?: unknown) {
  const beganAt = performance.now()
  const headers = { authorization: `Bearer ${key}`, 'x-viewer-address': '203.0.113.9' }
  const { statusCode, body: text } = await api(gatewayEvent(method, path, headers, body), lambdaContext)
  expect(performance.now() - beganAt, path).toBeLessThan(maxMs)
  return { status: statusCode, text, error: text.startsWith('{') ? JSON.parse(text).error : undefined }
}
const context = (name: string) => ask('GET', `/api/v2/context?libraryId=/acme/${name}&query=lever`)
const search = () => ask('GET', '/api/v2/libs/search?libraryName=widgets')
const metrics = () => ask('GET', '/api/v2/libs/metrics?libraryId=/acme/widgets')
const txtCounted = async () => JSON.parse((await metrics()).text).total.txt as number

async function add(name: string) {
  await git.create(`acme/${name}`, { files: { 'README.md': page(name, `Turn the lever of ${name}.`) } })
  return ask('POST', '/api/v2/add/repo/github', { docsRepoUrl: `${git.url}/acme/${name}` })
}
const deliverJobs = () => stage.jobs.deliver((event) => start(event, lambdaContext))
const deliverUsage = () => stage.usage.deliver((event) => count(event, lambdaContext))

/** The schedule and the queue do their work until the library has no job. */
async function settled(...names: string[]): Promise<void> {
  const { jobs } = await hosted()
  const isDone = async () => {
    await schedule({}, lambdaContext)
    await deliverJobs()
    const left = await Promise.all(names.map((name) => jobs.find(`/acme/${name}`)))
    return left.every((job) => job === undefined)
  }
  await until(isDone, 120, 500)
}

test('nothing is lost in a minute in which DynamoDB throttles and fails, every answer comes in time, and all work is done afterwards', async () => {
  expect((await add('running')).status).toBe(200)
  git.misbehave('acme/running', { kind: 'stall', at: 'pack' })
  await deliverJobs()
  const { jobs } = await hosted()
  await until(async () => (await jobs.find('/acme/running'))?.progress.stage)
  expect((await add('waiting')).status).toBe(200)
  const questions = 20
  for (let n = 0; n < questions; n++) expect((await context('widgets')).status).toBe(200)

  stage.doors.dynamo.shut(inTurn(dynamoDown))
  const endsAt = Date.now() + minuteMs
  for (let round = 0; Date.now() < endsAt; round++) {
    const [found, content, counted, added] = await Promise.all([search(), context('widgets'), metrics(), add(`refused-${round}`)])
    const errors = [found, content, counted, added].map(({ status, error }) => `${status} ${error}`)
    expect(errors, `round ${round}`).toEqual([
      '503 temporarily_unavailable',
      '503 temporarily_unavailable',
      // The specification lists no 503 for metrics.
      '500 internal_error',
      '503 temporarily_unavailable',
    ])
    await deliverUsage().catch(() => undefined)
    if (round === 0) {
      await deliverJobs()
      await expect(schedule({}, lambdaContext)).rejects.toThrow('scheduled tasks failed')
    }
    await pause(2_000)
  }
  expect(stage.doors.dynamo.refused).toBeGreaterThan(100)
  stage.doors.dynamo.open()
  git.misbehave('acme/running')

  expect((await context('widgets')).text).toContain('Turn the lever of widgets.')
  await settled('running', 'waiting')
  for (const name of ['running', 'waiting']) expect((await context(name)).text).toContain(`Turn the lever of ${name}.`)
  expect(await stage.jobs.dead()).toEqual([])
  // The event of a question may reach the stream after its answer.
  await until(async () => {
    await deliverUsage()
    return (await txtCounted()) > questions
  })
  expect(await txtCounted()).toBe(questions + 1)
}, 240_000)

test('each question is answered while Kinesis throttles and fails, and its event is counted from the log, once', async () => {
  await deliverUsage()
  const before = await txtCounted()
  const log = recordedLog()
  const ports = await hosted(log)
  const app = createApi(ports)
  stage.doors.kinesis.shut(inTurn(kinesisDown))
  const questions = 40
  const headers = { 'x-origin-secret': originSecret, authorization: `Bearer ${key}` }
  for (let n = 0; n < questions; n++)
    expect((await app.request('/api/v2/context?libraryId=/acme/widgets&query=lever', { headers })).status).toBe(200)
  stage.doors.kinesis.open()
  const lines = log.lines
    .filter(({ message }) => message === 'usage event not on the stream')
    .map(({ fields, message }) => JSON.stringify({ ...fields, msg: message }))
  expect(lines).toHaveLength(questions)
  const certain = lines.filter((line) => JSON.parse(line).uncertain === false)
  expect(await replayHandler(ports)(logsEvent(certain))).toMatchObject({ counted: certain.length })
  expect(await replay(ports, asyncLines(lines), { uncertain: true })).toMatchObject({
    counted: questions - certain.length,
    countedBefore: certain.length,
  })
  await deliverUsage()
  expect((await txtCounted()) - before).toBe(questions)
}, 60_000)

async function* asyncLines(lines: string[]): AsyncGenerator<string> {
  yield* lines
}

test('a job that meets a failing S3 is done after it, and what was served before is served all the time', async () => {
  expect([(await context('widgets')).status, (await search()).status]).toEqual([200, 200])
  expect((await add('written')).status).toBe(200)
  stage.doors.s3.shut(inTurn(s3Down))
  await deliverJobs()
  const endsAt = Date.now() + 15_000
  while (Date.now() < endsAt) {
    const [copied, found] = await Promise.all([context('widgets'), search()])
    expect([copied.status, found.status]).toEqual([200, 200])
    await pause(1_000)
  }
  stage.doors.s3.open()
  await settled('written')
  expect((await context('written')).text).toContain('Turn the lever of written.')
  expect(await stage.jobs.dead()).toEqual([])
}, 240_000)
