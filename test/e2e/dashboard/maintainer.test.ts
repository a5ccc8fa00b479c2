import { afterAll, beforeAll, expect, test, vi } from 'vitest'
import { signInAs, strangerVisit } from '../../fixtures/dashboard-visit.ts'
import { page as markdown } from '../../fixtures/page.ts'
import { type TestDashboard, testDashboard } from '../../fixtures/test-dashboard.ts'
import { endVisits } from '../../fixtures/web-visit.ts'

let dashboard: TestDashboard
beforeAll(async () => {
  dashboard = await testDashboard()
  await dashboard.hosted.git.create('acme/anvil', { files: { 'README.md': markdown('Anvil', 'The anvil weighs a ton.') } })
})
afterAll(async () => {
  await endVisits()
  await dashboard.close()
})

/** Requests of two surfaces, which the service has counted when this returns. */
async function askLibrary(): Promise<void> {
  const { hosted } = dashboard
  const query = '/api/v2/context?libraryId=/acme/anvil&query=How%20much%20does%20the%20anvil%20weigh'
  for (const type of ['txt', 'json']) expect((await hosted.get(`${query}&type=${type}`)).status).toBe(200)
  const today = new Date().toISOString().slice(0, 10)
  await vi.waitFor(async () => {
    const { total } = await hosted.hosted.counters.read('/acme/anvil', today, today)
    expect(total.txt).toBe(2)
  }, 30_000)
}

test('a maintainer signs in, creates a teamspace and invites an admin, who claims a library; both see its usage', async () => {
  const owner = await strangerVisit(dashboard)
  await owner.open('/')
  await signInAs(owner.page, 'owner')
  await owner.page.waitForURL('**/teamspaces/new')
  await owner.page.getByRole('textbox', { name: 'Name' }).fill('Smiths')
  await owner.page.getByRole('button', { name: 'Create teamspace' }).click()
  await owner.page.waitForURL(/\/teamspaces\/[\da-f-]{36}\//)
  const [team = ''] = /\/teamspaces\/[\da-f-]{36}/.exec(owner.page.url()) ?? []

  await owner.open(`${team}/members`)
  await owner.page.getByRole('button', { name: 'Invite' }).click()
  const dialog = owner.page.getByRole('dialog')
  await dialog.getByRole('textbox', { name: 'E-mail address' }).fill('admin@example.com')
  await dialog.getByRole('radio', { name: /^Admin/ }).check()
  await dialog.getByRole('button', { name: 'Invite' }).click()
  const link = (await dialog.locator('pre').textContent()) ?? ''
  await dialog.getByRole('button', { name: 'Done' }).click()

  const admin = await strangerVisit(dashboard)
  await admin.page.goto(link)
  await signInAs(admin.page, 'admin')
  await admin.page.getByRole('heading', { name: 'Join Smiths' }).waitFor()
  await admin.page.getByRole('button', { name: 'Accept' }).click()
  await admin.page.waitForURL(`**${team}/*`)

  await admin.open(`${team}/libraries/add`)
  await admin.page.getByRole('textbox', { name: 'Repository' }).fill(`${dashboard.hosted.git.url}/acme/anvil`)
  await admin.page.getByRole('button', { name: 'Add Repository' }).click()
  await admin.page.waitForURL(`**${team}/libraries/acme/anvil*`)
  await admin.page.getByRole('heading', { name: 'Anvil', exact: true }).first().waitFor()
  await admin.page.getByRole('tab', { name: 'Ownership' }).click()
  await admin.page.getByRole('button', { name: 'Claim ownership' }).click()
  const lines = (await admin.page.locator('pre').textContent()) ?? ''
  await dashboard.hosted.git.commit('acme/anvil', { files: { 'carrel.json': lines } })
  await admin.page.getByRole('button', { name: 'Verify' }).click()
  await admin.page.getByRole('heading', { name: 'Your teamspace owns this library' }).waitFor()

  await askLibrary()
  for (const { page, open, problems } of [admin, owner]) {
    await open(`${team}/usage`)
    await page.getByRole('row', { name: /^Anvil 2 0$/ }).waitFor()
    await page.getByRole('link', { name: 'Anvil', exact: true }).click()
    await page.waitForURL(`**${team}/libraries/acme/anvil*`)
    await page.getByRole('heading', { name: 'Anvil', exact: true }).first().waitFor()
    // The first page knows nobody, which Chromium reports.
    expect(problems.filter((problem) => !problem.includes('401'))).toEqual([])
  }
  await owner.inspect('maintainer-library')
})
