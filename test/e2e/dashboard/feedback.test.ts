import { afterAll, beforeAll, expect, test } from 'vitest'
import type { Teamspace } from '../../../functions/access/teamspaces.ts'
import { personVisit } from '../../fixtures/dashboard-visit.ts'
import { page as markdown } from '../../fixtures/page.ts'
import { type TestDashboard, testDashboard } from '../../fixtures/test-dashboard.ts'
import { endVisits } from '../../fixtures/web-visit.ts'

let dashboard: TestDashboard
let acme: Teamspace

beforeAll(async () => {
  dashboard = await testDashboard()
  acme = await dashboard.teamspace('Acme', { ann: 'admin' })
  const files = { 'README.md': markdown('Anvil', 'The anvil weighs a ton.') }
  await dashboard.hosted.git.create('acme/anvil', { files, tags: ['v1.0.0'] })
})
afterAll(async () => {
  await endVisits()
  await dashboard.close()
})

const at = (path: string) => `/teamspaces/${acme.id}${path}`

test('a job that ends is announced on another page of the teamspace', async () => {
  const { git } = dashboard.hosted
  const { page, open, problems, close } = await personVisit(dashboard, 'ann')
  const opened = Promise.withResolvers<void>()
  git.misbehave('acme/anvil', { kind: 'hold', at: 'pack', until: opened.promise, held: () => undefined })
  await open(at('/libraries/add'))
  await page.getByRole('textbox', { name: 'Repository' }).fill(`${git.url}/acme/anvil`)
  await page.getByRole('button', { name: 'Add Repository' }).click()
  await page.getByText('Parsing').waitFor()
  await page.getByRole('link', { name: 'Members' }).click()
  await page.getByRole('heading', { name: 'Members' }).waitFor()
  opened.resolve()
  await page.getByRole('status').getByText('/acme/anvil is ready.').waitFor()
  const asked: string[] = []
  page.on('request', (request) => void asked.push(request.url()))
  await page.getByRole('button', { name: 'Open' }).click()
  await page.getByText('The anvil weighs a ton.').first().waitFor()
  expect(asked.filter((url) => url.endsWith('/jobs'))).toEqual([])
  expect(problems).toEqual([])
  await close()
})
