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

const statusOf = async (key: string) =>
  (await dashboard.hosted.get('/api/v2/policies', { authorization: `Bearer ${key}` })).status

test('an admin creates a key, which is shown once and works until it is revoked', async () => {
  const { id } = await dashboard.teamspace('Keys', { adam: 'admin', dave: 'developer' })
  const { page, open, inspect, problems } = await personVisit(dashboard, 'adam')
  await open(`/teamspaces/${id}/keys`)
  await page.getByRole('heading', { name: 'No keys yet' }).waitFor()
  await inspect('keys-empty')
  await page.getByRole('button', { name: 'New key' }).click()
  const dialog = page.getByRole('dialog')
  await dialog.getByRole('textbox', { name: 'Name' }).fill('CI of the website')
  await dialog.getByRole('radio', { name: /^Read and add/ }).check()
  await dialog
    .getByRole('radiogroup', { name: 'Role' })
    .getByRole('radio', { name: /^Admin/ })
    .check()
  expect(await dialog.getByRole('radio', { name: /^Owner/ }).count()).toBe(0)
  await dialog.getByRole('combobox', { name: 'Expires' }).click()
  await page.getByRole('option', { name: 'In 90 days' }).click()
  await inspect('keys-new')
  await dialog.getByRole('button', { name: 'Create key' }).click()
  const key = (await dialog.locator('pre').textContent()) ?? ''
  await inspect('keys-created')
  await dialog.getByRole('button', { name: 'Done' }).click()
  await page.getByRole('row', { name: /CI of the website adam · Read and add · Admin .* Never in .* Revoke key/ }).waitFor()
  expect(await page.getByText(key).count()).toBe(0)

  expect(await statusOf(key)).toBe(200)
  await page.reload()
  await page.getByRole('row', { name: /CI of the website.*today/ }).waitFor()
  await inspect('keys')
  await page.getByRole('button', { name: 'Revoke key' }).click()
  await dialog.getByRole('button', { name: 'Revoke key' }).click()
  await page.getByRole('heading', { name: 'No keys yet' }).waitFor()
  expect(await statusOf(key)).toBe(401)
  expect(problems).toEqual([])
})

test('a developer creates keys of their own role only, sees all keys, and revokes only their own', async () => {
  const { id } = await dashboard.teamspace('Rights', { adam: 'admin', dave: 'developer' })
  const adam = await dashboard.signIn('adam')
  const { body } = await adam.ask<{ id: string }>('POST', `/api/teamspaces/${id}/keys`, { name: 'of adam' })
  const { page, open, inspect } = await personVisit(dashboard, 'dave')
  await open(`/teamspaces/${id}/keys`)
  await page.getByRole('button', { name: 'New key' }).click()
  const dialog = page.getByRole('dialog')
  await dialog.getByRole('textbox', { name: 'Name' }).fill('of dave')
  expect(await dialog.getByRole('radiogroup', { name: 'Role' }).count()).toBe(0)
  await dialog.getByRole('button', { name: 'Create key' }).click()
  await dialog.getByRole('button', { name: 'Done' }).click()
  await page
    .getByRole('row', { name: /of dave/ })
    .getByRole('button', { name: 'Revoke key' })
    .waitFor()
  expect(
    await page
      .getByRole('row', { name: /of adam/ })
      .getByRole('button')
      .count(),
  ).toBe(0)
  await inspect('keys-developer')
  const status = await page.evaluate(
    (path) => fetch(path, { method: 'DELETE' }).then((response) => response.status),
    `/api/teamspaces/${id}/keys/${body.id}`,
  )
  expect(status).toBe(403)
})

test('a key of somebody who has left ends with the membership', async () => {
  const { id } = await dashboard.teamspace('Leaving', { olga: 'owner', dave: 'developer' })
  const dave = await dashboard.signIn('dave')
  await dave.send('POST', `/api/teamspaces/${id}/keys`, { name: 'of dave' })
  const { page, open } = await personVisit(dashboard, 'olga')
  await open(`/teamspaces/${id}/keys`)
  await page.getByRole('row', { name: /of dave/ }).waitFor()
  await dave.send('POST', `/api/teamspaces/${id}/leave`, { name: 'Leaving' })
  await page.reload()
  await page.getByRole('heading', { name: 'No keys yet' }).waitFor()
})

test('a member connects an agent without a key, then with one, and sees its first request', async () => {
  const { id } = await dashboard.teamspace('Agents', { dora: 'developer' })
  const { page, open, inspect, problems } = await personVisit(dashboard, 'dora')
  await open(`/teamspaces/${id}/connect?client=gemini`)
  await page.getByRole('button', { name: 'Gemini CLI', pressed: true }).waitFor()
  await page.getByText('--gemini').waitFor()
  await page.getByText('Other ways').click()
  await page.getByText('"httpUrl"').waitFor()
  await inspect('connect')
  await page.getByRole('button', { name: 'Make a key' }).click()
  const dialog = page.getByRole('dialog')
  await dialog.getByRole('textbox', { name: 'Name' }).fill('Agent of Dora')
  await dialog.getByRole('button', { name: 'Create key' }).click()
  const key = (await dialog.locator('pre').textContent()) ?? ''
  await dialog.getByRole('button', { name: 'Done' }).click()
  await page.getByText(`Bearer ${key}`).waitFor()
  expect(await page.getByText('--gemini').count()).toBe(0)
  await page.getByText('Waiting for the first request with this key').waitFor()
  await inspect('connect-with-key')
  expect(await statusOf(key)).toBe(200)
  await page.getByText('The first request with this key was received').waitFor()
  expect(problems).toEqual([])
})
