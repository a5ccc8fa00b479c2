import { PutCommand } from '@aws-sdk/lib-dynamodb'
import { expect, test } from 'vitest'
import { openTestDynamo } from '../../fixtures/dynamo.ts'

test('the emulator that tests use ends the writes of callers that hung up before it closes its database', async () => {
  const { db, name, close } = await openTestDynamo()
  const abort = new AbortController()
  const Item = { pk: 'LIB#/acme/widgets', sk: 'TOTAL', text: 'x'.repeat(300_000) }
  const writes = Array.from({ length: 50 }, (_, n) =>
    db.send(new PutCommand({ TableName: name, Item: { ...Item, sk: `TOTAL${n}` } }), { abortSignal: abort.signal }),
  )
  const first = await Promise.race(writes)
  abort.abort()
  await close()
  expect(first.$metadata.httpStatusCode).toBe(200)
  // An error of a write that is still running would be uncaught, which fails the run.
  await new Promise((resolve) => setTimeout(resolve, 200))
  await Promise.allSettled(writes)
})
