import { afterAll, beforeAll, expect, test } from 'vitest'
import { type TestInstall, testInstall } from '../../fixtures/test-install.ts'
import { adminVisit, endVisits, visit } from '../../fixtures/web-visit.ts'

let install: TestInstall
beforeAll(async () => {
  install = await testInstall()
})
afterAll(async () => {
  await endVisits()
  await install.close()
})

test('a new member is led to replace the password that an admin set, also after a reset, before anything else', async () => {
  const given = 'a password that an admin knows'
  const { id } = (await install.call('POST', '/api/users', { username: 'nia', password: given, role: 'member' })).body
  const admin = await adminVisit(install)
  await admin.open('/settings/users')
  await admin.page.getByRole('row', { name: /nia/ }).getByText('Must change password').waitFor()
  await admin.close()

  const { page, open, inspect, problems, close } = await visit(install)
  const signIn = async (password: string) => {
    await page.getByLabel('User name').fill('nia')
    await page.getByRole('textbox', { name: 'Password' }).fill(password)
    await page.getByRole('button', { name: 'Sign in' }).click()
  }
  const choose = async (password: string) => {
    for (const label of ['New password', 'New password again'])
      await page.getByRole('textbox', { name: label, exact: true }).fill(password)
    await page.getByRole('button', { name: 'Change password' }).click()
  }
  await open('/queue')
  await signIn(given)
  await page.getByRole('heading', { name: 'Choose your own password' }).waitFor()
  await page.getByText('Someone else set the password of this user').waitFor()
  await inspect('password-of-others')
  await open('/queue')
  await page.getByRole('heading', { name: 'Choose your own password' }).waitFor()
  await choose(given)
  await page.getByText('Must not be the one that others may know').waitFor()
  await choose('a password of my own')
  await page.getByRole('heading', { name: 'Home', exact: true }).waitFor()

  await install.call('PATCH', `/api/users/${id}`, { password: given })
  await open('/account')
  await signIn(given)
  await page.getByRole('heading', { name: 'Choose your own password' }).waitFor()
  expect(problems.filter((each) => !each.includes('400'))).toEqual([])
  await close()
})

test('an admin enters the accounts of a user at git hosts, limits sessions, and has reads and a webhook recorded', async () => {
  const { id } = (await install.call('POST', '/api/users', { username: 'mia', password: 'a long password', role: 'member' })).body
  const { page, open, inspect, problems, close } = await adminVisit(install)
  await open('/settings/users')
  const accountsOf = async () => {
    const { users } = (await install.call('GET', '/api/users')).body as { users: { id: string; hostAccounts: object }[] }
    return users.find((user) => user.id === id)?.hostAccounts
  }
  const dialog = page.getByRole('dialog')
  const store = async (account: string) => {
    await page.getByRole('button', { name: 'Actions for mia' }).click()
    await page.getByRole('menuitem', { name: 'Git host accounts' }).click()
    await dialog.getByLabel('User name at').first().fill(account)
    if (account !== '') await inspect('settings-users-accounts')
    await dialog.getByRole('button', { name: 'Store' }).click()
    await dialog.waitFor({ state: 'hidden' })
  }
  await store(' Octocat ')
  expect(await accountsOf()).toEqual({ github: 'octocat' })
  await store('')
  expect(await accountsOf()).toEqual({})

  await page.getByLabel('Longest time without use').fill('1000')
  await page.getByRole('button', { name: 'Save' }).click()
  await page.getByText('from 1 to 168').waitFor()
  await page.getByLabel('Longest time without use').fill('12')
  await page.getByRole('button', { name: 'Save' }).click()
  await page.getByText('Settings saved.').waitFor()

  await open('/settings/audit-log')
  await page.getByLabel('Webhook', { exact: true }).fill('https://logs.example.com/carrel')
  await page.getByLabel('Signing key').fill('a-key-of-the-audit-log')
  await page.getByRole('switch', { name: 'Record reads' }).click()
  await inspect('settings-audit-log-forwarding')
  await page.getByRole('button', { name: 'Save' }).click()
  await page.getByText('Settings saved.').waitFor()
  const settings = install.app.settings
  expect([settings.get('sessions.idleHours'), settings.get('audit.reads')]).toEqual([12, true])
  expect([settings.getSecret('audit.webhookUrl'), settings.getSecret('audit.webhookKey')]).toEqual([
    'https://logs.example.com/carrel',
    'a-key-of-the-audit-log',
  ])
  for (const name of ['sessions.idleHours', 'audit.reads', 'audit.webhookKey', 'audit.webhookUrl'] as const)
    settings.change({ [name]: null })
  expect(problems.filter((each) => !each.includes('400'))).toEqual([])
  await close()
})

