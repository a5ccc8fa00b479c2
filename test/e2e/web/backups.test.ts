import { readFileSync } from 'node:fs'
import { join } from 'node:path'
import { afterAll, beforeAll, expect, test } from 'vitest'
import { readBackup } from '../../../onprem/backup/read-backup.ts'
import { page as document } from '../../fixtures/page.ts'
import { tempDir } from '../../fixtures/temp-dir.ts'
import { type TestInstall, testInstall } from '../../fixtures/test-install.ts'
import { adminVisit, endVisits } from '../../fixtures/web-visit.ts'

let install: TestInstall
beforeAll(async () => {
  install = await testInstall()
  await install.git.create('acme/lever', { files: { 'README.md': document('Lever', 'The lever turns.') } })
  await install.parse('acme/lever')
})
afterAll(async () => {
  await endVisits()
  await install.close()
})

test('an admin backs up, downloads and deletes the backup, and sets a schedule, and errors are shown at their fields', async () => {
  const { page, open, inspect, problems, close } = await adminVisit(install)
  await open('/settings/backups')
  await page.getByText('No backups yet').waitFor()
  await inspect('settings-backups-none')

  await page.getByRole('button', { name: 'Back up now' }).click()
  const link = page.getByRole('link', { name: /^Download carrel-backup-/ })
  await link.waitFor()
  const downloading = page.waitForEvent('download')
  await link.click()
  const path = await (await downloading).path()
  expect((await readBackup(path)).libraries).toEqual([expect.objectContaining({ library: '/acme/lever' })])
  expect(readFileSync(path).length).toBeGreaterThan(1_000)

  await page.getByLabel('Schedule', { exact: true }).selectOption('Other times')
  await page.getByLabel('Times', { exact: true }).fill('sometimes')
  await page.getByRole('button', { name: 'Save' }).click()
  await page.getByText('must be 6-hourly, daily, weekly').waitFor()
  problems.splice(0, problems.length, ...problems.filter((each) => !each.includes('status of 400')))
  await page.getByLabel('Schedule', { exact: true }).selectOption('Daily, at 3:00 UTC')
  await page.getByLabel('Number to keep').fill('14')
  await page.getByRole('button', { name: 'Save' }).click()
  await expect.poll(() => install.app.settings.get('backup.keep')).toBe(14)
  await page.getByText('only by hand').waitFor({ state: 'detached' })
  await inspect('settings-backups')

  await page.getByRole('button', { name: /^Delete carrel-backup-/ }).click()
  await page.getByRole('dialog').getByText('Copies elsewhere stay.').waitFor()
  await page.getByRole('button', { name: 'Delete backup' }).click()
  await page.getByText('No backups yet').waitFor()
  expect(problems).toEqual([])

  const folder = join(tempDir(), 'mounted')
  install.app.settings.change({ 'backup.folder': folder })
  await page.reload()
  await page.getByText('is not a folder. Create it, or mount its disk.').first().waitFor()
  expect(await page.getByRole('button', { name: 'Back up now' }).getAttribute('data-loading')).toBeNull()
  await close()
})
