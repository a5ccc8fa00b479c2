import { afterAll, beforeAll, beforeEach, expect, test } from 'vitest'
import { createUser } from '../../fixtures/create-user.ts'
import { namedUrl } from '../../fixtures/second-factor.ts'
import { type TestInstall, testInstall } from '../../fixtures/test-install.ts'
import { codeAt } from '../../fixtures/totp.ts'
import { adminVisit, endVisits, password, type Visit, visit } from '../../fixtures/web-visit.ts'

let install: TestInstall
/** The codes of a time step count once, so the clock of the server moves on between them. */
let aheadMs = 0
const now = () => new Date(Date.now() + aheadMs)
beforeAll(async () => {
  install = await testInstall({ now })
})
beforeEach(() => {
  aheadMs = 0
})
afterAll(async () => {
  await endVisits()
  await install.close()
})

async function signIn({ page, open }: Visit, username: string, path = '/account') {
  await open(path)
  await page.getByLabel('User name').fill(username)
  await page.getByRole('textbox', { name: 'Password' }).fill(password)
  await page.getByRole('button', { name: 'Sign in' }).click()
}

/** Adds an authenticator app in the open dialog. Returns its secret and the recovery codes. */
async function addApp({ page }: Visit) {
  const secret = (await page.getByLabel('Secret', { exact: true }).innerText()).replaceAll(' ', '')
  await page.getByRole('textbox', { name: 'Code' }).fill(codeAt(secret, now()))
  await page.getByRole('button', { name: 'Add app' }).click()
  const codes = (await page.getByLabel('Recovery codes', { exact: true }).innerText()).trim().split('\n')
  return { secret, codes }
}

test('a user adds an authenticator app, signs in with a code and with a recovery code, and removes it', async () => {
  await createUser(install, { username: 'mia', password })
  const first = await visit(install)
  const { page, inspect } = first
  await signIn(first, 'mia')
  await page.getByText('No authenticator app').waitFor()
  await page.getByRole('button', { name: 'Add authenticator app' }).click()
  await page.getByRole('img', { name: 'QR code of the secret' }).waitFor()
  await inspect('second-factor-add')
  await page.getByRole('textbox', { name: 'Code' }).fill('000000')
  await page.getByRole('button', { name: 'Add app' }).click()
  await page.getByText('Is not what the app shows now').waitFor()
  const { secret, codes } = await addApp(first)
  expect(codes).toHaveLength(10)
  await inspect('second-factor-codes')
  await page.getByRole('button', { name: 'I stored them' }).click()
  await page.getByText('10 of 10 recovery codes left').waitFor()
  await inspect('second-factor-account')

  aheadMs += 30_000
  const second = await visit(install)
  await signIn(second, 'mia')
  await second.page.getByText('The six digits that your authenticator app shows').waitFor()
  await second.inspect('second-step')
  await second.page.getByRole('textbox', { name: 'Code' }).fill('000000')
  await second.page.getByRole('button', { name: 'Sign in' }).click()
  await second.page.getByText('This code or passkey is not accepted.').waitFor()
  await second.page.getByRole('textbox', { name: 'Code' }).fill(codeAt(secret, now()))
  await second.page.getByRole('button', { name: 'Sign in' }).click()
  await second.page.getByRole('heading', { name: 'Personal Settings' }).waitFor()
  await second.close()

  const third = await visit(install)
  await signIn(third, 'mia')
  await third.page.getByRole('button', { name: 'Use a recovery code' }).click()
  await third.page.getByRole('textbox', { name: 'Recovery code' }).fill(codes[4] ?? '')
  await third.page.getByRole('button', { name: 'Sign in' }).click()
  await third.page.getByText('9 of 10 recovery codes left').waitFor()
  await third.close()

  // The session of the first visit is too old to change anything without the password.
  aheadMs += 11 * 60_000
  await first.open('/account')
  await page.getByRole('button', { name: 'Remove app' }).click()
  await page.getByRole('dialog').getByRole('textbox', { name: 'Password' }).fill(password)
  await inspect('second-factor-confirm')
  await page.getByRole('button', { name: 'Continue' }).click()
  await page.getByRole('dialog').getByRole('button', { name: 'Remove app' }).click()
  await page.getByText('No authenticator app').waitFor()
  expect(first.problems.filter((each) => !each.includes('400'))).toEqual([])
  await first.close()
})

