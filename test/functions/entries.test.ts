import type { APIGatewayProxyEventV2, Context } from 'aws-lambda'
import { afterAll, beforeAll, expect, onTestFinished, test, vi } from 'vitest'
import { makeKeyPair } from '../../shared/keys/key-pair.ts'
import { signLicense } from '../../shared/keys/license.ts'
import { exportEntry, gatewayEvent, kinesisRecord, lambdaContext } from '../fixtures/lambda-events.ts'
import { startStage, type TestStage } from '../fixtures/stage.ts'
import { usageEvent } from '../fixtures/usage.ts'

type Answer = { statusCode: number; body: string; headers: Record<string, string> }

const pair = makeKeyPair()
let stage: TestStage
let api: (event: APIGatewayProxyEventV2, context: Context) => Promise<Answer>

beforeAll(async () => {
  stage = await startStage({ licenseKey: pair.publicPem })
  Object.assign(process.env, stage.env)
  api = (await import('../../functions/entries/api.ts')).handler as never
})
afterAll(() => stage.close())

test('the API handles an event of API Gateway', async () => {
  const { statusCode, body } = await api(gatewayEvent('GET', '/api/health'), lambdaContext)
  expect([statusCode, JSON.parse(body).status]).toEqual([200, 'healthy'])
  const search = await api(gatewayEvent('GET', '/api/v2/libs/search?libraryName=hono'), lambdaContext)
  expect([search.statusCode, JSON.parse(search.body).error]).toEqual([404, 'no_libraries_found'])
})

test.each([
  ['no secret', ''],
  ['another secret', 'x'.repeat(40)],
])('the API rejects requests that did not come through the Router: %s', async (_what, secret) => {
  const { statusCode, body } = await api(gatewayEvent('GET', '/api/health', { 'x-origin-secret': secret }), lambdaContext)
  expect([statusCode, JSON.parse(body).error]).toEqual([403, 'forbidden'])
})

test('the metric of requests around the Router is written once a second, not once per request', async () => {
  const written = vi.spyOn(process.stdout, 'write')
  onTestFinished(() => written.mockRestore())
  for (let n = 0; n < 50; n++) await api(gatewayEvent('GET', '/api/health', { 'x-origin-secret': 'x' }), lambdaContext)
  const metrics = written.mock.calls.filter(([line]) => String(line).includes('ForeignRequests'))
  expect(metrics.length).toBeLessThan(10)
})

test('the new and the old secret of the Router are valid during a rotation', async () => {
  const { statusCode } = await api(gatewayEvent('GET', '/api/health', { 'x-origin-secret': 'the one before' }), lambdaContext)
  expect(statusCode).toBe(200)
})

test('the API speaks MCP', async () => {
  const body = { jsonrpc: '2.0', id: 1, method: 'tools/list' }
  const event = gatewayEvent('POST', '/mcp', { accept: 'application/json, text/event-stream' }, body)
  const { body: packed } = await api(event, lambdaContext)
  expect(Buffer.from(packed, 'base64').toString()).toContain('query-docs')
})

test('the consumer counts a batch of Kinesis, and requests the records again that it cannot count', async () => {
  const { handler } = await import('../../functions/entries/usage.ts')
  const event = usageEvent({ library: '/acme/widgets' })
  const batch = { Records: [kinesisRecord(JSON.stringify(event), 1), kinesisRecord('broken', 2)] }
  expect(await handler(batch, lambdaContext)).toEqual({ batchItemFailures: [] })
  const { dynamoCounters } = await import('../../functions/dynamo/counters/dynamo-counters.ts')
  const log = { info: () => undefined, warn: () => undefined, error: () => undefined }
  const counters = dynamoCounters({ table: stage.dynamo, log, now: () => new Date() })
  const day = event.at.slice(0, 10)
  const { total } = await counters.read('/acme/widgets', day, day)
  expect(total.page + total.txt + total.mcp + total.cli).toBe(1)
})

test('the export streams, requires the same secret, and is only for licenses', async () => {
  const ask = await exportEntry()
  const license = await signLicense(
    { id: 'l', customer: 'Example', kind: 'offline', expiresAt: '2099-01-01T00:00:00.000Z' },
    pair.privatePem,
  )
  const refused = async (headers: Record<string, string>) => {
    const { status, body } = await ask(headers, 'acme/widgets')
    return [status, body.error]
  }
  expect(await refused({})).toEqual([401, 'invalid_api_key'])
  expect(await refused({ authorization: `Bearer ${license}`, 'x-origin-secret': '' })).toEqual([403, 'forbidden'])
  expect(await refused({ authorization: `Bearer ${license}` })).toEqual([404, 'library_not_found'])
})

test('the schedule creates the salt of the next day and publishes the snapshot', async () => {
  const { handler } = await import('../../functions/entries/schedule.ts')
  await handler({} as never, lambdaContext)
  const { ScanCommand } = await import('@aws-sdk/lib-dynamodb')
  const { Items = [] } = await stage.dynamo.db.send(new ScanCommand({ TableName: 'salts' }))
  const tomorrow = new Date(Date.now() + 86_400_000).toISOString().slice(0, 10)
  expect(JSON.stringify(Items.map(({ pk }) => pk))).toContain(tomorrow)
})

test('the status of a failed bundle has the reason', async () => {
  const { handler } = await import('../../functions/entries/bundle.ts')
  await handler({ id: 'b', libraries: ['/acme/none'] }, lambdaContext)
  const { dynamoBundles } = await import('../../functions/dynamo/jobs/dynamo-bundles.ts')
  const book = dynamoBundles({ table: stage.dynamo, now: () => new Date() })
  expect(await book.find('b')).toMatchObject({ state: { state: 'failed', code: 'library_not_found' } })
})
