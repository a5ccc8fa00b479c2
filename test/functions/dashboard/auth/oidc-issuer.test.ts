import { once } from 'node:events'
import type { AddressInfo } from 'node:net'
import { createServer } from 'node:net'
import { describe, expect, onTestFinished, test } from 'vitest'
import { oidcIssuer } from '../../../../functions/dashboard/auth/oidc-issuer.ts'
import { type Forgery, startForgingIssuer, subject } from '../../../fixtures/forging-issuer.ts'

const callback = 'https://app.example.com/auth/callback'

/** Signs in with a forged token or response. */
async function signIn(forgery: Forgery, change: (response: URL) => void = () => undefined) {
  const forging = await startForgingIssuer()
  const issuer = oidcIssuer(forging)
  const { checks } = await issuer.begin(callback)
  forging.forge(forgery, checks.nonce)
  const response = new URL(callback)
  response.search = String(new URLSearchParams({ code: 'code', state: checks.state, iss: forging.issuer }))
  change(response)
  return { issuer: forging.issuer, requests: forging.requests, identity: issuer.finish(response, checks) }
}

test('a sign-in asks for a code with PKCE, state and nonce, which differ each time', async () => {
  const issuer = oidcIssuer(await startForgingIssuer())
  const [first, second] = [await issuer.begin(callback), await issuer.begin(callback)]
  const { searchParams } = first.address
  expect(Object.fromEntries(searchParams)).toEqual({
    client_id: 'carrel',
    redirect_uri: callback,
    response_type: 'code',
    scope: 'openid email profile',
    code_challenge: expect.stringMatching(/^[\w-]{43}$/),
    code_challenge_method: 'S256',
    state: first.checks.state,
    nonce: first.checks.nonce,
  })
  expect(first.address.href).not.toContain(first.checks.verifier)
  for (const check of ['verifier', 'state', 'nonce'] as const) expect(first.checks[check]).not.toBe(second.checks[check])
})

test('a sign-in asks again who signs in only if that is wanted', async () => {
  const issuer = oidcIssuer(await startForgingIssuer())
  const promptOf = async (asksAgain: boolean) => (await issuer.begin(callback, asksAgain)).address.searchParams.get('prompt')
  expect([await promptOf(true), await promptOf(false)]).toEqual(['login', null])
})

test('a valid token is an identity, by the issuer and its subject', async () => {
  const { identity, issuer } = await signIn({})
  expect(await identity).toEqual({ issuer, sub: 'ann', email: 'ann@example.com', name: 'Ann' })
})

test('the address and the name come from the user info if the token has none', async () => {
  const { email, email_verified, name } = subject
  const claims = { email: undefined, email_verified: undefined, name: undefined }
  const { identity } = await signIn({ claims, userInfo: { email, email_verified, name } })
  expect(await identity).toMatchObject({ email, name })
})

describe('a token', () => {
  const past = Math.floor(Date.now() / 1000) - 3_600
  test.each<[string, Forgery]>([
    ['of another issuer', { claims: { iss: 'https://evil.example.com' } }],
    ['for another client', { claims: { aud: 'other' } }],
    ['for several clients without naming the one', { claims: { aud: ['carrel', 'other'] } }],
    ['without an audience', { claims: { aud: undefined } }],
    ['with another nonce', { claims: { nonce: 'other' } }],
    ['without a nonce', { claims: { nonce: undefined } }],
    ['that has expired', { claims: { iat: past - 300, exp: past } }],
    ['without an expiry', { claims: { exp: undefined } }],
    ['without a subject', { claims: { sub: undefined } }],
    ['with an empty subject', { claims: { sub: '' } }],
    ['with a subject of 256 characters', { claims: { sub: 's'.repeat(256) } }],
    ['without a signature', { signedWith: 'nothing' }],
    ['that is signed with another key', { signedWith: 'another key' }],
    ['that is signed with the public key as a secret', { signedWith: 'HS256 with its public key' }],
    ['that is signed with the secret of the client', { signedWith: 'HS256 with the secret of the client' }],
    ['for a code that is not valid', { tokenStatus: 400 }],
    ['whose user info is about another subject', { claims: { email: undefined }, userInfo: { ...subject, sub: 'eve' } }],
  ])('%s is rejected', async (_, forgery) => {
    const { identity } = await signIn(forgery)
    await expect(identity).rejects.toMatchObject({ code: 'forbidden', message: expect.stringContaining('could not be verified') })
  })
})

