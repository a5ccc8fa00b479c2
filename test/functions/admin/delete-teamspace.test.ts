import { expect, test } from 'vitest'
import { deleteTeamspace } from '../../../functions/admin/delete-teamspace.ts'
import { dynamoLicenses } from '../../../functions/dynamo/accounts/dynamo-licenses.ts'
import { dynamoTeamPolicies } from '../../../functions/dynamo/accounts/dynamo-team-policies.ts'
import { dynamoTeamspaces } from '../../../functions/dynamo/accounts/dynamo-teamspaces.ts'
import { dynamoCatalog } from '../../../functions/dynamo/catalog/dynamo-catalog.ts'
import { dynamoJobs } from '../../../functions/dynamo/jobs/dynamo-jobs.ts'
import type { Table } from '../../../functions/dynamo/table.ts'
import { enqueueJob } from '../../../functions/jobs/hosted-jobs.ts'
import { libraryKey } from '../../../shared/library.ts'
import { openPolicy } from '../../../shared/policy/policy.ts'
import { testDynamo } from '../../fixtures/dynamo.ts'
import { awsError, faultyTable } from '../dynamo/faulty-table.ts'

const now = () => new Date('2030-01-01T00:00:00Z')
const open = { owner: 'acme', repo: 'open' }
const secret = { owner: 'acme', repo: 'secret' }
const given = { owner: 'acme', repo: 'given' }

function portsOn(table: Table) {
  const forgotten: string[] = []
  return {
    catalog: dynamoCatalog({ table, now }),
    licenses: dynamoLicenses({ table, now }),
    teamPolicies: dynamoTeamPolicies({ table, now }),
    teamspaces: dynamoTeamspaces({ table, now }),
    jobs: dynamoJobs({ table, now }),
    queue: { send: async () => undefined },
    counters: { forget: async (key: string) => void forgotten.push(key) },
    publishNames: async () => undefined,
    now,
    forgotten,
  }
}

/** A teamspace with a key, a member, a license, a public library, a private one, and one that it gave to another teamspace. */
async function acme({ teamspaces, catalog, licenses }: ReturnType<typeof portsOn>) {
  const { id } = await teamspaces.create('Acme', 'team')
  const other = await teamspaces.create('Other', 'team')
  const { key } = await teamspaces.createKey(id, { createdBy: 'test' })
  await teamspaces.addMember(id, 'ann', 'owner')
  const license = { id: 'lic', customer: 'Acme', kind: 'online' as const, expiresAt: '2031-01-01T00:00:00.000Z' }
  await licenses.record({ ...license, teamspace: 'Acme' }, id)
  await licenses.changePolicy('lic', { sourceTypes: { disable: ['websites'] } })
  for (const library of [open, secret, given]) {
    await teamspaces.own(id, libraryKey(library), 'added')
    const sourceUrl = `https://github.com/acme/${library.repo}`
    await catalog.add({ id: library, sourceUrl, private: library === secret, teamspace: id })
  }
  await catalog.own(given, other.id)
  return { id, other: other.id, key }
}

test('the deletion of a teamspace that dies at any write is continued, and a stranger with its name owns nothing of it', async () => {
  const writes = new Set(['Put', 'Update', 'Delete'])
  let kills = 0
  for (let at = 0, isOver = false; !isOver; at++) {
    for (const takesEffect of [false, true]) {
      const table = await testDynamo()
      const ports = portsOn(table)
      const { id, other, key } = await acme(ports)
      let written = 0
      let isDead = false
      const faulty = faultyTable(table, (_nth, command) => {
        if (isDead) return { error: awsError('Killed'), takesEffect: false }
        if (!writes.has(command) || written++ < at) return undefined
        isDead = true
        return { error: awsError('Killed'), takesEffect }
      })
      await deleteTeamspace(portsOn(faulty), id).catch(() => undefined)
      isOver = !isDead
      if (isDead) {
        kills++
        // The first write takes its rights.
        if (at > 0 || takesEffect) expect(await ports.teamspaces.get(id)).toBeUndefined()
        const named = await ports.teamspaces.find('acme')
        if (named) await deleteTeamspace(ports, named.id)
      }

      expect(await ports.teamspaces.findKey(key)).toBeUndefined()
      expect([await ports.licenses.isRevoked('lic'), await ports.licenses.policy('lic')]).toEqual([true, openPolicy()])
      expect(await ports.catalog.record(secret)).toBeUndefined()
      expect(await ports.catalog.record(open)).not.toHaveProperty('teamspace')
      expect(await ports.catalog.record(given)).toMatchObject({ teamspace: other })
      const stranger = await ports.teamspaces.create('Acme', 'free')
      expect([await ports.teamspaces.owned(stranger.id), await ports.teamspaces.listKeys(stranger.id)]).toEqual([[], []])
      expect(await ports.teamspaces.owned(id)).toEqual([])
    }
  }
  expect(kills).toBeGreaterThan(20)
}, 120_000)

test('the deletion of a teamspace whose private library has a job takes its rights, and ends when the job has ended', async () => {
  const table = await testDynamo()
  const ports = portsOn(table)
  const { id, key } = await acme(ports)
  const request = { repoUrl: 'https://github.com/acme/secret', force: false, anonymous: false }
  await enqueueJob(ports as never, { key: libraryKey(secret), project: '/acme/secret', request })
  await expect(deleteTeamspace(ports, id)).rejects.toMatchObject({ code: 'job_active' })
  expect([await ports.teamspaces.get(id), await ports.teamspaces.findKey(key)]).toEqual([undefined, undefined])
  await expect(ports.teamspaces.create('acme', 'free')).rejects.toThrow('There is already a teamspace')
  const job = await ports.jobs.claim(libraryKey(secret), 'worker')
  if (job) await ports.jobs.finish(job)
  await deleteTeamspace(ports, id)
  expect(await ports.catalog.record(secret)).toBeUndefined()
  expect(ports.forgotten).toContain(libraryKey(secret))
})

test('a missing teamspace cannot be deleted', async () => {
  const ports = portsOn(await testDynamo())
  await expect(deleteTeamspace(ports, 'nobody')).rejects.toMatchObject({ code: 'team_not_found' })
})
