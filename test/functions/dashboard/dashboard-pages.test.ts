import { mkdirSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { afterAll, beforeAll, expect, test } from 'vitest'
import { dashboardApp } from '../../../functions/dashboard/app.ts'
import { oidcIssuer } from '../../../functions/dashboard/auth/oidc-issuer.ts'
import { tempDir } from '../../fixtures/temp-dir.ts'
import { type TestHosted, testHosted } from '../../fixtures/test-hosted.ts'

let hosted: TestHosted
beforeAll(async () => {
  hosted = await testHosted()
})
afterAll(() => hosted.close())

const html = { headers: { accept: 'text/html' } }

/** A dashboard whose issuer nobody reaches. */
function dashboardAt(url: string, webFiles = builtPages()) {
  const issuer = oidcIssuer({ issuer: 'http://127.0.0.1:9', clientId: 'carrel', clientSecret: '' })
  return dashboardApp({ ...hosted.hosted, loopback: false }, { url, serviceUrl: 'https://docs.example.com', webFiles, issuer })
}

function builtPages(): string {
  const folder = tempDir()
  mkdirSync(join(folder, 'assets'))
  writeFileSync(join(folder, 'assets/main-1234.js'), 'start()')
  writeFileSync(
    join(folder, 'index.html'),
    '<meta name="carrel-failure" content="%FAILURE%"><script src="./assets/main-1234.js">',
  )
  return folder
}

test('pages run only scripts of the dashboard, are in no frame, and are not stored', async () => {
  const page = await dashboardAt('https://app.example.com').request('/teamspaces/x/members', html)
  expect(page.status).toBe(200)
  expect(await page.text()).toContain('src="/assets/main-1234.js"')
  expect(page.headers.get('content-security-policy')).toMatch(/default-src 'none'; script-src 'self';.*frame-ancestors 'none'/)
  expect(page.headers.get('cache-control')).toBe('no-store')
  expect(page.headers.get('referrer-policy')).toBe('no-referrer')
})

test('browsers keep files of the pages, whose address changes with their content', async () => {
  const file = await dashboardAt('https://app.example.com').request('/assets/main-1234.js')
  expect([file.status, file.headers.get('cache-control')]).toEqual([200, 'public, max-age=31536000, immutable'])
})

test.each([
  ['/', html],
  ['/assets/main-1234.js', {}],
  ['/api/session', {}],
  ['/api/nothing', {}],
  ['/auth/callback', html],
])('the response to %s has its type believed, and https is used from then on', async (path, init) => {
  const headersOf = async (url: string) => {
    const { headers } = await dashboardAt(url).request(path, init)
    return [headers.get('x-content-type-options'), headers.get('strict-transport-security')]
  }
  expect(await headersOf('https://app.example.com')).toEqual(['nosniff', 'max-age=31536000'])
  expect(await headersOf('http://127.0.0.1:4001')).toEqual(['nosniff', null])
})

test('a browser whose sign-in fails gets a page with the reason and the status, and other clients get JSON', async () => {
  const dashboard = dashboardAt('https://app.example.com')
  const page = await dashboard.request('/auth/callback?code=x', html)
  expect(page.status).toBe(400)
  expect(page.headers.get('content-security-policy')).toContain("default-src 'none'")
  expect(await page.text()).toContain('content="This sign-in was not begun in this browser, was finished before')
  const away = await dashboard.request('/auth/sign-in', html)
  expect([away.status, away.headers.get('content-type')]).toEqual([502, 'text/html; charset=UTF-8'])
  const json = await dashboard.request('/auth/callback?code=x')
  expect([json.status, await json.json()]).toMatchObject([400, { error: 'validation_error' }])
})

test('a page shows no text of a link to a missing path', async () => {
  const path = `/auth/${encodeURIComponent('"><script>Your account is locked. Call 555.')}`
  const page = await dashboardAt('https://app.example.com').request(path, html)
  expect(page.status).toBe(404)
  expect(await page.text()).toMatch(/^<meta name="carrel-failure" content=""><script src="[^"]+">$/)
})

test.each([
  '/assets/missing.js',
  '/assets/..%2findex.html',
  '/assets/..%5cindex.html',
  '/assets/main-1234.js%00',
  `/assets/${'x'.repeat(9_000)}`,
  '/missing.svg',
])('a path without a file of the pages is an error that nobody keeps: number %#', async (path) => {
  for (const init of [html, {}]) {
    const file = await dashboardAt('https://app.example.com').request(path, init)
    expect([file.status, file.headers.get('cache-control')]).toEqual([404, 'private, no-store'])
  }
})

test('a part of a file that does not exist is kept by no browser', async () => {
  const part = { headers: { range: 'bytes=999-' } }
  const file = await dashboardAt('https://app.example.com').request('/assets/main-1234.js', part)
  expect([file.status, file.headers.get('cache-control')]).toEqual([416, 'no-cache'])
})

test('pages that are not built answer with what to do, and the API works', async () => {
  const dashboard = dashboardAt('https://app.example.com', join(tempDir(), 'none'))
  const page = await dashboard.request('/', html)
  expect([page.status, await page.text()]).toEqual([503, 'The web UI is not built. Start the server with: npm start'])
  expect((await dashboard.request('/api/session', html)).status).toBe(401)
  expect((await dashboard.request('/auth/callback?code=x', html)).headers.get('content-type')).toContain('json')
})
