import { afterAll, beforeAll, expect, test } from 'vitest'
import { page as markdown } from '../../fixtures/page.ts'
import { type TestInstall, testInstall } from '../../fixtures/test-install.ts'
import { adminVisit, endVisits, memberVisit } from '../../fixtures/web-visit.ts'

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

const asked = `/playground?libraries=${encodeURIComponent('["/acme/anvil"]')}&question=anvil+weighs+a+ton`

test('an admin turns feedback on, a member rates an answer, and the admin reads, opens and deletes what was kept', async () => {
  const admin = await adminVisit(install)
  const member = await memberVisit(install)
  await member.open(asked)
  await member.page.getByText('with the network').waitFor()
  expect(await member.page.getByText('Did this answer help?').count()).toBe(0)

  await admin.open('/settings/feedback')
  await admin.page.getByRole('switch', { name: 'Keep feedback' }).click()
  await admin.page.getByRole('dialog').getByRole('button', { name: 'Keep feedback' }).click()
  await admin.page.getByText('No feedback yet').waitFor()
  await admin.inspect('settings-feedback-empty')

  await install.ask(`/api/v2/context?${new URLSearchParams({ libraryId: '/acme/anvil', query: 'zzzz <b>qqqq</b>' })}`)
  await member.page.reload()
  await member.page.getByRole('button', { name: 'It did not help' }).click()
  await member.page.getByLabel('What was wrong or missing').fill('How many kilograms?')
  await member.inspect('playground-rating')
  await member.page.getByRole('button', { name: 'Send' }).click()
  await member.page.getByText('Your rating is stored').waitFor()

  await admin.page.reload()
  await admin.page.getByRole('row', { name: /How many kilograms/ }).waitFor()
  const question = admin.page.getByRole('row', { name: /zzzz <b>qqqq<\/b>/ })
  const link = question.getByRole('link', { name: 'Add a page that answers this' })
  expect(await link.getAttribute('href')).toBe(`${install.git.url}/acme/anvil/new/main`)
  await admin.inspect('settings-feedback')
  await admin.page.getByLabel('Kind').selectOption('Without an answer')
  await admin.page.waitForURL(/kind=unanswered/)
  await admin.page.getByRole('row', { name: /How many kilograms/ }).waitFor({ state: 'detached' })
  await question.getByRole('button', { name: 'Delete' }).click()
  await admin.page.getByText('No feedback yet').waitFor()

  await admin.page.getByRole('switch', { name: 'Keep feedback' }).click()
  await admin.page.getByRole('dialog').getByRole('button', { name: 'Delete feedback' }).click()
  await admin.page.getByText('Kept feedback').waitFor({ state: 'detached' })
  expect(install.app.feedback.list({}, 1, 1).total).toBe(0)
  expect([...admin.problems, ...member.problems]).toEqual([])
  await Promise.all([admin.close(), member.close()])
})
