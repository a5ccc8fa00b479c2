import type { Page } from 'playwright-core'
import { afterAll, beforeAll, expect, test } from 'vitest'
import { createUser } from '../../fixtures/create-user.ts'
import { type TestInstall, testInstall } from '../../fixtures/test-install.ts'
import { endVisits, password, visit } from '../../fixtures/web-visit.ts'

let install: TestInstall
beforeAll(async () => {
  install = await testInstall()
})
afterAll(async () => {
  await endVisits()
  await install.close()
})

test('a visitor without a session is asked to sign in, and returns to the page', async () => {
  const { page, open, inspect, problems, close } = await visit(install)
  await open('/queue')
  await page.getByRole('heading', { name: 'Sign in to Carrel' }).waitFor()
  await inspect('sign-in')
  await page.getByText('Forgot password?').click()
  await page.getByText('users set admin --password').waitFor()
  await createUser(install, { username: 'ada', password })
  await signInAsAda(page)
  await page.getByRole('heading', { name: 'Parse Queue' }).waitFor()
  expect(problems).toEqual([])
  await close()
})

test('a link to the sign-in page cannot lead to another site', async () => {
  const { page, context, open, problems, close } = await visit(install)
  for (const next of ['https://evil.example/', '//evil.example/', '/\\evil.example/', 'javascript:alert(1)', '7']) {
    await context.clearCookies()
    await open(`/sign-in?next=${encodeURIComponent(next)}`)
    await signInAsAda(page)
    await page.getByRole('heading', { name: 'Home', exact: true }).waitFor()
    expect(page.url()).toBe(`${install.url}/`)
  }
  expect(problems).toEqual([])
  await close()
})

async function signInAsAda(page: Page): Promise<void> {
  await page.getByLabel('User name').fill('ada')
  await page.getByRole('textbox', { name: 'Password' }).fill(password)
  await page.getByRole('button', { name: 'Sign in' }).click()
}

test('the first admin must replace the default password, and continues with the setup', async () => {
  const { page, open, inspect, problems, close } = await visit(install)
  await open('/usage')
  await page.getByText('sign in as admin with the password admin').waitFor()
  // Focus is in the first empty field.
  await page.keyboard.type('wrong')
  await page.getByRole('button', { name: 'Sign in' }).click()
  await page.getByRole('alert').waitFor()
  await page.getByRole('textbox', { name: 'Password' }).fill('admin')
  await page.getByRole('button', { name: 'Sign in' }).click()
  await page.getByRole('heading', { name: 'Choose your own password' }).waitFor()
  await page.getByRole('button', { name: 'Sign out' }).click()
  await page.getByRole('heading', { name: 'Sign in to Carrel' }).waitFor()
  await page.getByLabel('User name').fill('admin')
  await page.getByRole('textbox', { name: 'Password' }).fill('admin')
  await page.getByRole('button', { name: 'Sign in' }).click()
  await page.getByRole('heading', { name: 'Choose your own password' }).waitFor()
  expect(await page.getByRole('textbox', { name: 'Current password' }).count()).toBe(0)
  await page.keyboard.type('short')
  expect(await page.getByRole('textbox', { name: 'New password', exact: true }).inputValue()).toBe('short')
  await page.getByRole('textbox', { name: 'New password again' }).fill('other')
  await page.getByRole('button', { name: 'Change password' }).click()
  await page.getByText('This is not the same password.').waitFor()
  await page.getByRole('textbox', { name: 'New password again' }).fill('short')
  await page.getByRole('button', { name: 'Change password' }).click()
  await page.getByText('Must have at least 8 characters').waitFor()
  await inspect('change-credentials')
  for (const label of ['New password', 'New password again'])
    await page.getByRole('textbox', { name: label, exact: true }).fill(password)
  await page.getByRole('button', { name: 'Change password' }).click()
  await page.getByText('Set up Carrel · step 1 of 3').waitFor()
  await page.evaluate("history.pushState(null, '', '/account'); dispatchEvent(new PopStateEvent('popstate'))")
  await page.getByRole('button', { name: 'Account of admin' }).click()
  await page.getByRole('menuitem', { name: 'Sign out' }).click()
  await page.getByRole('heading', { name: 'Sign in to Carrel' }).waitFor()
  expect(await page.getByText('with the password admin').count()).toBe(0)
  await open('/sign-in')
  await page.getByRole('heading', { name: 'Sign in to Carrel' }).waitFor()
  expect(await page.getByText('with the password admin').count()).toBe(0)
  expect(problems.filter((each) => !/status of 40[01]/.test(each))).toEqual([])
  await close()
})
