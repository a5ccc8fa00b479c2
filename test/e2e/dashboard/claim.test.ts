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
  acme = await dashboard.teamspace('Acme', { ann: 'admin', dev: 'developer' })
  await dashboard.hosted.git.create('acme/anvil', { files: { 'README.md': markdown('Anvil', 'The anvil weighs a ton.') } })
  await dashboard.hosted.add('acme/anvil')
})
afterAll(async () => {
  await endVisits()
  await dashboard.close()
})

const at = (path: string) => `/teamspaces/${acme.id}${path}`
const put = (content: string | null, branch = 'main') =>
  dashboard.hosted.git.commit('acme/anvil', { files: { 'carrel.json': content }, branch })

test('an admin claims a library: each reason of a failure is shown, then the right key makes it theirs', async () => {
  const { page, open, inspect, problems, close } = await personVisit(dashboard, 'ann')
  await open(at('/libraries/acme/anvil?tab=ownership'))
  await page.getByRole('button', { name: 'Claim ownership' }).click()
  const lines = page.locator('pre')
  await lines.waitFor()
  await inspect('claim')
  await page.getByRole('button', { name: 'Copy the lines' }).click()
  const copied = await page.evaluate(() => navigator.clipboard.readText())
  expect(JSON.parse(copied)).toEqual({
    url: `${dashboard.hosted.url}/acme/anvil`,
    public_key: expect.stringMatching(/^pk_[\w-]{32}$/),
  })
  expect(await lines.textContent()).toBe(copied)

  const alert = page.getByRole('alert')
  const verify = async (title: string) => {
    await page.getByRole('button', { name: 'Verify' }).click()
    await alert.getByText(title, { exact: true }).waitFor()
  }
  await verify('The project file was not found')
  await put('{"public_key": "pk_of_another", "url": "https://docs.example.com/acme/anvil"}')
  await verify('The address is that of another library')
  await put(JSON.stringify({ ...JSON.parse(copied), public_key: 'pk_of_another' }))
  await verify('The key is wrong')
  await inspect('claim-wrong-key')
  await put('not JSON')
  await verify('The project file is not JSON')
  await put(null)
  await put(copied, 'next')
  await verify('The key is in another branch')
  await put(copied)
  await page.getByRole('button', { name: 'Verify' }).click()
  await page.getByRole('heading', { name: 'Your teamspace owns this library' }).waitFor()
  await page.getByText('Owned', { exact: true }).waitFor()
  await inspect('claim-owned')
  expect(problems.filter((problem) => !problem.includes('409'))).toEqual([])

  await page.getByRole('button', { name: 'Release ownership' }).click()
  await page.getByRole('dialog').getByRole('button', { name: 'Release ownership' }).click()
  await page.getByRole('button', { name: 'Claim ownership' }).waitFor()
  await close()
})

test('an owner stops the indexing of a library, and allows it again', async () => {
  await dashboard.hosted.hosted.teamspaces.own(acme.id, '/acme/anvil', 'claim')
  await dashboard.hosted.hosted.catalog.own({ owner: 'acme', repo: 'anvil' }, acme.id)
  const developer = await personVisit(dashboard, 'dev')
  await developer.open(at('/libraries/acme/anvil?tab=ownership'))
  await developer.page.getByText('Only owners and admins of the teamspace can release it').waitFor()
  expect(await developer.page.getByRole('button', { name: 'Stop indexing' }).count()).toBe(0)
  await developer.open(at('/settings/opt-outs'))
  await developer.page.getByRole('heading', { name: 'No library is opted out' }).waitFor()
  await developer.inspect('opt-outs-none')
  await developer.close()

  const { page, open, inspect, problems, close } = await personVisit(dashboard, 'ann')
  await open(at('/libraries/acme/anvil?tab=ownership'))
  await page.getByRole('button', { name: 'Stop indexing' }).click()
  await inspect('opt-out')
  await page.getByRole('dialog').getByRole('button', { name: 'Stop indexing' }).click()
  await page.getByRole('cell', { name: '/acme/anvil' }).waitFor()
  await inspect('opt-outs')
  await page.getByRole('button', { name: 'Allow again' }).click()
  await page.getByRole('dialog').getByRole('button', { name: 'Allow again' }).click()
  await page.getByRole('heading', { name: 'No library is opted out' }).waitFor()
  expect(problems.filter((problem) => !problem.includes('404'))).toEqual([])
  await close()
})
