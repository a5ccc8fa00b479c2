import { ScanCommand } from '@aws-sdk/lib-dynamodb'
import { describe, expect, test } from 'vitest'
import type { Teamspaces } from '../../../../functions/access/teamspaces.ts'
import { dynamoTeamspaces } from '../../../../functions/dynamo/accounts/dynamo-teamspaces.ts'
import type { Table } from '../../../../functions/dynamo/table.ts'
import { testDynamo } from '../../../fixtures/dynamo.ts'
import { awsError, faultyTable } from '../faulty-table.ts'

const now = () => new Date('2030-01-01T00:00:00Z')
const by = { createdBy: 'operator ann' }
const writes = new Set(['Put', 'Update', 'Delete'])
const itemsOf = async ({ db, name }: Table) => (await db.send(new ScanCommand({ TableName: name }))).Items ?? []

/**
 * Runs a change once per write, and ends each run before or after that write. Then `check` gets the teamspaces of a new process and
 * whether the last write of the run took effect.
 */
async function atEachWrite(
  prepare: (teamspaces: Teamspaces) => Promise<string>,
  change: (teamspaces: Teamspaces, id: string) => Promise<unknown>,
  check: (teamspaces: Teamspaces, id: string, table: Table) => Promise<void>,
): Promise<number> {
  for (let at = 0; ; at++) {
    for (const takesEffect of [false, true]) {
      const table = await testDynamo()
      const id = await prepare(dynamoTeamspaces({ table, now }))
      let written = 0
      let isDead = false
      const faulty = faultyTable(table, (_nth, command) => {
        if (isDead) return { error: awsError('Killed'), takesEffect: false }
        if (!writes.has(command) || written++ < at) return undefined
        isDead = true
        return { error: awsError('Killed'), takesEffect }
      })
      const result = await change(dynamoTeamspaces({ table: faulty, now }), id).then(
        () => 'done',
        (error: Error) => error.name,
      )
      if (!isDead) return at
      expect(result).toBe('Killed')
      await check(dynamoTeamspaces({ table, now }), id, table)
    }
  }
}

