import type { APIGatewayProxyEventV2, Context } from 'aws-lambda'
import { afterAll, beforeAll, expect, test } from 'vitest'
import type { UsageEvent } from '../../shared/usage/usage-event.ts'
import type { Refusal } from '../fixtures/door.ts'
import { type GitServer, startGitServer } from '../fixtures/git-server.ts'
import { gatewayEvent, kinesisRecord, lambdaContext } from '../fixtures/lambda-events.ts'
import { startStage, type TestStage } from '../fixtures/stage.ts'
import { usageEvent } from '../fixtures/usage.ts'

/** The errors of DynamoDB while a table has no capacity. */
const throttled: Refusal = {
  status: 400,
  type: 'application/x-amz-json-1.0',
  body: JSON.stringify({
    __type: 'com.amazonaws.dynamodb.v20120810#ProvisionedThroughputExceededException',
    message: 'The level of configured provisioned throughput for the table was exceeded.',
  }),
}
const failing: Refusal = { ...throttled, status: 500, body: '{"__type":"com.amazonaws.dynamodb.v20120810#InternalServerError"}' }

let stage: TestStage
let git: GitServer
let key: string
let api: (event: APIGatewayProxyEventV2, context: Context) => Promise<{ statusCode: number; body: string }>

beforeAll(async () => {
  ;[stage, git] = await Promise.all([startStage(), startGitServer()])
  Object.assign(process.env, stage.env, { GITHUB_BASE_URL: git.url })
  const { awsHosted, awsWorker } = await import('../../functions/aws/stage-ports.ts')
  const { addLibrary } = await import('../../functions/jobs/add-library.ts')
  const { workLibrary } = await import('../../functions/worker/work-library.ts')
  const hosted = awsHosted()
  await git.create('acme/widgets', { files: { 'README.md': '# Widgets\n\nTurn the lever.\n' } })
  const { id } = await hosted.teamspaces.create('acme', 'team')
  key = (await hosted.teamspaces.createKey(id, { createdBy: 'test' })).key
  await addLibrary(hosted, { repoUrl: `${git.url}/acme/widgets`, isPrivate: false })
  await workLibrary(awsWorker(), '/acme/widgets', new AbortController().signal)
  await hosted.catalog.own({ owner: 'acme', repo: 'widgets' }, id)
  api = (await import('../../functions/entries/api.ts')).handler as never
})
afterAll(async () => {
  await stage.close()
  await git.close()
})

async function ask(path: string, headers: Record<string, string> = {}) {
  const { statusCode, body } = await api(gatewayEvent('GET', path, headers), lambdaContext)
  return { status: statusCode, body }
}
const search = () => ask('/api/v2/libs/search?libraryName=widgets')
const context = () => ask('/api/v2/context?libraryId=/acme/widgets&query=lever')
const metrics = async () => {
  const { status, body } = await ask('/api/v2/libs/metrics?libraryId=/acme/widgets', { authorization: `Bearer ${key}` })
  return { status, body: JSON.parse(body) }
}
const message = expect.stringContaining('A store of the service does not respond')

test.each([
  ['throttled', throttled],
  ['failing', failing],
  ['unreachable', 'cut' as const],
])(
  'searches work while DynamoDB is %s, other requests are an error without details, and everything works afterwards',
  {
    timeout: 60_000,
  },
  async (_how, refusal) => {
    expect((await search()).status).toBe(200)
    stage.doors.dynamo.shut(() => refusal)
    const [found, content, counted, ready] = await Promise.all([search(), context(), metrics(), ask('/api/ready')])
    expect([found.status, JSON.parse(found.body).results[0].id]).toEqual([200, '/acme/widgets'])
    expect([content.status, JSON.parse(content.body)]).toEqual([503, { error: 'temporarily_unavailable', message }])
    // The specification lists no 503 for metrics.
    expect(counted).toEqual({ status: 500, body: { error: 'internal_error', message } })
    expect([ready.status, ready.body]).toEqual([503, '{"ready":false}'])
    stage.doors.dynamo.open()
    expect((await context()).body).toContain('Turn the lever')
    expect((await metrics()).status).toBe(200)
  },
)

test('a moment of throttling has no effect', async () => {
  stage.doors.dynamo.shut((nth) => (nth % 2 === 0 ? throttled : undefined))
  expect((await metrics()).status).toBe(200)
  stage.doors.dynamo.open()
  expect(stage.doors.dynamo.refused).toBeGreaterThan(0)
})

test('usage during throttling of DynamoDB is counted afterwards, each event once', async () => {
  const { handler } = await import('../../functions/entries/usage.ts')
  const libraries = ['/acme/widgets', '/acme/gadgets', '/acme/kit']
  const events = Array.from({ length: 300 }, (_, n) => eventOf(n, libraries[n % libraries.length] ?? ''))
  const before = (await metrics()).body
  const Records = events.map((event, n) => kinesisRecord(JSON.stringify(event), n))
  // Nothing gets through at first, then two of three commands do not, so that batches are applied in part.
  stage.doors.dynamo.shut((nth) => {
    if (nth < 24) return throttled
    return nth < 90 && nth % 3 > 0 ? throttled : undefined
  })
  const failed = { batchItemFailures: [{ itemIdentifier: Records[0]?.kinesis.sequenceNumber }] }
  const answers: unknown[] = []
  // Records come as Lambda delivers them: again from the position in the response, followed by those that arrived meanwhile.
  for (let size = 150; ; size = Records.length) {
    const answer = await handler({ Records: Records.slice(0, size) }, lambdaContext)
    answers.push(answer)
    if (answer.batchItemFailures.length === 0 && size === Records.length) break
  }
  stage.doors.dynamo.open()
  expect(stage.doors.dynamo.refused).toBeGreaterThan(24)
  expect(answers[0]).toEqual(failed)
  const { body } = await metrics()
  expect(added(before.total, body.total)).toEqual({ page: 0, txt: 50, mcp: 50, cli: 0 })
  expect(body.topics).toEqual([{ topic: 'setup', count: 100 }])
  expect(body.countries).toEqual([{ country: 'DE', count: 100 }])
  expect(body.mcpClients.dailyData).toMatchObject([{ uniqueUsersByClient: { cursor: 10 }, totalUniqueUsers: 10 }])
  for (const library of libraries.slice(1)) expect(await totalOf(library)).toBe(100)
})

function eventOf(n: number, library: string): UsageEvent {
  const facts = { library, country: 'DE', topics: ['setup'] }
  if (Math.floor(n / 3) % 2 === 0) return usageEvent({ ...facts, surface: 'txt' })
  const user = Buffer.alloc(16, `user ${Math.floor(n / 6) % 10}`).toString('base64url')
  return usageEvent({ ...facts, surface: 'mcp', client: 'cursor', user })
}

type Total = Record<'page' | 'txt' | 'mcp' | 'cli', number>
const added = (before: Total, after: Total): Total => ({
  page: after.page - before.page,
  txt: after.txt - before.txt,
  mcp: after.mcp - before.mcp,
  cli: after.cli - before.cli,
})

async function totalOf(library: string): Promise<number> {
  const { dynamoCounters } = await import('../../functions/dynamo/counters/dynamo-counters.ts')
  const { silentLog: log } = await import('../fixtures/silent-log.ts')
  const { total } = await dynamoCounters({ table: stage.dynamo, log, now: () => new Date() }).read(
    library,
    '2000-01-01',
    '2100-01-01',
  )
  return total.page + total.txt + total.mcp + total.cli
}
