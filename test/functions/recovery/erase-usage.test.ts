import { randomBytes } from 'node:crypto'
import { expect, test } from 'vitest'
import { dynamoCounters } from '../../../functions/dynamo/counters/dynamo-counters.ts'
import type { Table } from '../../../functions/dynamo/table.ts'
import { eraseUsage } from '../../../functions/recovery/erase-usage.ts'
import { testDynamo } from '../../fixtures/dynamo.ts'
import { silentLog } from '../../fixtures/silent-log.ts'
import { usageEvent } from '../../fixtures/usage.ts'
import { awsError, faultyTable } from '../dynamo/faulty-table.ts'

const now = () => new Date()
const id = { owner: 'acme', repo: 'kit' }
const ids = ['/acme/kit', '/acme/kit@v1', '/acme/other']
const journal = { note: async () => undefined }
const catalog = { record: async () => ({ versions: new Map(['', 'v1'].map((version) => [version, {}])) }) as never }

/** Counters of a library, of its version and of another library. */
async function counted(table: Table) {
  const counters = dynamoCounters({ table, log: silentLog, now })
  const event = usageEvent({ surface: 'mcp', client: 'agent', user: randomBytes(16).toString('base64url'), country: 'FR' })
  for (const each of ids) await counters.add(each, 'shard', [{ sequence: '1', event }])
  const totals = () => Promise.all(ids.map(async (each) => (await counters.read(each, '2000-01-01', '2100-01-01')).total.mcp))
  return { counters, totals }
}

test('erasing the usage of a library erases that of its versions, and of no other library', async () => {
  const { counters, totals } = await counted(await testDynamo())
  await eraseUsage({ catalog, counters, journal }, id)
  await eraseUsage({ catalog, counters, journal }, id)
  expect(await totals()).toEqual([0, 0, 1])
})

test('erasing the usage of a version keeps that of its library', async () => {
  const { counters, totals } = await counted(await testDynamo())
  await eraseUsage({ catalog, counters, journal }, { ...id, version: 'v1' })
  expect(await totals()).toEqual([1, 0, 1])
})

test('erasing usage can be repeated after it was stopped between any two calls', async () => {
  const table = await testDynamo()
  for (let calls = 1, stopped = true; stopped; calls++) {
    const { counters, totals } = await counted(table)
    const dying = faultyTable(table, (nth) =>
      nth >= calls ? { error: awsError('killed'), takesEffect: nth % 2 === 0 } : undefined,
    )
    const attempt = eraseUsage({ catalog, journal, counters: dynamoCounters({ table: dying, log: silentLog, now }) }, id)
    stopped = await attempt.then(
      () => false,
      () => true,
    )
    await eraseUsage({ catalog, counters, journal }, id)
    expect((await totals()).slice(0, 2), `${calls} calls`).toEqual([0, 0])
    expect(calls).toBeLessThan(40)
  }
})
