import { afterAll, beforeAll, expect, test } from 'vitest'
import { openDatabase } from '../../../shared/store/database.ts'
import { startCutProxy } from '../../fixtures/cut-proxy.ts'
import { type TestInstall, testInstall } from '../../fixtures/test-install.ts'
import { until } from '../../fixtures/until.ts'
import { adminVisit, endVisits, memberVisit, password, type Visit } from '../../fixtures/web-visit.ts'

let install: TestInstall
beforeAll(async () => {
  install = await testInstall()
  await install.git.create('acme/slow', { files: { 'README.md': '# Slow\n\nSlow words.\n' } })
})
afterAll(async () => {
  await endVisits()
  await install.close()
})

const row = ({ page }: Visit, name: string) => page.getByRole('listitem').filter({ has: page.getByRole('button', { name }) })

test('a page whose connection is lost catches up when it returns, and polls while events are blocked', async () => {
  const proxy = await startCutProxy(install.url)
  const visit = await adminVisit(proxy)
  const { page } = visit
  await page.goto(`${proxy.url}/queue`)
  await until(() => install.app.streams.open() === 1)
  install.git.misbehave('acme/slow', { kind: 'stall', at: 'pack' })
  const id = await install.queue('acme/slow', { force: true })
  await page.getByText(`#${id}`).waitFor()
  await page.getByRole('button', { name: 'acme/slow' }).first().click()
  await page.getByRole('region', { name: `Job ${id}` }).waitFor()
  proxy.cut()
  await page.getByText('The live connection is lost').waitFor()
  install.git.misbehave('acme/slow')
  await install.app.worker.cancel(id)
  proxy.restore()
  await row(visit, 'acme/slow').first().getByText('Cancelled', { exact: true }).waitFor()
  await page.getByText('The live connection is lost').waitFor({ state: 'detached' })

  await page.route('**/api/events*', (route) => route.abort())
  proxy.cut()
  proxy.restore()
  await page.getByText('The live connection is lost').waitFor()
  const polled = await install.queue('acme/slow', { force: true })
  await page.getByText(`#${polled}`).waitFor()
  await row(visit, 'acme/slow').first().getByText('Done').waitFor()
  await visit.close()
  await proxy.close()
})

test('a session that ends while the queue is open asks for the password, and the page continues', async () => {
  const visit = await memberVisit(install)
  const { page, open } = visit
  await open('/queue?state=done')
  await until(() => install.app.streams.open() === 1)
  const db = openDatabase(install.dataDir)
  db.exec('DELETE FROM sessions')
  db.close()
  const dialog = page.getByRole('dialog', { name: 'Your session has ended' })
  await dialog.getByRole('textbox', { name: 'Password' }).fill(password)
  await dialog.getByRole('button', { name: 'Sign in' }).click()
  await dialog.waitFor({ state: 'detached' })
  expect(page.url()).toContain('state=done')
  const id = await install.queue('acme/slow', { force: true })
  await page.getByText(`#${id}`).waitFor()
  await visit.close()
})