describe('an address', () => {
  test.each<[string, Record<string, unknown>]>([
    ['that is not verified', { email_verified: false }],
    ['without a word about its verification', { email_verified: undefined }],
    ['whose verification is another value', { email_verified: 1 }],
    ['without a name', { email: '@example.com' }],
    ['of two lines', { email: 'ann@example.com\nbcc:eve@example.com' }],
    ['of 300 characters', { email: `${'a'.repeat(300)}@example.com` }],
    ['that is no text', { email: ['ann@example.com'] }],
  ])('%s is rejected', async (_, claims) => {
    const { identity } = await signIn({ claims })
    await expect(identity).rejects.toMatchObject({ code: 'forbidden', message: expect.stringContaining('e-mail address') })
  })

  test('is required in the token or the user info', async () => {
    const { identity } = await signIn({ claims: { email: undefined, email_verified: undefined } })
    await expect(identity).rejects.toMatchObject({ code: 'forbidden', message: expect.stringContaining('e-mail address') })
  })
})

test('a name of several lines is replaced by the address', async () => {
  const { identity } = await signIn({ claims: { name: 'Ann\nowner' } })
  expect(await identity).toMatchObject({ name: 'ann@example.com' })
})

describe('a response of the issuer', () => {
  const without = (name: string) => (response: URL) => response.searchParams.delete(name)
  const withValue = (name: string, value: string) => (response: URL) => response.searchParams.set(name, value)
  test.each<[string, (response: URL) => void]>([
    ['from another issuer, which was mixed up with it', withValue('iss', 'https://evil.example.com')],
    ['without the issuer, which says that it names itself', without('iss')],
    ['with another state', withValue('state', 'other')],
    ['without a state', without('state')],
    ['with two states', (response) => response.searchParams.append('state', 'other')],
    ['without a code', without('code')],
    ['that is an error', withValue('error', 'access_denied')],
  ])('%s is rejected', async (_, change) => {
    const { identity, requests } = await signIn({}, change)
    await expect(identity).rejects.toMatchObject({ code: 'forbidden' })
    expect(requests).not.toContain('/token')
  })
})

describe('an issuer', () => {
  test('is not available if it responds with an error', async () => {
    const { identity } = await signIn({ tokenStatus: 500 })
    await expect(identity).rejects.toMatchObject({ code: 'provider_unavailable' })
  })

  test('is not available if its metadata are those of another issuer', async () => {
    const forging = await startForgingIssuer({ issuer: 'https://evil.example.com' })
    await expect(oidcIssuer(forging).begin(callback)).rejects.toMatchObject({ code: 'provider_unavailable' })
  })

  test('is not available if it accepts connections and sends nothing', async () => {
    const silent = createServer(() => undefined).listen(0, '127.0.0.1')
    await once(silent, 'listening')
    onTestFinished(() => void silent.close())
    const issuer = `http://127.0.0.1:${(silent.address() as AddressInfo).port}`
    const beginning = oidcIssuer({ issuer, clientId: 'carrel', clientSecret: '' }).begin(callback)
    await expect(beginning).rejects.toMatchObject({ code: 'provider_unavailable' })
  })

  test('is asked again after it has failed', async () => {
    const forging = await startForgingIssuer()
    const issuer = oidcIssuer(forging)
    forging.forge({ metadataStatus: 503 }, '')
    await expect(issuer.begin(callback)).rejects.toMatchObject({ code: 'provider_unavailable' })
    forging.forge({}, '')
    await expect(issuer.begin(callback)).resolves.toBeDefined()
  })
})

test('metadata and keys are read once for many sign-ins', async () => {
  const forging = await startForgingIssuer()
  const issuer = oidcIssuer(forging)
  for (let n = 0; n < 3; n++) {
    const { checks } = await issuer.begin(callback)
    forging.forge({}, checks.nonce)
    const response = new URL(`${callback}?${new URLSearchParams({ code: 'code', state: checks.state, iss: forging.issuer })}`)
    await issuer.finish(response, checks)
  }
  const counts = ['/.well-known/openid-configuration', '/jwks', '/token'].map(
    (path) => forging.requests.filter((each) => each === path).length,
  )
  expect(counts).toEqual([1, 1, 3])
})
