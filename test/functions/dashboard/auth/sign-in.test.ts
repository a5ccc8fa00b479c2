import { afterAll, beforeAll, describe, expect, test } from 'vitest'
import { type Browser, openBrowser, signInAtIssuer } from '../../../fixtures/browser.ts'
import { type TestDashboard, testDashboard } from '../../../fixtures/test-dashboard.ts'

let dashboard: TestDashboard
beforeAll(async () => {
  dashboard = await testDashboard()
})
afterAll(() => dashboard.close())

/** A browser in which somebody has signed in. */
async function signedIn(person: string, browser = openBrowser()): Promise<Browser> {
  const response = await browser.request('GET', await signInAtIssuer(browser, dashboard.url, person))
  expect([response.status, response.headers.get('location')]).toEqual([302, '/'])
  return browser
}

const session = (browser: Browser) => browser.request('GET', `${dashboard.url}/api/session`)
const signOut = (browser: Browser) => browser.request('POST', `${dashboard.url}/auth/sign-out`, { origin: dashboard.url })
const codeOf = async (response: Response) => [response.status, ((await response.json()) as { error?: string }).error]

test.each(['owner', 'admin', 'developer', 'stranger'])('%s signs in at the issuer of this machine', async (person) => {
  const browser = await signedIn(person)
  const user = { id: expect.stringMatching(/^[\da-f]{32}$/), email: `${person}@example.com`, name: person }
  expect(await (await session(browser)).json()).toEqual({ user, teamspaces: [], serviceUrl: dashboard.hosted.url })
})

test('somebody else is asked for in a browser that the issuer knows', async () => {
  const browser = await signedIn('owner')
  const begin = `${dashboard.url}/auth/sign-in`
  expect((await browser.follow('GET', begin, `${dashboard.url}/auth/callback`)).response).toBeUndefined()
  const { response } = await browser.follow('GET', `${begin}?prompt=login`, `${dashboard.url}/auth/callback`)
  expect(await response?.text()).toContain('<button>stranger</button>')
})

const idOf = async (person: string) => {
  const answer = (await (await session(await signedIn(person))).json()) as { user: { id: string } }
  return answer.user.id
}

test('a person is the same user in each browser', async () => {
  const ids = await Promise.all(['owner', 'owner', 'admin'].map(idOf))
  expect(ids[0]).toBe(ids[1])
  expect(ids[0]).not.toBe(ids[2])
})

describe('a finished sign-in', () => {
  test.each([
    ['/libraries?q=a#top', '/libraries?q=a#top'],
    ['https://evil.example.com/', '/'],
    ['//evil.example.com/', '/'],
    ['/\\evil.example.com/', '/'],
    ['/\t/evil.example.com/', '/'],
    ['/.//evil.example.com/', '/'],
    ['/x/..//evil.example.com/', '/'],
    ['/%2E%2e/\\evil.example.com/', '/'],
    ['/./libraries', '/libraries'],
    ['javascript:alert(1)', '/'],
    ['relative', '/'],
    [`/${'x'.repeat(2_000)}`, '/'],
  ])('sends a browser that asked for %j to %j', async (next, expected) => {
    const browser = openBrowser()
    const response = await browser.request('GET', await signInAtIssuer(browser, dashboard.url, 'owner', next))
    expect(response.headers.get('location')).toBe(expected)
  })

  test('has a cookie that is hidden from scripts and from forms of other sites, and the one of the sign-in is gone', async () => {
    const browser = openBrowser()
    const response = await browser.request('GET', await signInAtIssuer(browser, dashboard.url, 'owner'))
    const [ended, begun] = response.headers.getSetCookie()
    expect(ended).toMatch(/^carrel-sign-in=; Max-Age=0; Path=\/; HttpOnly; SameSite=Lax$/)
    expect(begun).toMatch(/^carrel-session=[\w-]{43}; Path=\/; Expires=[^;]+; HttpOnly; SameSite=Lax$/)
  })
})

