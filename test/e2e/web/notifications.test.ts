import { afterAll, beforeAll, expect, test } from 'vitest'
import { type TestInstall, testInstall } from '../../fixtures/test-install.ts'
import { adminVisit, endVisits } from '../../fixtures/web-visit.ts'
import { type WebhookReceiver, webhookReceiver } from '../../fixtures/webhook-receiver.ts'

let install: TestInstall
let hook: WebhookReceiver
beforeAll(async () => {
  hook = await webhookReceiver()
  install = await testInstall()
})
afterAll(async () => {
  await endVisits()
  await install.close()
  await hook.close()
})

test('an admin tests a webhook before it is saved, chooses its events, and sees what is wrong with it', async () => {
  const { page, open, inspect, problems, close } = await adminVisit(install)
  await open('/settings/notifications')
  const webhook = page.getByRole('region', { name: 'Webhook' })
  await webhook.getByText('Off: it has no address.').waitFor()
  await webhook.getByLabel('Webhook address').fill(hook.url)
  await webhook.getByRole('button', { name: 'Send test message' }).click()
  await webhook.getByText('The test message was accepted.').waitFor()
  expect(hook.received[0]?.body).toMatchObject({ test: true })
  await webhook.getByLabel('A library becomes stale').uncheck()
  await webhook.getByRole('button', { name: 'Save' }).click()
  await webhook.getByText(`On, to ${new URL(hook.url).host}.`).waitFor()
  expect(install.app.settings.get('notifications.webhookEvents')).toEqual([
    'job-failed',
    'backup-failed',
    'disk-low',
    'license-ends',
  ])
  hook.answer = (response) => void response.writeHead(403).end()
  await webhook.getByRole('button', { name: 'Send test message' }).click()
  await webhook.getByText('responded with status 403.').waitFor()
  await inspect('settings-notifications')
  expect(problems).toEqual([])
  await close()
})