test('an admin adds a user, makes them an admin, resets their password and deletes them, and the log names each change', async () => {
  const { page, open, inspect, problems, close } = await adminVisit(install)
  await open('/settings/users')
  await page.getByRole('button', { name: 'Actions for admin' }).click()
  await page.getByText('This is the last admin.').first().waitFor()
  expect(await page.getByRole('menuitem', { name: 'Delete' }).isDisabled()).toBe(true)
  await page.keyboard.press('Escape')

  await page.getByRole('button', { name: 'Add user' }).click()
  const dialog = page.getByRole('dialog')
  await dialog.getByRole('textbox', { name: 'User name' }).fill('Ada Lovelace')
  await dialog.getByRole('button', { name: 'Generate' }).click()
  await dialog.getByRole('button', { name: 'Add user' }).click()
  await dialog.getByText('Must consist of letters, digits').waitFor()
  await inspect('settings-users-add')
  await dialog.getByRole('textbox', { name: 'User name' }).fill('ada')
  await dialog.getByRole('button', { name: 'Add user' }).click()
  await page.getByRole('row', { name: /ada/ }).getByText('Member').waitFor()

  const act = async (action: string) => {
    await page.getByRole('button', { name: 'Actions for ada' }).click()
    await page.getByRole('menuitem', { name: action }).click()
  }
  await act('Make an admin')
  await dialog.getByRole('button', { name: 'Make an admin' }).click()
  await page.getByRole('row', { name: /ada/ }).getByText('Admin').waitFor()
  await act('Reset password')
  await dialog.getByRole('textbox', { name: 'Password' }).fill('another long password')
  await dialog.getByRole('checkbox', { name: /^Also revoke all keys of / }).check()
  await dialog.getByRole('button', { name: 'Reset password' }).click()
  await dialog.waitFor({ state: 'hidden' })
  await inspect('settings-users')
  await page.getByRole('button', { name: 'Actions for admin' }).click()
  await page.getByRole('menuitem', { name: 'Make a member' }).click()
  await dialog.getByText('You can no longer open the settings').waitFor()
  await dialog.getByRole('button', { name: 'Cancel' }).click()
  await act('Delete')
  await dialog.getByRole('button', { name: 'Delete user' }).click()
  await page.getByRole('row', { name: /ada/ }).waitFor({ state: 'detached' })

  await page.keyboard.press('Control+k')
  await page.getByRole('combobox', { name: 'Search', exact: true }).fill('audit')
  await page.keyboard.press('Enter')
  await page.getByRole('cell', { name: /admin deleted the user ada/ }).waitFor()
  await inspect('settings-audit-log')
  await page.getByRole('textbox', { name: 'Filter changes' }).fill('user.role')
  await page.getByRole('cell', { name: /deleted the user/ }).waitFor({ state: 'detached' })
  expect(await page.getByRole('cell', { name: /changed the role of ada/ }).count()).toBe(1)
  expect(new URL(page.url()).searchParams.get('q')).toBe('user.role')
  await page.getByRole('textbox', { name: 'Filter changes' }).fill('')
  await page.getByRole('combobox', { name: 'Action' }).selectOption('Sign-ins and sessions')
  await page
    .getByRole('cell', { name: /admin signed in admin from 127\.0\.0\.1/ })
    .first()
    .waitFor()
  await page.getByRole('textbox', { name: 'Who' }).fill('nobody')
  await page.getByText('Nothing matches').waitFor()
  await page.getByRole('textbox', { name: 'Who' }).fill('admin')
  const exported = page.waitForEvent('download')
  await page.getByRole('link', { name: 'Export these entries' }).click()
  expect((await exported).suggestedFilename()).toMatch(/^carrel-audit-.*\.jsonl$/)
  expect(problems.filter((each) => !each.includes('400'))).toEqual([])
  await close()
})

test('a user whom another admin has changed is not deleted, and the dialog names what changed', async () => {
  const pair = { username: 'leo', password: 'correct horse battery' }
  const { id } = (await install.call('POST', '/api/users', { ...pair, role: 'member' })).body
  const { page, open, close } = await adminVisit(install)
  await open('/settings/users')
  await page.getByRole('button', { name: 'Actions for leo' }).click()
  await page.getByRole('menuitem', { name: 'Delete' }).click()
  await install.call('PATCH', `/api/users/${id}`, { role: 'admin' })
  const dialog = page.getByRole('dialog')
  await dialog.getByRole('button', { name: 'Delete user' }).click()
  await dialog.getByRole('alert').getByText('role changed since this state was read').waitFor()
  await page.getByRole('row', { name: /leo/ }).getByText('Admin').waitFor()
  await dialog.getByRole('button', { name: 'Delete user' }).click()
  await page.getByRole('row', { name: /leo/ }).waitFor({ state: 'detached' })
  await close()
})
