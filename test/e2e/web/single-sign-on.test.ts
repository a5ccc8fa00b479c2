import { createHash } from 'node:crypto'
import { afterAll, beforeAll, expect, test } from 'vitest'
import { type OpenIdProvider, startOpenIdProvider } from '../../fixtures/openid-provider.ts'
import { recordingServer } from '../../fixtures/recording-server.ts'
import { type TestInstall, testInstall } from '../../fixtures/test-install.ts'
import { adminVisit, endVisits, visit } from '../../fixtures/web-visit.ts'

let install: TestInstall
let provider: OpenIdProvider
beforeAll(async () => {
  install = await testInstall()
  provider = await startOpenIdProvider({
    redirectUri: `${install.url}/api/auth/oidc/corp/callback`,
    signedOutUri: `${install.url}/sign-in`,
    people: { ann: { preferred_username: 'ann', groups: ['/docs'], realm_access: { roles: ['carrel'] } }, ben: { groups: [] } },
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

test('a user allows an MCP client on a page, finds it under Personal Settings, and ends its access', async () => {
  const editor = await recordingServer((_, response) => response.end('Go back to the editor.'))
  const redirectUri = `${editor.url}/callback`
  const registered = await install.ask('/mcp/oauth/register', {
    method: 'POST',
    headers: { 'content-type': 'application/json' },
    body: JSON.stringify({ client_name: 'Editor', redirect_uris: [redirectUri] }),
  })
  const { client_id: clientId } = (await registered.json()) as { client_id: string }
  const verifier = 'v'.repeat(43)
  const asked = {
    client_id: clientId,
    redirect_uri: redirectUri,
    response_type: 'code',
    code_challenge: createHash('sha256').update(verifier).digest('base64url'),
    code_challenge_method: 'S256',
    state: 'st',
  }
  const { page, open, inspect, close } = await visit(install, () => true)
  await open(`/mcp/oauth/authorize?${new URLSearchParams(asked)}`)
  await page.getByRole('link', { name: 'Sign in with Example' }).click()
  await page.getByRole('button', { name: 'Sign in as ann' }).click()
  await page.getByText('Editor wants to read the documentation').waitFor()
  await page.getByText(editor.url, { exact: true }).waitFor()
  await inspect('allow-client')
  const answered = page.waitForRequest((request) => request.url().startsWith(redirectUri))
  await page.getByRole('button', { name: 'Allow' }).click()
  await page.getByText('Go back to the editor.').waitFor()
  const code = new URL((await answered).url()).searchParams.get('code') ?? ''
  const form = { grant_type: 'authorization_code', client_id: clientId, redirect_uri: redirectUri, code, code_verifier: verifier }
  const exchanged = await install.ask('/mcp/oauth/token', { method: 'POST', body: new URLSearchParams(form) })
  expect(exchanged.status).toBe(200)

  await open('/account')
  await page.getByText(/^Editor, allowed/).waitFor()
  await inspect('account-with-client')
  await page.getByRole('button', { name: 'End access of Editor' }).click()
  await page.getByText('You have allowed no client.').waitFor()
  await close()
  await editor.close()
})

test('a user types the code of a command line on a page, which then gets a key', async () => {
  const { userCode, deviceCode } = install.app.deviceLogins.begin('carrel login on spare', '192.0.2.7')
  const { page, open, inspect, problems, close } = await adminVisit(install)
  await open('/device')
  await page.getByLabel('Code').fill(userCode)
  await page.getByRole('button', { name: 'Continue' }).click()
  await page.getByText('carrel login on spare at the address 192.0.2.7 shows the code').waitFor()
  await inspect('device')
  await page.getByRole('button', { name: 'Allow' }).click()
  await page.getByText('gets a key of yours').waitFor()
  expect(install.app.deviceLogins.poll(deviceCode)).toEqual({ key: expect.stringMatching(/^carrel_op_/) })
  expect(problems).toEqual([])
  await close()
})

test('an admin turns on provisioning: a person signs in once the provider has sent the user, and is out when it is disabled', async () => {
  const admin = await adminVisit(install)
  await admin.open('/settings/single-sign-on')
  const token = 'x'.repeat(32)
  await admin.page.getByLabel('Provisioning token of corp').fill('too short')
  await admin.page.getByRole('button', { name: 'Save' }).click()
  await admin.page.getByText('at least 32 characters').first().waitFor()
  await admin.page.getByLabel('Provisioning token of corp').fill(token)
  await admin.page.getByRole('button', { name: 'Save' }).click()
  await admin.page.getByText('Settings saved.').waitFor()
  await admin.inspect('single-sign-on-provisioning')
  const address = await admin.page.getByText('/scim/v2/corp').textContent()
  await admin.close()

  const send = async (method: string, path: string, body: object) => {
    const headers = { authorization: `Bearer ${token}`, 'content-type': 'application/scim+json' }
    return (await (await fetch(`${address}${path}`, { method, headers, body: JSON.stringify(body) })).json()) as { id: string }
  }
  const { page, open, close } = await visit(install, (origin) => origin === new URL(provider.issuer).origin)
  await open('/sign-in')
  await page.getByRole('link', { name: 'Sign in with Example' }).click()
  await page.getByRole('button', { name: 'Sign in as ben' }).click()
  await page.getByText('Your account is not provisioned here yet').waitFor()
  const schemas = ['urn:ietf:params:scim:schemas:core:2.0:User']
  const { id } = await send('POST', '/Users', { schemas, userName: 'ben', externalId: 'ben' })
  // The issuer knows the browser, and sends it back at once.
  await page.getByRole('link', { name: 'Sign in with Example' }).click()
  await page.getByRole('button', { name: 'ben' }).waitFor()
  await send('PUT', `/Users/${id}`, { schemas, userName: 'ben', active: false })
  await page.reload()
  await page.getByRole('link', { name: 'Sign in with Example' }).waitFor()
  await close()
})
