import { expect, onTestFinished, test } from 'vitest'
import { createTeamspace, type ManageTeamspacesPorts } from '../../../functions/dashboard/actions/manage-teamspaces.ts'
import { AppError } from '../../../shared/errors.ts'
import { silentLog } from '../../fixtures/silent-log.ts'
import { testDashboard } from '../../fixtures/test-dashboard.ts'

test('an address creates 50 of 10,000 teamspaces a day, however many people sign in there, and other addresses are not affected', async () => {
  const counts = new Map<string, number>()
  const created: string[] = []
  const ports = {
    requestCounts: {
      async add({ subject, window }: { subject: string; window: string }, requests: number) {
        const count = (counts.get(`${subject} ${window}`) ?? 0) + requests
        counts.set(`${subject} ${window}`, count)
        return count
      },
    },
    teamspaces: { find: async () => undefined, create: async (name: string) => void created.push(name) },
    audit: { begin: async () => async () => undefined },
    log: silentLog,
    now: () => new Date('2030-06-01T12:00:00.000Z'),
  } as unknown as ManageTeamspacesPorts
  const create = (person: number, network: string) =>
    createTeamspace(ports, { id: `person-${person}`, email: `${person}@example.com` } as never, network, `team-${created.length}`)
  const codes = new Set<unknown>()
  for (let n = 0; n < 10_000; n++)
    await create(n % 1_000, 'one network').catch((error: unknown) => codes.add(error instanceof AppError && error.code))
  expect([created.length, [...codes]]).toEqual([50, ['rate_limit_exceeded']])
  await create(5_000, 'another network')
  expect(created).toHaveLength(51)
})

test('the dashboard limits the teamspaces of an address by the address of the request', async () => {
  const dashboard = await testDashboard()
  onTestFinished(dashboard.close)
  let refused = 0
  for (let n = 0; n < 55; n++) {
    const person = await dashboard.signIn(`person${n}`)
    const { status } = await person.ask('POST', '/api/teamspaces', { name: `team${n}` })
    if (status === 429) refused += 1
  }
  expect(refused).toBe(5)
})
