import { afterAll, beforeAll, expect, test } from 'vitest'
import type { Teamspace } from '../../../functions/access/teamspaces.ts'
import { personVisit } from '../../fixtures/dashboard-visit.ts'
import { page as markdown } from '../../fixtures/page.ts'
import { type Person, type TestDashboard, testDashboard } from '../../fixtures/test-dashboard.ts'
import { endVisits } from '../../fixtures/web-visit.ts'

let dashboard: TestDashboard
let acme: Teamspace
let ann: Person

beforeAll(async () => {
  dashboard = await testDashboard()
  acme = await dashboard.teamspace('Acme', { ann: 'admin' })
  ann = await dashboard.signIn('ann')
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
  await page.getByText('Adding').waitFor()
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

test('a deletion can be undone for ten seconds; leaving the page deletes at once', async () => {
  const stored = async () => {
    const { body } = await ann.ask('GET', `/api${at('/libraries')}`)
    return JSON.stringify(body).includes('/acme/anvil')
  }
  const { page, open, inspect, problems, close } = await personVisit(dashboard, 'ann')
  await open(at('/libraries/acme/anvil'))
  const remove = async () => {
    await page.getByRole('button', { name: 'Remove from list' }).click()
    await page.getByRole('dialog').getByRole('button', { name: 'Remove from list' }).click()
    await page.getByRole('heading', { name: 'No libraries yet' }).waitFor()
  }
  await remove()
  await page.getByRole('status').getByText('/acme/anvil will be removed from the list in 10 seconds.').waitFor()
  expect(await stored()).toBe(true)
  await inspect('deletion-undo')
  await page.getByRole('button', { name: 'Undo' }).click()
  await page.getByRole('link', { name: 'Anvil' }).click()
  await remove()
  await page.goto('about:blank')
  await expect.poll(stored).toBe(false)
  expect(problems).toEqual([])
  await close()
})
