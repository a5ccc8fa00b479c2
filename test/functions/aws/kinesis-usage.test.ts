import { once } from 'node:events'
import { createServer, type RequestListener } from 'node:http'
import type { AddressInfo } from 'node:net'
import { SplitShardCommand } from '@aws-sdk/client-kinesis'
import { expect, onTestFinished, test } from 'vitest'
import { kinesisUsage } from '../../../functions/aws/kinesis-usage.ts'
import { usageHandler } from '../../../functions/counting/usage-handler.ts'
import { isRefused } from '../../../shared/usage/usage-stream.ts'
import { testClient, testKinesis } from '../../fixtures/kinesis.ts'
import { recordedLog } from '../../fixtures/recorded-log.ts'
import { recordedCounters, usageEvent } from '../../fixtures/usage.ts'

const signal = new AbortController().signal

/** A stream with given responses, and the number of its requests. */
async function streamOf(answer: RequestListener) {
  let requests = 0
  const sockets = new Set<unknown>()
  const server = createServer((request, response) => {
    requests += 1
    sockets.add(request.socket)
    answer(request, response)
  })
  await once(server.listen(0, '127.0.0.1'), 'listening')
  onTestFinished(() => {
    server.closeAllConnections()
    server.close()
  })
  const stream = kinesisUsage({ client: testClient((server.address() as AddressInfo).port), streamName: 'usage' })
  return { stream, server, requests: () => requests, sockets }
}

const failing = (status: number, type: string): RequestListener => {
  return (_, response) =>
    response.writeHead(status, { 'content-type': 'application/x-amz-json-1.1' }).end(JSON.stringify({ __type: type }))
}

test('every event is counted once across a split of its shard', async () => {
  const kinesis = await testKinesis(1)
  const stream = kinesisUsage(kinesis)
  const before = Array.from({ length: 30 }, () => usageEvent())
  const after = Array.from({ length: 30 }, () => usageEvent())
  for (const event of before) await stream.put(event, signal)
  const half = (2n ** 127n).toString()
  const split = new SplitShardCommand({ StreamName: 'usage', ShardToSplit: 'shardId-000000000000', NewStartingHashKey: half })
  await kinesis.client.send(split)
  const shards = await kinesis.shards()
  for (const event of after) await stream.put(event, signal)

  const counters = recordedCounters()
  const handle = usageHandler({ counters, log: recordedLog(), now: () => new Date() })
  for (const { ShardId = '' } of shards)
    expect(await handle(await kinesis.lambdaEvent(ShardId))).toEqual({ batchItemFailures: [] })

  expect(counters.added.map(({ shard }) => shard)).toEqual([
    'shardId-000000000000',
    'shardId-000000000001',
    'shardId-000000000002',
  ])
  const placed = counters.added.flatMap(({ events }) => events)
  expect(placed.map(({ event }) => event.id).toSorted()).toEqual([...before, ...after].map(({ id }) => id).toSorted())
  expect(placed.every(({ sequence }) => /^\d{56}$/.test(sequence))).toBe(true)
})

test.each([
  [400, 'ProvisionedThroughputExceededException', true],
  [400, 'ResourceNotFoundException', true],
  [500, 'InternalFailure', false],
])('the error %i %s causes no second request, and the event is known to be rejected: %s', async (status, type, refused) => {
  const { stream, requests } = await streamOf(failing(status, type))
  const error = await stream.put(usageEvent(), signal).catch((thrown) => thrown)
  expect(error).toBeInstanceOf(Error)
  expect(isRefused(error)).toBe(refused)
  expect(requests()).toBe(1)
})

test('an event is rejected if nothing listens, and uncertain if the connection broke', async () => {
  const broken = await streamOf((request) => request.socket.destroy())
  expect(isRefused(await broken.stream.put(usageEvent(), signal).catch((thrown) => thrown))).toBe(false)
  expect(broken.requests()).toBe(1)
  await new Promise((closed) => broken.server.close(closed))
  expect(isRefused(await broken.stream.put(usageEvent(), signal).catch((thrown) => thrown))).toBe(true)
})

test('an attempt ends when it is aborted', async () => {
  const { stream } = await streamOf(() => {})
  await expect(stream.put(usageEvent(), AbortSignal.timeout(30))).rejects.toMatchObject({ name: 'AbortError' })
})

test('events use one keep-alive socket, which is opened in advance', async () => {
  const { stream, requests, sockets } = await streamOf((_, response) =>
    response.writeHead(200, { 'content-type': 'application/x-amz-json-1.1' }).end('{}'),
  )
  await stream.warm()
  for (let n = 0; n < 3; n++) await stream.put(usageEvent(), signal)
  expect(requests()).toBe(4)
  expect(sockets.size).toBe(1)
})

test('a stream that cannot be reached in advance is ignored', async () => {
  const { stream } = await streamOf(failing(500, 'InternalFailure'))
  await stream.warm()
})