describe('a kill at any write', () => {
  test('ends a creation with the name free or taken, and a second attempt has one teamspace', async () => {
    const killed = await atEachWrite(
      async () => '',
      (teamspaces) => teamspaces.create('Acme', 'team'),
      async (teamspaces) => {
        const before = await teamspaces.find('acme')
        if (before) await expect(teamspaces.create('ACME', 'free')).rejects.toThrow('There is already a teamspace')
        const { id } = before ?? (await teamspaces.create('ACME', 'free'))
        expect(await teamspaces.find('acme')).toMatchObject({ id })
        expect((await teamspaces.list()).map((team) => team.id)).toEqual([id])
      },
    )
    expect(killed).toBe(2)
  })

  test('ends a rename with the old or the new name, which a second attempt and strangers find in order', async () => {
    const killed = await atEachWrite(
      async (teamspaces) => (await teamspaces.create('Old', 'team')).id,
      (teamspaces, id) => teamspaces.rename(id, 'New'),
      async (teamspaces, id) => {
        expect(['Old', 'New']).toContain((await teamspaces.get(id))?.name)
        // No stranger gets a name that still leads to the teamspace.
        for (const name of ['Old', 'New']) {
          const holder = await teamspaces.find(name)
          expect([undefined, id]).toContain(holder?.id)
          if (holder) await expect(teamspaces.create(name, 'free')).rejects.toThrow('There is already a teamspace')
        }
        await teamspaces.rename(id, 'New')
        expect(await teamspaces.find('new')).toMatchObject({ id, name: 'New' })
        expect(await teamspaces.find('old')).toBeUndefined()
        const stranger = await teamspaces.create('Old', 'free')
        expect(await teamspaces.find('old')).toEqual(stranger)
      },
    )
    expect(killed).toBe(5)
  })

  test('ends a deletion with a teamspace without rights, or nothing, and a second attempt ends it', async () => {
    let key = ''
    const killed = await atEachWrite(
      async (teamspaces) => {
        const { id } = await teamspaces.create('Acme', 'team')
        key = (await teamspaces.createKey(id, by)).key
        await teamspaces.addMember(id, 'ann', 'owner')
        return id
      },
      async (teamspaces, id) => {
        await teamspaces.close(id)
        await teamspaces.forget(id)
      },
      async (teamspaces, id, table) => {
        const holder = await teamspaces.find('acme')
        if (holder) {
          expect(holder.id).toBe(id)
          await teamspaces.close(id)
          await teamspaces.forget(id)
        }
        expect(await teamspaces.findKey(key)).toBeUndefined()
        const stranger = await teamspaces.create('Acme', 'free')
        expect(stranger.id).not.toBe(id)
        expect([await teamspaces.listKeys(stranger.id), await teamspaces.members(stranger.id)]).toEqual([[], []])
        expect((await itemsOf(table)).map(({ pk, sk }) => [pk, sk]).sort()).toEqual([
          [`TEAM#${stranger.id}`, 'TEAM'],
          ['TEAMNAME#acme', 'TEAM'],
        ])
      },
    )
    expect(killed).toBe(7)
  })

  test('ends the creation of a key with no key that anybody knows, and a new attempt makes one', async () => {
    const killed = await atEachWrite(
      async (teamspaces) => (await teamspaces.create('Acme', 'team')).id,
      (teamspaces, id) => teamspaces.createKey(id, by),
      async (teamspaces, id) => {
        const listed = await teamspaces.listKeys(id)
        for (const each of listed) expect(await teamspaces.revokeKey(each.id)).toBe(true)
        const { key } = await teamspaces.createKey(id, by)
        expect(await teamspaces.findKey(key)).toMatchObject({ teamspace: id })
        expect((await teamspaces.listKeys(id)).length).toBe(listed.length + 1)
      },
    )
    expect(killed).toBe(2)
  })

  test('ends a change of owners with at least one owner, with the role that the set of owners has', async () => {
    const killed = await atEachWrite(
      async (teamspaces) => {
        const { id } = await teamspaces.create('Acme', 'team')
        await teamspaces.addMember(id, 'ann', 'owner')
        return id
      },
      async (teamspaces, id) => {
        await teamspaces.addMember(id, 'bob', 'owner')
        await teamspaces.addMember(id, 'ann', 'developer')
      },
      async (teamspaces, id) => {
        const owners = async () => (await teamspaces.members(id)).filter(({ role }) => role === 'owner').map(({ user }) => user)
        expect((await owners()).length).toBeGreaterThan(0)
        await teamspaces.addMember(id, 'bob', 'owner')
        await teamspaces.addMember(id, 'ann', 'developer')
        expect(await owners()).toEqual(['bob'])
        await expect(teamspaces.addMember(id, 'bob', 'admin')).rejects.toThrow('the last owner')
      },
    )
    expect(killed).toBe(6)
  })
})

test('a key that is created while its teamspace is deleted is not valid', async () => {
  const table = await testDynamo()
  const teamspaces = dynamoTeamspaces({ table, now })
  const { id } = await teamspaces.create('Acme', 'team')
  const deleting = async () => {
    await teamspaces.close(id)
    await teamspaces.forget(id)
  }
  let isDeleted = false
  const between = new Proxy(table.db, {
    get: (db, name) =>
      name !== 'send'
        ? Reflect.get(db, name)
        : async (command: { input: { Item?: { pk: string } } }) => {
            if (!isDeleted && command.input.Item?.pk.startsWith('TEAM#')) {
              isDeleted = true
              await deleting()
            }
            return db.send(command as never)
          },
  })
  const racing = dynamoTeamspaces({ table: { db: between, name: table.name }, now })
  await expect(racing.createKey(id, by)).rejects.toMatchObject({ code: 'team_not_found' })
  expect((await itemsOf(table)).filter(({ pk }) => pk.startsWith('KEY#'))).toEqual([])
})
