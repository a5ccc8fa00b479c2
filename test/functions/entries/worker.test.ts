import { type ChildProcess, spawn } from 'node:child_process'
import { once } from 'node:events'
import { createServer, type Server } from 'node:http'
import type { AddressInfo } from 'node:net'
import { UpdateCommand } from '@aws-sdk/lib-dynamodb'
import type { Context, SQSBatchResponse, SQSEvent } from 'aws-lambda'
import { afterAll, beforeAll, beforeEach, expect, onTestFinished, test } from 'vitest'
import { dynamoCatalog } from '../../../functions/dynamo/catalog/dynamo-catalog.ts'
import { dynamoJobs } from '../../../functions/dynamo/jobs/dynamo-jobs.ts'
import { parseLibraryId } from '../../../shared/library.ts'
import { childEnv } from '../../../shared/system/child-env.ts'
import { type GitServer, startGitServer } from '../../fixtures/git-server.ts'
import { lambdaContext } from '../../fixtures/lambda-events.ts'
import { page } from '../../fixtures/page.ts'
import { silentLog } from '../../fixtures/silent-log.ts'
import { maxReceives, startStage, type TestStage } from '../../fixtures/stage.ts'
import { until } from '../../fixtures/until.ts'

const root = new URL('../../..', import.meta.url).pathname
const now = () => new Date()
let stage: TestStage
let git: GitServer
let ecs: Server
let jobs: ReturnType<typeof dynamoJobs>
let start: (event: SQSEvent) => Promise<SQSBatchResponse>
let schedule: () => Promise<unknown>
/** Keys of the jobs for which ECS was asked to run a task, and its responses. */
let asked: string[]
let runTask: (key: string) => unknown

beforeAll(async () => {
  ;[stage, git] = await Promise.all([startStage(), startGitServer()])
  jobs = dynamoJobs({ table: stage.dynamo, now })
  ecs = createServer(async (request, response) => {
    const { overrides } = JSON.parse(Buffer.concat(await request.toArray()).toString())
    const key = overrides.containerOverrides[0].environment.find(({ name }: { name: string }) => name === 'JOB_KEY').value
    asked.push(key)
    response.end(JSON.stringify(runTask(key)))
  })
  await once(ecs.listen(0, '127.0.0.1'), 'listening')
  const network = { subnets: ['s'], securityGroups: [], assignPublicIp: true }
  Object.assign(process.env, stage.env, {
    WORKER_TASK: JSON.stringify({ cluster: 'c', taskDefinition: 't', containers: ['Worker'], ...network }),
    AWS_ENDPOINT_URL_ECS: `http://127.0.0.1:${(ecs.address() as AddressInfo).port}`,
  })
  type Handler = (event: unknown, context: Context) => Promise<SQSBatchResponse>
  const starter = (await import('../../../functions/entries/start-worker.ts')).handler as unknown as Handler
  const scheduled = (await import('../../../functions/entries/schedule.ts')).handler as unknown as Handler
  start = (event) => starter(event, lambdaContext)
  schedule = () => scheduled({}, lambdaContext)
})
beforeEach(() => {
  asked = []
  runTask = () => started
})
afterAll(async () => {
  ecs.closeAllConnections()
  ecs.close()
  await stage.close()
  await git.close()
})

const started = { tasks: [{ taskArn: 'arn:started' }], failures: [] }

/** The task of a worker, as its container runs it. */
function task(key: string): ChildProcess {
  const env = { PATH: process.env.PATH, ...childEnv(), ...stage.env, GITHUB_BASE_URL: git.url, JOB_KEY: key }
  const child = spawn(process.execPath, ['functions/entries/worker.ts'], {
    cwd: root,
    env,
    stdio: ['ignore', 'ignore', 'inherit'],
  })
  onTestFinished(() => void child.kill('SIGKILL'))
  return child
}
const ended = async (child: ChildProcess): Promise<unknown> => (await once(child, 'exit'))[0]

