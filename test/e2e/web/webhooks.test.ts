import { createHmac } from 'node:crypto'
import { afterAll, beforeAll, expect, test } from 'vitest'
import { page as markdown } from '../../fixtures/page.ts'
import { type TestInstall, testInstall } from '../../fixtures/test-install.ts'
import { adminVisit, endVisits } from '../../fixtures/web-visit.ts'

let install: TestInstall
beforeAll(async () => {
  install = await testInstall()
  await install.git.create('acme/anvil', { files: { 'README.md': markdown('Anvil', 'The anvil weighs a ton.') } })
  await install.parse('acme/anvil')
})
afterAll(async () => {
  await endVisits()
  await install.close()
})

const deliver = (address: string, secret: string) => {
  const time = Math.floor(Date.now() / 1000)
  const signature = createHmac('sha256', secret).update(`${time}.{}`).digest('hex')
  return fetch(address, { method: 'POST', body: '{}', headers: { 'x-carrel-signature': `t=${time},v1=${signature}` } })
}

test('an admin adds a webhook, sees its secret once, its deliveries also if they were refused, and removes it', async () => {
  const { page, open, inspect, problems, close } = await adminVisit(install)
  await open('/settings/webhooks')
  await page.getByText('No webhooks yet').waitFor()
  await inspect('settings-webhooks-empty')
  await page.getByRole('button', { name: 'Add webhook' }).click()
  const dialog = page.getByRole('dialog')
  await dialog.getByRole('textbox', { name: 'Host', exact: true }).fill('https://unknown.example.com')
  await dialog.getByRole('button', { name: 'Add webhook' }).click()
  await dialog.getByText('is no host of this install').waitFor()
  await inspect('settings-webhooks-error')
  await dialog.getByRole('combobox', { name: 'Sender' }).click()
  await page.getByRole('option', { name: 'Another program' }).click()
  await dialog.getByRole('textbox', { name: 'Library' }).fill('/acme/anvil')
  await dialog.getByRole('button', { name: 'Add webhook' }).click()
  await dialog.getByText('The secret is shown only now.').waitFor()
  await inspect('settings-webhooks-secret')
  const [address = '', secret = ''] = await dialog.locator('code, pre').allInnerTexts()
  expect(address).toBe(`${install.url}/api/hooks/${install.app.hooks.list()[0]?.id}`)
  await dialog.getByRole('button', { name: 'Copy the secret' }).click()
  expect(await page.evaluate(() => navigator.clipboard.readText())).toBe(secret)
  await dialog.getByRole('button', { name: 'Done' }).click()
  await page.getByText('Refreshes /acme/anvil · Last delivery: never').waitFor()
  expect(await page.content()).not.toContain(secret)

  expect((await deliver(address, 'wrong')).status).toBe(401)
  expect((await deliver(address, 'wrong')).status).toBe(401)
  expect((await deliver(address, secret)).status).toBe(202)
  await page.reload()
  await page.getByRole('button', { name: 'Show deliveries' }).click()
  await page.getByRole('row').filter({ hasText: 'A refresh is queued. /acme/anvil, job' }).waitFor()
  const refused = page.getByRole('row').filter({ hasText: 'does not match the secret of this webhook' })
  expect(await refused.innerText()).toMatch(/\(2 times\)\s+unknown/)
  await inspect('settings-webhooks')

  await page.getByRole('button', { name: 'Remove webhook' }).click()
  await page.getByText('Deliveries to its address are rejected.').waitFor()
  await page.getByRole('button', { name: 'Remove webhook' }).last().click()
  await page.getByText('No webhooks yet').waitFor()
  expect((await deliver(address, secret)).status).toBe(404)
  expect(problems.filter((each) => !each.includes('status of 400'))).toEqual([])
  await close()
})
