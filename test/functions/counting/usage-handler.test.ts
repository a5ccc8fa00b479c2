import type { KinesisStreamEvent } from 'aws-lambda'
import { expect, test } from 'vitest'
import { usageHandler } from '../../../functions/counting/usage-handler.ts'
import { recordedLog } from '../../fixtures/recorded-log.ts'
import { recordedCounters, usageEvent } from '../../fixtures/usage.ts'

const firstSequence = 49590338271490256608559692538361571095921575989136588898n

/** A batch as Lambda hands it over: all of a shard's records have a place in it. */
const batch = (...shards: { shard: string; data: (string | object)[] }[]): KinesisStreamEvent => ({
  Records: shards.flatMap(({ shard, data }) =>
    data.map((record, n) => ({
      eventSource: 'aws:kinesis',
      eventVersion: '1.0',
      eventID: `${shard}:${firstSequence + BigInt(n)}`,
      eventName: 'aws:kinesis:record',
      invokeIdentityArn: 'arn:aws:iam::123456789012:role/usage',
      awsRegion: 'eu-central-1',
      eventSourceARN: 'arn:aws:kinesis:eu-central-1:123456789012:stream/usage',
      kinesis: {
        kinesisSchemaVersion: '1.0',
        partitionKey: '/acme/kit#7',
        sequenceNumber: String(firstSequence + BigInt(n)),
        data: Buffer.from(typeof record === 'string' ? record : JSON.stringify(record)).toString('base64'),
        approximateArrivalTimestamp: 1763000000.123,
      },
    })),
  ),
})

const shard = 'shardId-000000000006'

function handler() {
  const counters = recordedCounters()
  const log = recordedLog()
  return { counters, log, handle: usageHandler({ counters, log, now: () => new Date() }) }
}

test('records are counted by shard, each with its sequence number', async () => {
  const { counters, handle } = handler()
  const events = [usageEvent(), usageEvent()]
  const other = usageEvent()
  const answer = await handle(batch({ shard, data: events }, { shard: 'shardId-000000000007', data: [other] }))
  expect(answer).toEqual({ batchItemFailures: [] })
  expect(counters.added).toEqual([
    {
      id: '/acme/kit',
      shard,
      events: events.map((event, n) => ({ sequence: String(firstSequence + BigInt(n)), event })),
    },
    { id: '/acme/kit', shard: 'shardId-000000000007', events: [{ sequence: String(firstSequence), event: other }] },
  ])
})

test('malformed records never block a shard, and their content is not logged', async () => {
  const { counters, log, handle } = handler()
  const data = ['{', '', 'null', '\u0000secret', { id: 'secret' }, usageEvent({ at: '2020-01-01T00:00:00Z' }), usageEvent()]
  expect(await handle(batch({ shard, data }))).toEqual({ batchItemFailures: [] })
  expect(counters.added.flatMap(({ events }) => events)).toHaveLength(1)
  expect(log.lines.length).toBeGreaterThan(0)
  expect(log.text()).not.toContain('secret')
})

test('a failure to count requests all records of the shard again', async () => {
  const { counters, log, handle } = handler()
  counters.failing = true
  const answer = await handle(batch({ shard, data: [usageEvent(), usageEvent()] }))
  expect(answer).toEqual({ batchItemFailures: [{ itemIdentifier: String(firstSequence) }] })
  expect(log.lines).toMatchObject([
    { level: 'error', fields: { shard, records: 2, error: expect.any(Error) }, message: 'usage batch failed' },
  ])
})

test('an empty batch succeeds', async () => {
  expect(await handler().handle({ Records: [] })).toEqual({ batchItemFailures: [] })
})
