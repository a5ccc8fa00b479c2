import type { DynamoDBDocumentClient } from '@aws-sdk/lib-dynamodb'
import { expect, test } from 'vitest'
import { dynamoTeamspaces } from '../../../../functions/dynamo/accounts/dynamo-teamspaces.ts'
import type { Table } from '../../../../functions/dynamo/table.ts'
import { testDynamo } from '../../../fixtures/dynamo.ts'

const now = () => new Date('2030-01-01T00:00:00Z')

/** A table whose client waits before one command, the nth of its kind; `reached` resolves there. */
function pausedAt({ db, name }: Table, kind: string, nth: number) {
  const [reached, resumed] = [Promise.withResolvers<void>(), Promise.withResolvers<void>()]
  let seen = 0
  const send = async (...all: [{ constructor: { name: string } }]) => {
    if (all[0].constructor.name === kind && ++seen === nth) {
      reached.resolve()
      await resumed.promise
    }
    return (db.send as (...given: unknown[]) => Promise<unknown>)(...all)
  }
  const handle = new Proxy(db, { get: (target, key) => (key === 'send' ? send : Reflect.get(target, key)) })
  return { table: { db: handle as DynamoDBDocumentClient, name }, reached: reached.promise, resume: resumed.resolve }
}

test('a name that is taken again while another rename frees it still leads to the teamspace', async () => {
  const table = await testDynamo()
  const teamspaces = dynamoTeamspaces({ table, now })
  const { id } = await teamspaces.create('Old', 'team')
  // The first rename has taken its name and stops; the second drops that name, and stops before it frees it.
  const first = pausedAt(table, 'UpdateCommand', 2)
  const stopped = dynamoTeamspaces({ table: first.table, now }).rename(id, 'New')
  await first.reached
  const second = pausedAt(table, 'DeleteCommand', 2)
  const other = dynamoTeamspaces({ table: second.table, now }).rename(id, 'Other')
  await second.reached
  await teamspaces.rename(id, 'New')
  second.resume()
  first.resume()
  await Promise.allSettled([stopped, other])
  expect(await teamspaces.find('New')).toEqual(await teamspaces.get(id))
  expect(await teamspaces.get(id)).toMatchObject({ name: 'New' })
})
