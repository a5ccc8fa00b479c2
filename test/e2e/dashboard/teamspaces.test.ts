import { afterAll, beforeAll, expect, test } from 'vitest'
import { personVisit } from '../../fixtures/dashboard-visit.ts'
import { type TestDashboard, testDashboard } from '../../fixtures/test-dashboard.ts'
import { endVisits } from '../../fixtures/web-visit.ts'

let dashboard: TestDashboard
beforeAll(async () => {
  dashboard = await testDashboard()
})
afterAll(async () => {
  await endVisits()
  await dashboard.close()
})

test('a person creates a teamspace; a taken name is kept in the form with the reason', async () => {
  await dashboard.teamspace('Taken', { olga: 'owner' })
  const { page, open, inspect, problems } = await personVisit(dashboard, 'nina')
  await open('/teamspaces/new')
  const name = page.getByRole('textbox', { name: 'Name' })
  await name.fill('TAKEN')
  await page.getByRole('button', { name: 'Create teamspace' }).click()
  await page.getByText('There is already a teamspace "TAKEN". Choose another name.').waitFor()
  expect(await name.inputValue()).toBe('TAKEN')
  await inspect('teamspaces-new')
  await name.fill('Fresh')
  await page.getByRole('button', { name: 'Create teamspace' }).click()
  await page.waitForURL(/\/teamspaces\/[\da-f-]{36}\//)
  expect((await (await dashboard.signIn('nina')).ask('GET', '/api/session')).body).toMatchObject({
    teamspaces: [{ name: 'Fresh', role: 'owner' }],
  })
  expect(problems.filter((problem) => !problem.includes('400'))).toEqual([])
})

test('an owner renames a teamspace, unless the name is taken, and deletes it by typing its name', async () => {
  await dashboard.teamspace('Occupied', { olga: 'owner' })
  const { id } = await dashboard.teamspace('Before', { rita: 'owner', dave: 'developer' })
  const { page, open, inspect } = await personVisit(dashboard, 'rita')
  await open(`/teamspaces/${id}/settings/general`)
  const name = page.getByRole('textbox', { name: 'Name' })
  await name.fill('Occupied')
  await page.getByRole('button', { name: 'Rename' }).click()
  await page.getByText('There is already a teamspace "Occupied"').waitFor()
  await name.fill('  After  ')
  await page.getByRole('button', { name: 'Rename' }).click()
  await page.getByText('Renamed.').waitFor()
  expect(await name.inputValue()).toBe('After')
  await inspect('settings-general')
  await page.getByRole('button', { name: 'Delete teamspace' }).click()
  const dialog = page.getByRole('dialog')
  const confirm = dialog.getByRole('button', { name: 'Delete teamspace' })
  await dialog.getByRole('textbox').fill('Before')
  expect(await confirm.isDisabled()).toBe(true)
  await dialog.getByRole('textbox').fill('After')
  await inspect('settings-general-delete')
  await confirm.click()
  await page.waitForURL((url) => !url.pathname.includes(id))
  expect((await (await dashboard.signIn('dave')).ask('GET', `/api/teamspaces/${id}`)).status).toBe(404)
})

test('the last owner cannot leave; a developer can, and sees neither rename nor delete', async () => {
  const { id } = await dashboard.teamspace('Staying', { olga: 'owner', dora: 'developer' })
  const olga = await personVisit(dashboard, 'olga')
  await olga.open(`/teamspaces/${id}/settings/general`)
  await olga.page.getByText('You are the last owner.').waitFor()
  expect(await olga.page.getByRole('button', { name: 'Leave teamspace' }).isDisabled()).toBe(true)

  const { page, open, inspect } = await personVisit(dashboard, 'dora')
  await open(`/teamspaces/${id}/settings/general`)
  await page.getByRole('button', { name: 'Leave teamspace' }).waitFor()
  expect(await page.getByRole('button', { name: /^(Rename|Delete)/ }).count()).toBe(0)
  await inspect('settings-general-developer')
  await page.getByRole('button', { name: 'Leave teamspace' }).click()
  const dialog = page.getByRole('dialog')
  await dialog.getByRole('textbox').fill('Staying')
  await dialog.getByRole('button', { name: 'Leave teamspace' }).click()
  await page.waitForURL((url) => !url.pathname.includes(id))
  expect((await (await dashboard.signIn('dora')).ask('GET', `/api/teamspaces/${id}`)).status).toBe(404)
})

test('an owner whose co-owner has left meanwhile reads why they cannot leave', async () => {
  const { id } = await dashboard.teamspace('Racing', { olga: 'owner', uma: 'owner' })
  const { page, open } = await personVisit(dashboard, 'olga')
  await open(`/teamspaces/${id}/settings/general`)
  await page.getByRole('button', { name: 'Leave teamspace' }).click()
  await (await dashboard.signIn('uma')).send('POST', `/api/teamspaces/${id}/leave`, { name: 'Racing' })
  const dialog = page.getByRole('dialog')
  await dialog.getByRole('textbox').fill('Racing')
  await dialog.getByRole('button', { name: 'Leave teamspace' }).click()
  await dialog
    .getByRole('alert')
    .getByText(/last owner/)
    .waitFor()
})