test('a user adds a passkey, signs in with it and removes it', async () => {
  await createUser(install, { username: 'pia', password })
  const pia = await visit({ url: namedUrl(install) })
  const { page, context, inspect, problems } = pia
  const devTools = await context.newCDPSession(page)
  await devTools.send('WebAuthn.enable')
  const options = {
    protocol: 'ctap2',
    transport: 'internal',
    hasResidentKey: true,
    hasUserVerification: true,
    isUserVerified: true,
    automaticPresenceSimulation: true,
  } as const
  await devTools.send('WebAuthn.addVirtualAuthenticator', { options })
  await signIn(pia, 'pia')
  await page.getByRole('button', { name: 'Add passkey' }).click()
  await page.getByRole('dialog').getByRole('textbox', { name: 'Name' }).fill('Laptop')
  await inspect('passkey-add')
  await page.getByRole('dialog').getByRole('button', { name: 'Add passkey' }).click()
  await page.getByRole('button', { name: 'I stored them' }).click()
  await page.getByText('Passkey Laptop').waitFor()
  await page.getByText('10 of 10 recovery codes left').waitFor()
  await inspect('passkey-account')

  await page.getByRole('button', { name: 'Add passkey' }).click()
  await page.getByRole('dialog').getByRole('textbox', { name: 'Name' }).fill('Laptop again')
  await page.getByRole('dialog').getByRole('button', { name: 'Add passkey' }).click()
  await page.getByText('this device has one already').waitFor()
  await page.getByRole('dialog').getByRole('button', { name: 'Cancel' }).click()

  await context.clearCookies()
  await signIn(pia, 'pia')
  await page.getByRole('button', { name: 'Use passkey' }).waitFor()
  await inspect('passkey-step')
  await page.getByRole('button', { name: 'Use passkey' }).click()
  await page.getByRole('heading', { name: 'Personal Settings' }).waitFor()
  expect(install.app.audit.list(1, 1).entries).toMatchObject([{ action: 'session.begin', subject: 'pia (passkey Laptop)' }])
  await page.getByRole('button', { name: 'Remove Laptop' }).click()
  await page.getByRole('dialog').getByRole('button', { name: 'Remove passkey' }).click()
  await page.getByText('No passkeys').waitFor()
  expect(problems).toEqual([])
  await pia.close()
})

test('a session that ended asks for the second step in its dialog', async () => {
  const id = await createUser(install, { username: 'kim', password })
  const { page, ...rest } = await visit(install)
  await signIn({ page, ...rest }, 'kim')
  await page.getByText('No authenticator app').waitFor()
  const secret = 'JBSWY3DPEHPK3PXPJBSWY3DPEHPK3PXP'
  install.app.factors.setApp(id, secret, 0)
  install.app.users.endSessionsOf(id)
  await page.getByRole('button', { name: 'New key' }).click()
  await page.getByRole('textbox', { name: 'Name', exact: true }).fill('Cursor')
  await page.getByRole('button', { name: 'Create key' }).click()
  const dialog = page.getByRole('dialog', { name: 'Your session has ended' })
  await dialog.getByRole('textbox', { name: 'Password' }).fill(password)
  await dialog.getByRole('button', { name: 'Sign in' }).click()
  await dialog.getByRole('textbox', { name: 'Code' }).fill(codeAt(secret, now()))
  await dialog.getByRole('button', { name: 'Sign in' }).click()
  await dialog.waitFor({ state: 'detached' })
  expect(await page.getByRole('textbox', { name: 'Name', exact: true }).inputValue()).toBe('Cursor')
  await rest.close()
})

test('an admin requires a second factor: everybody without one, the admin too, adds one first', async () => {
  await createUser(install, { username: 'leo', password })
  const admin = await adminVisit(install)
  await admin.open('/settings/users')
  await admin.page.getByText('Require a second factor').waitFor()
  await admin.inspect('second-factor-users')
  await admin.page.getByRole('switch', { name: 'Require a second factor' }).click()
  await admin.page.getByRole('button', { name: 'Save' }).click()
  await admin.page.getByRole('heading', { name: 'Add a second factor' }).waitFor()

  const { page, ...rest } = await visit(install)
  const leo = { page, ...rest }
  await signIn(leo, 'leo', '/queue')
  await page.getByRole('heading', { name: 'Add a second factor' }).waitFor()
  expect(await page.getByRole('button', { name: 'Continue' }).isDisabled()).toBe(true)
  await rest.inspect('second-factor-required')
  await rest.open('/settings')
  await page.getByRole('heading', { name: 'Add a second factor' }).waitFor()
  await page.getByRole('button', { name: 'Add authenticator app' }).click()
  await addApp(leo)
  await page.getByRole('button', { name: 'I stored them' }).click()
  await page.getByRole('button', { name: 'Continue' }).click()
  await page.getByRole('heading', { name: 'Home', exact: true }).waitFor()
  await rest.open('/account')
  await page.getByRole('button', { name: 'Remove app' }).click()
  await page.getByRole('dialog').getByRole('button', { name: 'Remove app' }).click()
  await page.getByText('This install requires a second factor. Add another one before you remove the last.').waitFor()

  install.app.settings.change({ 'accounts.requireSecondFactor': null })
  await admin.open('/settings/users')
  const row = admin.page.getByRole('row', { name: /leo/ })
  await row.getByText('Second factor').waitFor()
  await admin.page.getByRole('button', { name: 'Actions for leo' }).click()
  await admin.page.getByRole('menuitem', { name: 'Remove second factor' }).click()
  await admin.inspect('second-factor-reset')
  await admin.page.getByRole('dialog').getByRole('button', { name: 'Remove second factor' }).click()
  await row.getByText('Second factor').waitFor({ state: 'detached' })
  expect(install.app.users.findByName('leo')?.hasSecondFactor).toBe(false)
  await Promise.all([rest.close(), admin.close()])
})