describe('a response of the issuer', () => {
  test('is accepted once', async () => {
    const browser = openBrowser()
    const callback = await signInAtIssuer(browser, dashboard.url, 'owner')
    const flow = browser.cookie(dashboard.url, 'carrel-sign-in') ?? ''
    expect((await browser.request('GET', callback)).status).toBe(302)
    browser.setCookie(dashboard.url, 'carrel-sign-in', flow)
    expect(await codeOf(await browser.request('GET', callback))).toEqual([400, 'validation_error'])
  })

  test('is rejected in a browser that began no sign-in', async () => {
    const callback = await signInAtIssuer(openBrowser(), dashboard.url, 'owner')
    expect(await codeOf(await openBrowser().request('GET', callback))).toEqual([400, 'validation_error'])
  })

  test('is rejected in a browser that began another sign-in', async () => {
    const [victim, attacker] = [openBrowser(), openBrowser()]
    const callback = await signInAtIssuer(attacker, dashboard.url, 'stranger')
    await signInAtIssuer(victim, dashboard.url, 'owner')
    expect(await codeOf(await victim.request('GET', callback))).toEqual([403, 'forbidden'])
    expect((await session(victim)).status).toBe(401)
  })

  test('is rejected with a cookie that is no token', async () => {
    const browser = openBrowser()
    const callback = await signInAtIssuer(browser, dashboard.url, 'owner')
    for (const value of ['', 'x', 'x'.repeat(3_000), '__proto__']) {
      browser.setCookie(dashboard.url, 'carrel-sign-in', value)
      expect(await codeOf(await browser.request('GET', callback)), value.slice(0, 20)).toEqual([400, 'validation_error'])
    }
  })
})

describe('a session', () => {
  test('ends when its user signs out, and no other does', async () => {
    const [first, second] = [await signedIn('admin'), await signedIn('admin')]
    const token = first.cookie(dashboard.url, 'carrel-session') ?? ''
    expect((await signOut(first)).status).toBe(200)
    expect(first.cookie(dashboard.url, 'carrel-session')).toBeUndefined()
    first.setCookie(dashboard.url, 'carrel-session', token)
    expect((await session(first)).status).toBe(401)
    expect((await session(second)).status).toBe(200)
  })

  test('ends when another begins in its browser', async () => {
    const browser = await signedIn('developer')
    const token = browser.cookie(dashboard.url, 'carrel-session') ?? ''
    await signedIn('developer', browser)
    const other = openBrowser()
    other.setCookie(dashboard.url, 'carrel-session', token)
    expect((await session(other)).status).toBe(401)
    expect((await session(browser)).status).toBe(200)
  })

  test('is listed and can be ended in another browser, or with all others', async () => {
    const [here, there] = [await dashboard.signIn('lister'), await dashboard.signIn('lister')]
    const { sessions } = (await here.ask<{ sessions: { id: string; isCurrent: boolean }[] }>('GET', '/api/sessions')).body
    expect(sessions.map(({ isCurrent }) => isCurrent).sort()).toEqual([false, true])
    const other = sessions.find(({ isCurrent }) => !isCurrent)
    expect(await here.ask('DELETE', `/api/sessions/${other?.id}`)).toMatchObject({ status: 200 })
    expect((await there.send('GET', '/api/session')).status).toBe(401)
    const third = await dashboard.signIn('lister')
    expect(await here.ask('DELETE', '/api/sessions')).toMatchObject({ status: 200 })
    for (const each of [here, third]) expect((await each.send('GET', '/api/session')).status).toBe(401)
  })

  test('cannot be ended by another user', async () => {
    const [owner, other] = [await dashboard.signIn('ann'), await dashboard.signIn('other')]
    const { sessions } = (await owner.ask<{ sessions: { id: string; isCurrent: boolean }[] }>('GET', '/api/sessions')).body
    for (const { id } of sessions) expect(await other.ask('DELETE', `/api/sessions/${id}`)).toMatchObject({ status: 404 })
    expect((await owner.send('GET', '/api/session')).status).toBe(200)
  })

  test('is no key, and a key is no session', async () => {
    const { key } = await dashboard.hosted.keyOf('Keyed')
    const response = await dashboard.nobody.send('GET', '/api/session', undefined, { authorization: `Bearer ${key}` })
    expect(response.status).toBe(401)
    const { cookie } = await dashboard.signIn('ann')
    expect((await dashboard.hosted.get('/api/v2/policies', { cookie })).status).toBe(401)
  })
})

test('neither a token nor an address is in the log', async () => {
  const browser = await signedIn('owner')
  const token = browser.cookie(dashboard.url, 'carrel-session') ?? ''
  const callback = await signInAtIssuer(browser, dashboard.url, 'owner')
  expect((await browser.request('GET', callback.replace('state=', 'state=x'))).status).toBe(403)
  const text = dashboard.hosted.log.text()
  expect(text).toContain('a sign-in failed')
  const secrets = [token, 'owner@example.com', new URL(callback).searchParams.get('code') ?? '']
  expect(secrets.filter((secret) => secret === '' || text.includes(secret))).toEqual([])
})