/** A job whose worker will wait in the middle of fetching. */
async function queued(repo: string): Promise<string> {
  const [id, repoUrl] = [`/${repo}`, `${git.url}/${repo}`]
  await git.create(repo, { files: { 'README.md': page('Guide', 'The lever turns.') } })
  git.misbehave(repo, { kind: 'stall', at: 'pack' })
  await dynamoCatalog({ table: stage.dynamo, now }).add({ id: parseLibraryId(id), sourceUrl: repoUrl, private: false })
  await jobs.enqueue({ key: id, project: id, request: { repoUrl, force: false, anonymous: true } })
  return id
}
const isUnderWay = (key: string) => until(async () => (await jobs.find(key))?.progress.stage)

async function expectParsed(owner: string, repo: string): Promise<void> {
  const record = await dynamoCatalog({ table: stage.dynamo, now }).record({ owner, repo })
  expect(record?.library).toMatchObject({ state: 'finalized', totalSnippets: 1 })
  expect(await jobs.active()).toEqual([])
}

test('a stopped task queues its job again and requests another, which parses the library', async () => {
  const key = await queued('task/stopped')
  const stopped = task(key)
  await isUnderWay(key)
  const exit = ended(stopped)
  stopped.kill('SIGTERM')
  expect(await exit).toBe(0)
  expect(await jobs.find(key)).toMatchObject({ state: 'queued', attempts: 0, interruptions: 0 })
  git.misbehave('task/stopped')
  const exits: Promise<unknown>[] = []
  runTask = (of) => {
    exits.push(ended(task(of)))
    return started
  }
  while ((await stage.jobs.deliver(start)) > 0);
  expect([asked, await Promise.all(exits)]).toEqual([[key], [0]])
  await expectParsed('task', 'stopped')
})

test('the job of a killed task is claimed by another when its lease has expired', async () => {
  const key = await queued('task/killed')
  const killed = task(key)
  await isUnderWay(key)
  const exit = ended(killed)
  killed.kill('SIGKILL')
  await exit
  git.misbehave('task/killed')
  await schedule()
  expect(await stage.jobs.deliver(start)).toBe(0)
  const { leaseUntil = '' } = (await jobs.find(key)) ?? {}
  expect(Date.parse(leaseUntil)).toBeGreaterThan(Date.now() + 30_000)

  await lapse(key)
  const exits: Promise<unknown>[] = []
  runTask = (of) => {
    exits.push(ended(task(of)))
    return started
  }
  await schedule()
  while ((await stage.jobs.deliver(start)) > 0);
  expect([asked, await Promise.all(exits)]).toEqual([[key], [0]])
  await expectParsed('task', 'killed')
})

/** Simulates a minute without a sign of the worker. */
const lapse = (key: string) =>
  stage.dynamo.db.send(
    new UpdateCommand({
      TableName: stage.dynamo.name,
      Key: { pk: 'JOBS', sk: key },
      UpdateExpression: 'SET leaseUntil = :past',
      ExpressionAttributeValues: { ':past': new Date(Date.now() - 1).toISOString() },
    }),
  )

test('a task without a job exits successfully', async () => {
  expect(await ended(task('/task/gone'))).toBe(0)
})

test('a job whose task ECS rejects is retried and ends in the dead-letter queue, and the others of its batch start once', async () => {
  const { sqsQueue } = await import('../../../functions/aws/sqs-queue.ts')
  const { SQSClient } = await import('@aws-sdk/client-sqs')
  const client = new SQSClient({})
  onTestFinished(() => client.destroy())
  const queue = sqsQueue({ client, url: stage.jobs.url, log: silentLog })
  runTask = (key) => (key === '/room/none' ? { tasks: [], failures: [{ reason: 'MISSING' }] } : started)
  for (const key of ['/room/some', '/room/none', '/room/more']) {
    await jobs.enqueue({ key, project: key, request: { repoUrl: git.url, force: false, anonymous: true } })
    await queue.send(key)
  }
  await queue.send('/room/gone')
  while ((await stage.jobs.deliver(start)) > 0);
  expect(asked.toSorted()).toEqual(['/room/more', ...Array(maxReceives).fill('/room/none'), '/room/some'])
  expect(await stage.jobs.dead()).toEqual(['/room/none'])
  expect(await jobs.find('/room/none')).toMatchObject({ state: 'queued' })
})
