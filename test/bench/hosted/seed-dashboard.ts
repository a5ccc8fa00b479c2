import type { Hosted } from '../../../functions/hosted.ts'
import { parseLibraryId } from '../../../shared/library.ts'
import { applyUsage } from '../../../shared/usage/apply-usage.ts'
import { addBenchLibrary, madeUp } from './add-bench-library.ts'
import { makeUsage, recordsOf } from './make-usage.ts'
import { copyDay } from './seed-metrics.ts'
import { quietLog, withHosted } from './temp-hosted.ts'

export type SeededDashboard = {
  /** The token of the session of an owner. */
  session: string
  team: string
  license: string
  selection: string
  /** The token of an invitation for the owner. */
  invite: string
}

const libraries = Array.from({ length: 10 }, (_, n) => `/bench/lib-${n}`)
const [days, members, keys] = [90, 10, 10]

/** A teamspace with ten libraries that are used every day, ten members, an offline license and a selection of all libraries. */
export async function seedDashboard(dataDir: string): Promise<SeededDashboard> {
  const seeded = await withHosted(dataDir, async (hosted) => {
    for (const [n, address] of libraries.entries()) await addBenchLibrary(hosted, address, madeUp(50, n))
    const team = await addTeam(hosted)
    await countToday(hosted)
    await hosted.publishNames({ whole: true })
    return team
  })
  for (const address of libraries) await copyDay(dataDir, address, days)
  return seeded
}

async function addTeam(hosted: Hosted): Promise<SeededDashboard> {
  const { catalog, invites, licenses, selections, sessions, teamspaces, users } = hosted
  const { id: team } = await teamspaces.create('bench', 'team')
  const [owner] = await Promise.all(
    Array.from({ length: members }, async (_, n) => {
      const name = `user-${n}`
      const user = await users.signIn({ issuer: 'https://issuer.example.com', sub: name, email: `${name}@example.com`, name })
      await teamspaces.addMember(team, user.id, n === 0 ? 'owner' : 'developer')
      return user
    }),
  )
  if (owner === undefined) throw new Error('there is no owner')
  for (const address of libraries) {
    await catalog.own(parseLibraryId(address), team)
    await teamspaces.own(team, address, 'operator')
  }
  for (let n = 0; n < keys; n++) await teamspaces.createKey(team, { createdBy: 'bench' })
  const license = { id: 'bench', customer: 'Bench', kind: 'offline', expiresAt: '2099-01-01T00:00:00.000Z' } as const
  await licenses.record(license, team)
  await selections.save(team, { id: 'all', name: 'All', libraries })
  const invite = await invites.create({ teamspace: team, email: owner.email, role: 'admin', invitedBy: owner.id })
  const { token } = await sessions.begin(owner.id, 'bench')
  return { session: token, team, license: license.id, selection: 'all', invite: invite.token }
}

async function countToday({ counters }: Hosted): Promise<void> {
  const now = () => new Date()
  const at = now().toISOString()
  const traffic = { libraries: libraries.length, clients: 20, topics: 300, at, seed: 1, userOf: (n: number) => n % 2000 }
  const records = recordsOf(makeUsage(10_000, traffic), 0)
  await applyUsage({ counters, log: quietLog, now }, { shard: 'shardId-000000000001', records })
}
