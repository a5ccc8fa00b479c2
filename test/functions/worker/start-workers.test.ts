import { ECSClient, RunTaskCommand } from '@aws-sdk/client-ecs'
import { SQSClient } from '@aws-sdk/client-sqs'
import type { SQSEvent } from 'aws-lambda'
import { mockClient } from 'aws-sdk-client-mock'
import { buildApp } from 'fauxqs'
import { expect, onTestFinished, test } from 'vitest'
import { ecsTasks, WorkerTask } from '../../../functions/aws/ecs-tasks.ts'
import { sqsQueue } from '../../../functions/aws/sqs-queue.ts'
import { dynamoJobs } from '../../../functions/dynamo/jobs/dynamo-jobs.ts'
import { enqueueJob } from '../../../functions/jobs/hosted-jobs.ts'
import { sweepJobs } from '../../../functions/jobs/schedule.ts'
import { NoCapacity, startWorkers } from '../../../functions/worker/start-workers.ts'
import { testDynamo } from '../../fixtures/dynamo.ts'
import { createJobQueue } from '../../fixtures/job-queue.ts'
import { recordedLog } from '../../fixtures/recorded-log.ts'
import { silentLog } from '../../fixtures/silent-log.ts'

const now = () => new Date('2026-11-21T12:00:00.000Z')
const request = { repoUrl: 'https://github.com/acme/docs', force: false, anonymous: true }
const where = {
  cluster: 'arn:cluster',
  taskDefinition: 'arn:task',
  containers: ['Worker'],
  subnets: ['subnet-1'],
  securityGroups: ['sg-1'],
  assignPublicIp: true,
}
const maxReceives = 3
const never = async () => false

async function testQueue() {
  const app = buildApp({ logger: false })
  const endpoint = await app.listen({ host: '127.0.0.1', port: 0 })
  const client = new SQSClient({ endpoint, region: 'us-east-1', credentials: { accessKeyId: 'test', secretAccessKey: 'test' } })
  onTestFinished(async () => {
    client.destroy()
    app.server.closeAllConnections()
    await app.close()
  })
  const jobs = await createJobQueue(client, endpoint, maxReceives)
  return { queue: sqsQueue({ client, url: jobs.url, log: silentLog }), deliver: jobs.deliver, dead: jobs.dead }
}

test('a queued job starts a task with its key', async () => {
  const ecs = mockClient(ECSClient)
  ecs.on(RunTaskCommand).resolves({ tasks: [{ taskArn: 'arn:running' }] })
  const [{ queue, deliver }, table] = [await testQueue(), await testDynamo()]
  const jobs = dynamoJobs({ table, now })
  await jobs.enqueue({ key: '/acme/docs', project: '/Acme/docs', request })
  await queue.send('/acme/docs')
  const runTask = ecsTasks({ client: new ECSClient({ region: 'us-east-1' }), where: WorkerTask.parse(where) })
  expect(await deliver((event) => startWorkers({ jobs, queue, isUnchanged: never, runTask, log: silentLog, now }, event))).toBe(1)
  expect(ecs.commandCalls(RunTaskCommand).map(({ args }) => args[0].input)).toEqual([
    {
      cluster: 'arn:cluster',
      taskDefinition: 'arn:task',
      capacityProviderStrategy: [{ capacityProvider: 'FARGATE_SPOT', weight: 1 }],
      count: 1,
      networkConfiguration: {
        awsvpcConfiguration: { subnets: ['subnet-1'], securityGroups: ['sg-1'], assignPublicIp: 'ENABLED' },
      },
      overrides: { containerOverrides: [{ name: 'Worker', environment: [{ name: 'JOB_KEY', value: '/acme/docs' }] }] },
    },
  ])
  expect(await deliver(() => Promise.reject(new Error('nothing is left to deliver')))).toBe(0)
})

test('each line of the log about a job has the id of the request that queued it', async () => {
  const [{ queue, deliver }, table] = [await testQueue(), await testDynamo()]
  const jobs = dynamoJobs({ table, now })
  const names = ['started', 'unchanged', 'waiting', 'failing', 'finished']
  for (const name of names) {
    const job = { key: `/acme/${name}`, project: `/acme/${name}`, request, requestId: `id-of-${name}` }
    if (name === 'finished') await queue.send(job.key, 0, job.requestId)
    else await enqueueJob({ jobs, queue }, job)
  }
  const log = recordedLog()
  const ports = {
    jobs,
    queue,
    isUnchanged: async ({ key }: { key: string }) => key === '/acme/unchanged',
    async runTask(key: string) {
      if (key === '/acme/waiting') throw new NoCapacity('RESOURCE:CPU')
      if (key === '/acme/failing') throw new Error('The task definition is inactive.')
    },
    log,
    now,
  }
  await deliver((event) => startWorkers(ports, event))
  expect(log.lines.map(({ fields }) => fields.request).sort()).toEqual(names.map((name) => `id-of-${name}`).sort())
  expect(await jobs.find('/acme/started')).toMatchObject({ requestId: 'id-of-started' })
})

test('a task that finds no Spot capacity starts on regular capacity', async () => {
  const ecs = mockClient(ECSClient)
  ecs
    .on(RunTaskCommand)
    .resolvesOnce({ tasks: [], failures: [{ reason: 'RESOURCE:MEMORY' }] })
    .resolves({ tasks: [{ taskArn: 'arn:running' }] })
  await ecsTasks({ client: new ECSClient({ region: 'us-east-1' }), where })('/acme/docs')
  const asked = ecs.commandCalls(RunTaskCommand).map(({ args }) => args[0].input.capacityProviderStrategy?.[0]?.capacityProvider)
  expect(asked).toEqual(['FARGATE_SPOT', 'FARGATE'])
})

