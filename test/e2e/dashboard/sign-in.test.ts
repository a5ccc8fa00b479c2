import { afterAll, beforeAll, expect, test } from 'vitest'
import { personVisit, signInAs, strangerVisit } from '../../fixtures/dashboard-visit.ts'
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

/** Browsers log each response with an error. */
const unexpected = (problems: string[]) => problems.filter((each) => !/status of 40[013]/.test(each))

const endSessions = "fetch('/api/sessions', { method: 'DELETE' })"

test('a person signs in at the issuer, returns to the page, and signs out', async () => {
  const { page, open, inspect, problems, close } = await strangerVisit(dashboard)
  await open('/account?from=mail')
  await page.getByRole('heading', { name: 'Sign in to Carrel' }).waitFor()
  await inspect('sign-in')
  await signInAs(page, 'owner')
  await page.getByRole('heading', { name: 'Account', exact: true }).waitFor()
  expect(page.url()).toBe(`${dashboard.url}/account?from=mail`)
  await page.getByRole('button', { name: 'Account of owner' }).click()
  await page.getByRole('menuitem', { name: 'Sign out' }).click()
  await page.getByText('You are signed out.').waitFor()
  await open('/account')
  await page.getByRole('heading', { name: 'Sign in to Carrel' }).waitFor()
  expect(unexpected(problems)).toEqual([])
  await close()
})

test('a person whose session was ended elsewhere signs in again, and a half-filled form is kept', async () => {
  const { page, context, open, inspect, problems, close } = await strangerVisit(dashboard)
  await open('/sign-in?next=/account')
  await signInAs(page, 'admin')
  await page.getByRole('button', { name: 'Delete account' }).click()
  const typed = page.getByLabel('Type admin@example.com to confirm')
  await typed.fill('admin@example.com')
  await page.evaluate(endSessions)
  await page.getByRole('dialog', { name: 'Delete your account?' }).getByRole('button', { name: 'Delete account' }).click()
  const dialog = page.getByRole('dialog', { name: 'Your session has ended' })
  await dialog.waitFor()
  await inspect('session-ended')
  const [other] = await Promise.all([
    context.waitForEvent('page'),
    dialog.getByRole('link', { name: 'Sign in in a new tab' }).click(),
  ])
  await other.getByRole('heading', { name: 'You are signed in' }).waitFor()
  await dialog.waitFor({ state: 'hidden' })
  expect(await typed.inputValue()).toBe('admin@example.com')
  expect(unexpected(problems)).toEqual([])
  await close()
})

test('a page of somebody whose session has ended starts anew if another person signs in', async () => {
  const { page, context, open, close } = await personVisit(dashboard, 'ada')
  await open('/account')
  await page.getByText('ada@example.com').waitFor()
  await page.evaluate(endSessions)
  await page.getByRole('button', { name: 'Download my data' }).click()
  await page.getByText('Your session has ended').waitFor()
  const { cookie } = await dashboard.signIn('ben')
  const [name = '', value = ''] = cookie.split('=')
  await context.addCookies([{ name, value, url: dashboard.url }])
  await (await context.newPage()).goto(`${dashboard.url}/account`)
  await page.getByText('ben@example.com').waitFor()
  await close()
})

test('a sign-in that was not begun in this browser fails with a page that starts it again', async () => {
  const { page, open, inspect, problems, close } = await strangerVisit(dashboard)
  await open('/auth/callback?code=x&state=y')
  await page.getByRole('heading', { name: 'The sign-in did not succeed' }).waitFor()
  await page.getByText('This sign-in was not begun in this browser').waitFor()
  await inspect('sign-in-failed')
  await page.getByRole('link', { name: 'Start again' }).click()
  await page.getByRole('button', { name: 'developer' }).click()
  await page.getByRole('button', { name: 'Account of developer' }).waitFor()
  expect(unexpected(problems)).toEqual([])
  await close()
})

test('a person who cancels at the issuer sees that the sign-in was not finished', async () => {
  const { page, context, open, close } = await strangerVisit(dashboard)
  const begun = await context.request.get(`${dashboard.url}/auth/sign-in`, { maxRedirects: 0 })
  const authorize = new URL(begun.headers().location ?? '')
  const response = { error: 'access_denied', state: authorize.searchParams.get('state') ?? '', iss: authorize.origin }
  await open(`/auth/callback?${new URLSearchParams(response)}`)
  await page.getByText('The sign-in was not finished at the service that you came from.').waitFor()
  await close()
})

test('a link to the sign-in page cannot lead to another site', async () => {
  const { page, context, open, close } = await strangerVisit(dashboard)
  for (const next of ['https://evil.example/', '//evil.example/', '/\\evil.example/', 'javascript:alert(1)', '7']) {
    await context.clearCookies()
    await open(`/sign-in?next=${encodeURIComponent(next)}`)
    await signInAs(page, 'stranger')
    await page.getByRole('button', { name: 'Account of stranger' }).waitFor()
    expect(new URL(page.url()).origin).toBe(dashboard.url)
  }
  await close()
})
