import { writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { Hono } from 'hono'
import { expect, onTestFinished, test, vi } from 'vitest'
import { apiPath } from '../../../onprem/routes/api-headers.ts'
import { webPages } from '../../../shared/http/web-pages.ts'
import { tempDir } from '../../fixtures/temp-dir.ts'
import { testInstall } from '../../fixtures/test-install.ts'

test('a command starts without a web UI, and prints no warning about it', () => {
  const printed = vi.spyOn(console, 'error').mockImplementation(() => undefined)
  onTestFinished(() => printed.mockRestore())
  webPages({ webFiles: join(tempDir(), 'dist'), apiPath })
  expect(printed).not.toHaveBeenCalled()
})

/** A server with a page, whose other paths return 404. */
function withPage(): Hono {
  const webFiles = tempDir()
  writeFileSync(join(webFiles, 'index.html'), '<title>Carrel</title>')
  return new Hono().use(webPages({ webFiles, apiPath }))
}

test.each([
  { client: 'curl, wget and an uptime check', accept: '*/*' },
  { client: 'a client that does not say what it accepts' },
  { client: 'a link preview', accept: 'text/html;q=0.9,*/*;q=0.8' },
])('$client gets the page at /, and at no other path without asking for HTML', async ({ accept }) => {
  const server = withPage()
  const init = accept === undefined ? {} : { headers: { accept } }
  const answer = await server.request('/', init)
  expect(answer.status).toBe(200)
  expect(await answer.text()).toContain('<title>Carrel</title>')
  expect((await server.request('/', { ...init, method: 'HEAD' })).status).toBe(200)
  expect((await server.request('/v2/context', init)).status).toBe(accept?.includes('text/html') ? 200 : 404)
  expect((await server.request('/api', init)).status).toBe(404)
})

test.each(['application/json', 'application/json, text/plain, */*', 'application/json, text/event-stream', 'text/event-stream'])(
  'an API client that accepts %s gets no page at /',
  async (accept) => {
    expect((await withPage().request('/', { headers: { accept } })).status).toBe(404)
  },
)

test('the script that sets the first theme is compressed, and browsers cache it under an address with its hash', async () => {
  const install = await testInstall()
  onTestFinished(() => install.close())
  const page = await (await fetch(`${install.url}/`)).text()
  const [address = ''] = /\/first-theme\.js\?v=[0-9a-f]{8}/.exec(page) ?? []
  const answer = await fetch(install.url + address, { headers: { 'accept-encoding': 'br' } })
  expect([answer.status, answer.headers.get('cache-control'), answer.headers.get('content-encoding')]).toEqual([
    200,
    'public, max-age=31536000, immutable',
    'br',
  ])
})
