import { afterAll, beforeAll, describe, expect, test } from 'vitest'
import { type DevIssuer, startDevIssuer } from '../../functions/local/dev-issuer.ts'
import { peopleAt } from '../fixtures/test-dashboard.ts'
import { type TestHosted, testHosted } from '../fixtures/test-hosted.ts'
import { rows as apiRows, libraries, type Row } from '../functions/access/access-table.ts'
import {
  answerOf as apiAnswerOf,
  expected,
  jobEnded,
  type TableCallers,
  tableCallers,
} from '../functions/access/table-callers.ts'
import { accessTableTests, answerOf, rows, sendRow } from '../functions/dashboard/access-table-tests.ts'
import { type Edge, startDashboardRouter, startRouter } from './edge.ts'
import type { Stages } from './stage.ts'

const dashboardUrl = 'https://app.docs.example.com'
const apiCallers = ['nobody', 'stranger', 'owner', 'offline'] as const
/** The API serves a separate document at this path. */
const ofDashboard = rows.filter(({ route }) => route !== 'GET /api/openapi.json')
const reads = rows.filter(({ route }) => route.startsWith('GET '))

export const accessTests = (stages: () => Stages) => {
  describe('callers of the dashboard behind its Router', () => {
    let hosted: TestHosted
    let issuer: DevIssuer
    let edge: Edge
    let router: Edge
    let foreign = 0

    beforeAll(async () => {
      hosted = await testHosted()
      issuer = await startDevIssuer({ port: 0, redirectUri: `${dashboardUrl}/auth/callback` })
      const behind = { ...hosted.hosted, onForeign: () => void foreign++ }
      edge = await startDashboardRouter(stages().production, behind, dashboardUrl, issuer)
      router = await startRouter(stages().production, hosted.hosted)
    })
    afterAll(async () => {
      await Promise.all([edge, router, issuer].map((started) => started?.close()))
      await hosted?.close()
    })

    const peopleBehind = (address: string) => peopleAt(hosted.hosted, dashboardUrl, { address })

    accessTableTests('the dashboard', () => ({ url: dashboardUrl, people: peopleBehind(edge.url), hosted: hosted.hosted }))

    const team = async () => (await hosted.hosted.teamspaces.find('Acme'))?.id ?? ''

    test.each(rows)('the route $route rejects an owner whose request does not come from the Router', async (row) => {
      const [address = ''] = Object.values(edge.origins)
      const owner = await peopleBehind(address).signIn('owner')
      const before = foreign
      for (const secret of ['', 'forged', 'origin-secret-of-at-least-32-lettert']) {
        const response = await sendRow(owner, row, await team(), { 'x-origin-secret': secret, 'x-viewer-address': '203.0.113.9' })
        expect([await answerOf(response), response.headers.getSetCookie()], secret).toEqual(['403 forbidden', []])
      }
      expect(foreign - before).toBe(3)
    })

    test.each(reads)('the route $route answers callers at the same time each for their own session', async (row) => {
      const people = peopleBehind(edge.url)
      const persons = [people.nobody, await people.signIn('stranger'), await people.signIn('owner')]
      const id = await team()
      const alone = []
      for (const person of persons) alone.push(await answerOf(await sendRow(person, row, id)))
      edge.gather(persons.length)
      const together = await Promise.all(persons.map(async (person) => answerOf(await sendRow(person, row, id))))
      expect(together).toEqual(alone)
    })

    test.each(ofDashboard)(
      'the route $route does not exist on the host of the API, and a session opens nothing there',
      async (row) => {
        const owner = await peopleBehind(router.url).signIn('owner')
        const response = await sendRow(owner, row, await team())
        expect([response.status, response.headers.getSetCookie()]).toEqual([404, []])
      },
    )
  })

  describe('callers of the API behind its Router', () => {
    let table: TableCallers
    let edge: Edge

    beforeAll(async () => {
      table = await tableCallers()
      edge = await startRouter(stages().production, table.hosted.hosted)
    })
    afterAll(async () => {
      await edge?.close()
      await table?.hosted.close()
    })

    test.each(apiRows)('get the answers that the table defines: $route ($what)', async (row) => {
      const answers: Record<string, string> = {}
      for (const caller of apiCallers) {
        answers[caller] = await apiAnswerOf(await table.send(row, caller, edge.url), row)
        if (row.path.endsWith('/refresh')) for (const library of Object.values(libraries)) await jobEnded(table.hosted, library)
      }
      expect(expected(row)).toMatchObject(answers)
    })

    test.each(apiRows)('are rejected around the Router: $route ($what)', async (row: Row) => {
      for (const address of Object.values(edge.origins)) expect((await table.send(row, 'owner', address)).status).toBe(403)
    })
  })
}