test.each([
  ['RESOURCE:CPU', undefined],
  ['Capacity is unavailable at this time. Please try again later or in a different availability zone', undefined],
  [
    '',
    Object.assign(new Error("You've reached the limit on the number of vCPUs you can run concurrently"), {
      name: 'ClientException',
    }),
  ],
  ['', Object.assign(new Error('Rate exceeded'), { name: 'ThrottlingException' })],
])('a task that AWS has no capacity or quota for is reported as such (%s)', async (reason, error) => {
  const ecs = mockClient(ECSClient)
  if (error) ecs.on(RunTaskCommand).rejects(error)
  else ecs.on(RunTaskCommand).resolves({ tasks: [], failures: [{ reason }] })
  const runTask = ecsTasks({ client: new ECSClient({ region: 'us-east-1' }), where })
  await expect(runTask('/acme/docs')).rejects.toBeInstanceOf(NoCapacity)
})

test.each([
  [{ tasks: [], failures: [{ reason: 'MISSING' }] }, undefined],
  [{}, Object.assign(new Error('TaskDefinition is inactive'), { name: 'ClientException' })],
])('a task that AWS rejects for another reason is a failure', async (answer, error) => {
  const ecs = mockClient(ECSClient)
  if (error) ecs.on(RunTaskCommand).rejects(error)
  else ecs.on(RunTaskCommand).resolves(answer)
  const failed = ecsTasks({ client: new ECSClient({ region: 'us-east-1' }), where })('/acme/docs')
  await expect(failed).rejects.not.toBeInstanceOf(NoCapacity)
})

test('a job without capacity waits as one delayed message, and uses up none of its tries', async () => {
  const [{ queue: real, deliver, dead }, table] = [await testQueue(), await testDynamo()]
  const jobs = dynamoJobs({ table, now })
  await jobs.enqueue({ key: '/acme/docs', project: '/acme/docs', request })
  await real.send('/acme/docs')
  const pauses: (number | undefined)[] = []
  const queue = {
    async send(key: string, pauseMs?: number) {
      pauses.push(pauseMs)
      await real.send(key)
    },
  }
  let ms = now().getTime()
  const moving = { jobs: dynamoJobs({ table, now: () => new Date(ms++) }), now: () => new Date(ms) }
  const runTask = () => Promise.reject(new NoCapacity('RESOURCE:CPU'))
  const rounds = maxReceives * 3
  for (let round = 0; round < rounds; round++)
    expect(await deliver((event) => startWorkers({ ...moving, queue, isUnchanged: never, runTask, log: silentLog }, event))).toBe(
      1,
    )
  expect([pauses, await dead()]).toEqual([Array(rounds).fill(120_000), []])
  const [waiting] = await jobs.active()
  expect(waiting).toMatchObject({ state: 'queued', attempts: 0, interruptions: 0 })
  const sent: string[] = []
  let waitMs = 0
  const onWait = (waitedMs: number) => {
    waitMs = waitedMs
  }
  await sweepJobs({ jobs, queue: { send: async (key) => void sent.push(key) }, now: () => new Date(ms + 200_000), onWait })
  expect(sent).toEqual([])
  // The alarm sees the whole time, although the message is new.
  expect(waitMs).toBe(ms + 200_000 - now().getTime())
})

test('a job whose task cannot start is delivered again and ends in the dead-letter queue, and the others of its batch start once', async () => {
  const [{ queue, deliver, dead }, table] = [await testQueue(), await testDynamo()]
  const jobs = dynamoJobs({ table, now })
  const started: string[] = []
  for (const key of ['/acme/good', '/acme/bad', '/acme/fine']) {
    await jobs.enqueue({ key, project: key, request })
    await queue.send(key)
  }
  const runTask = async (key: string) => {
    started.push(key)
    if (key === '/acme/bad') throw new Error('no capacity')
  }
  const starter = (event: SQSEvent) => startWorkers({ jobs, queue, isUnchanged: never, runTask, log: silentLog, now }, event)
  while ((await deliver(starter)) > 0);
  const times = (key: string) => started.filter((each) => each === key).length
  expect([times('/acme/good'), times('/acme/bad'), times('/acme/fine')]).toEqual([1, maxReceives, 1])
  expect(await dead()).toEqual(['/acme/bad'])
  expect(await jobs.find('/acme/bad')).toMatchObject({ state: 'queued' })
})

test('messages of finished or running jobs, and messages without a job key, are dropped', async () => {
  const [{ queue, deliver, dead }, table] = [await testQueue(), await testDynamo()]
  const jobs = dynamoJobs({ table, now })
  await jobs.enqueue({ key: '/acme/running', project: '/acme/running', request })
  await jobs.claim('/acme/running', 'worker')
  for (const body of ['/acme/gone', '/acme/running', 'no key', '{"__proto__":1}', '/'.repeat(600)]) await queue.send(body)
  const started: string[] = []
  const ports = { jobs, queue, isUnchanged: never, runTask: async (key: string) => void started.push(key), log: silentLog, now }
  while ((await deliver((event) => startWorkers(ports, event))) > 0);
  expect([started, await dead()]).toEqual([[], []])
  const later = { ...ports, now: () => new Date(now().getTime() + 60_001) }
  await queue.send('/acme/running')
  await deliver((event) => startWorkers(later, event))
  expect(started).toEqual(['/acme/running'])
})
