import { afterAll, beforeAll, expect, test } from 'vitest'
import { type OpenIdProvider, startOpenIdProvider } from '../../fixtures/openid-provider.ts'
import { type TestInstall, testInstall } from '../../fixtures/test-install.ts'
import { adminVisit, endVisits, visit } from '../../fixtures/web-visit.ts'

let install: TestInstall
let provider: OpenIdProvider
beforeAll(async () => {
  install = await testInstall()
  provider = await startOpenIdProvider({
    redirectUri: `${install.url}/api/auth/oidc/corp/callback`,
    signedOutUri: `${install.url}/sign-in`,
    people: { ann: { preferred_username: 'ann', groups: ['/docs'], realm_access: { roles: ['carrel'] } } },
  })
})
afterAll(async () => {
  await endVisits()
  await provider.close()
  await install.close()
})

test('an admin adds an issuer, a person signs in there and out again, and the list of users says where she is from', async () => {
  const admin = await adminVisit(install)
  await admin.open('/settings/single-sign-on')
  await admin.inspect('single-sign-on')
  await admin.page.getByLabel('Name', { exact: true }).fill('corp')
  await admin.page.getByLabel('Kind').selectOption('keycloak')
  await admin.page.getByLabel('Address', { exact: true }).fill(provider.issuer)
  await admin.page.getByLabel('Client id', { exact: true }).fill(provider.clientId)
  await admin.page.getByRole('button', { name: 'Add issuer' }).click()
  await admin.page.getByText(`${install.url}/api/auth/oidc/corp/callback`).waitFor()
  await admin.page.getByLabel('Label of corp').fill('Example')
  await admin.page.getByLabel('Client secret of corp').fill(provider.clientSecret)
  await admin.page.getByRole('button', { name: 'Save' }).click()
  await admin.page.getByText('Settings saved.').waitFor()
  await admin.inspect('single-sign-on-saved')

  const isIssuer = (origin: string) => origin === new URL(provider.issuer).origin
  const person = await visit(install, isIssuer)
  await person.open('/queue')
  await person.page.getByRole('link', { name: 'Sign in with Example' }).waitFor()
  await person.inspect('sign-in-with-issuer')
  await person.page.getByRole('link', { name: 'Sign in with Example' }).click()
  await person.page.getByRole('button', { name: 'Sign in as ann' }).click()
  await person.page.getByRole('heading', { name: 'Parse Queue', exact: true }).waitFor()
  await person.open('/account')
  await person.page.getByText('Signed in as ann, a member').waitFor()
  await person.page.getByText('and have no password here').waitFor()

  await admin.open('/settings/users')
  await admin.page
    .getByRole('row', { name: /ann/ })
    .getByText(`Signs in at ${new URL(provider.issuer).host}`)
    .waitFor()

  await person.page.getByRole('button', { name: 'ann' }).click()
  await person.page.getByRole('menuitem', { name: 'Sign out' }).click()
  await person.page.getByRole('button', { name: /Yes, sign me out/ }).click()
  await person.page.getByRole('link', { name: 'Sign in with Example' }).waitFor()
  expect([...admin.problems, ...person.problems]).toEqual([])
  await person.close()
  await admin.close()
})

test('somebody who cancels at the issuer reads so on the sign-in page, once', async () => {
  const { page, open, close } = await visit(install, (origin) => origin === new URL(provider.issuer).origin)
  await open('/sign-in')
  await page.getByRole('link', { name: 'Sign in with Example' }).click()
  await page.getByRole('button', { name: 'Cancel' }).click()
  await page.getByText('The sign-in was not finished at the service that you came from.').waitFor()
  await page.reload()
  await page.getByRole('link', { name: 'Sign in with Example' }).waitFor()
  expect(await page.getByRole('alert').count()).toBe(0)
  await close()
})
