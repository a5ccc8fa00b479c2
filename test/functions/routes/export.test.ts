import { readdirSync } from 'node:fs'
import { readFile } from 'node:fs/promises'
import { request } from 'node:http'
import { type ServerType, serve } from '@hono/node-server'
import { Hono } from 'hono'
import { expect, onTestFinished, test, vi } from 'vitest'
import { exportRoutes } from '../../../functions/routes/export.ts'
import { describedRoutes } from '../../../shared/api/described-routes.ts'
import type { BundleElement } from '../../../shared/bundle/bundle-element.ts'
import { AppError } from '../../../shared/errors.ts'
import { asBodyError } from '../../../shared/http/json-body.ts'
import { toHttp } from '../../../shared/http/to-http.ts'
import { rows, testExports } from '../../fixtures/exports.ts'

type Exports = ReturnType<typeof testExports>

const path = '/api/v1/enterprise/export'

function appOf(exports: Exports) {
  const app = new Hono()
  app.route(
    '/api',
    exportRoutes(exports, async (c, next) => {
      const key = c.req.header('authorization')
      if (key === undefined) throw new AppError('invalid_api_key', 'A license is needed.')
      if (key !== 'Bearer offline') throw new AppError('forbidden', 'An offline license is needed.')
      await next()
    }),
  )
  app.onError((thrown, c) => {
    const { status, body, headers } = toHttp(asBodyError(thrown))
    return c.json(body, status, headers)
  })
  return app
}

type Body = { error: string; message: string; libraries: BundleElement[]; sizeBytes: number; limitBytes: number }
const bodyOf = async (answer: Response) => (await answer.json()) as Body

const post = (body: string | undefined, headers: Record<string, string> = {}): RequestInit => ({
  method: 'POST',
  headers: { authorization: 'Bearer offline', 'content-type': 'application/json', ...headers },
  ...(body === undefined ? {} : { body }),
})

async function startServer(exports: Exports): Promise<string> {
  const server = await new Promise<ServerType>((resolve) => {
    const started: ServerType = serve({ fetch: appOf(exports).fetch, port: 0, hostname: '127.0.0.1' }, () => resolve(started))
  })
  onTestFinished(
    () =>
      new Promise<void>((resolve) => {
        if ('closeAllConnections' in server) server.closeAllConnections()
        server.close(() => resolve())
      }),
  )
  const address = server.address()
  return `http://127.0.0.1:${typeof address === 'object' ? address?.port : ''}${path}`
}

test('an export is the body of an import, as JSON without caching', async () => {
  const exports = testExports()
  await exports.add('/acme/docs', rows(30))
  const answer = await appOf(exports).request(path, post('{"library":"acme/docs"}'))
  expect([answer.status, answer.headers.get('content-type'), answer.headers.get('cache-control')]).toEqual([
    200,
    'application/json; charset=utf-8',
    null,
  ])
  const body = await bodyOf(answer)
  expect(Object.keys(body)).toEqual(['libraries', 'force'])
  expect(body.libraries.map((each) => each.codeSnippets.length + each.infoSnippets.length)).toEqual([30])
})

test.each([
  ['a wrong license, whatever the body is', post('not JSON', { authorization: 'Bearer online' }), 403, 'forbidden'],
  ['a body that is not JSON', post('{"library":'), 400, 'validation_error'],
  ['no body', post(undefined), 400, 'validation_error'],
  [
    'a body that does not call itself JSON',
    post('{"library":"acme/docs"}', { 'content-type': 'text/plain' }),
    400,
    'validation_error',
  ],
  ['no library', post('{}'), 400, 'validation_error'],
  ['a list', post('["acme/docs"]'), 400, 'validation_error'],
  ['null', post('null'), 400, 'validation_error'],
  ['an empty library', post('{"library":""}'), 400, 'validation_error'],
  ['a library that is a number', post('{"library":1}'), 400, 'validation_error'],
  ['a library that is a list', post('{"library":["acme/docs"]}'), 400, 'validation_error'],
  ['a library of 501 characters', post(JSON.stringify({ library: `a/${'b'.repeat(499)}` })), 400, 'validation_error'],
  ['a library without a slash', post('{"library":"docs"}'), 400, 'invalid_library_id'],
  ['a library that leads up', post('{"library":"a/../../x"}'), 400, 'invalid_library_id'],
  ['two versions', post('{"library":"acme/docs@v1/v2"}'), 400, 'invalid_library_id'],
  ['__proto__', post('{"__proto__":{"library":"acme/docs"}}'), 400, 'validation_error'],
  ['a body above 16 KB', post(JSON.stringify({ library: 'acme/docs', more: 'x'.repeat(20_000) })), 413, 'payload_too_large'],
  ['an unknown library', post('{"library":"acme/absent"}'), 404, 'library_not_found'],
  ['an unknown version', post('{"library":"acme/docs@v9"}'), 404, 'tag_not_found'],
])('an export with %s is rejected', async (_, init, status, code) => {
  const exports = testExports()
  await exports.add('/acme/docs', rows(1))
  const answer = await appOf(exports).request(path, init)
  const body = await bodyOf(answer)
  expect([answer.status, body.error, typeof body.message]).toEqual([status, code, 'string'])
})

test('an export without a license is 401, and one that no install can import is 413 with its size', async () => {
  const exports = testExports()
  await exports.add('/acme/docs', rows(30))
  Object.assign(exports.limits, { bytes: 1000, storedBytes: 1000 })
  const init = post('{"library":"acme/docs"}')
  expect((await appOf(exports).request(path, { ...init, headers: { 'content-type': 'application/json' } })).status).toBe(401)
  const answer = await appOf(exports).request(path, init)
  const body = await bodyOf(answer)
  expect([answer.status, body.error, body.limitBytes]).toEqual([413, 'payload_too_large', 1000])
  expect(body.sizeBytes).toBeGreaterThan(1000)
})

test('an export that is too large for a response is built once and answered with its address, which has the same content', async () => {
  const exports = testExports()
  await exports.add('/acme/docs', rows(30))
  const app = appOf(exports)
  const streamed = await (await app.request(path, post('{"library":"acme/docs"}'))).text()
  await exports.objects.remove(`exports/${readdirSync(`${exports.folder}/exports`)[0]}`)
  exports.limits.bytes = 1000
  const runBundle = vi.spyOn(exports, 'runBundle')
  for (const _ of [1, 2]) {
    const answer = await app.request(path, post('{"library":"acme/docs"}'))
    const location = new URL(answer.headers.get('location') ?? '')
    expect([answer.status, await answer.text()]).toEqual([303, ''])
    expect(await readFile(exports.folder + location.pathname, 'utf8')).toBe(streamed)
  }
  expect(runBundle).toHaveBeenCalledTimes(1)
})

test('a large export that is being built is 503 with the time to wait', async () => {
  const exports = testExports()
  await exports.add('/acme/docs', rows(30))
  Object.assign(exports.limits, { bytes: 1000, buildWaitMs: 0 })
  const answer = await appOf({ ...exports, runBundle: async () => undefined }).request(path, post('{"library":"acme/docs"}'))
  const body = await bodyOf(answer)
  expect([answer.status, answer.headers.get('retry-after'), body.error]).toEqual([503, '5', 'temporarily_unavailable'])
  expect(body.message).toContain('is being built: 0 %')
})

test('an export whose library is deleted breaks the connection', async () => {
  const exports = testExports()
  await exports.add('/acme/docs', rows(5000))
  const address = await startServer(exports)
  const printed = vi.spyOn(console, 'error')
  onTestFinished(() => printed.mockRestore())
  const answer = await fetch(address, post('{"library":"acme/docs"}'))
  expect([answer.status, answer.headers.get('content-length')]).toEqual([200, null])
  exports.libraries.delete('/acme/docs')
  let sent = ''
  const take = async () => {
    const decoder = new TextDecoder()
    for await (const chunk of answer.body ?? []) sent += decoder.decode(chunk, { stream: true })
  }
  await expect(take()).rejects.toThrow('terminated')
  expect(sent).not.toContain('no public library')
  expect(() => JSON.parse(sent)).toThrow()
  expect(sent).not.toContain('Error')
  expect(exports.log.lines).toMatchObject([{ message: 'an export was aborted' }])
  expect(printed).not.toHaveBeenCalled()
})

test('an export stops when its caller hangs up, and the server continues', async () => {
  const exports = testExports()
  await exports.add('/acme/docs', rows(12_000))
  let [read, open] = [0, 0]
  const scan = async function* (generation: string) {
    open += 1
    try {
      for await (const batch of exports.snippets.scan(generation)) {
        read += batch.length
        yield batch
      }
    } finally {
      open -= 1
    }
  }
  const address = await startServer({ ...exports, snippets: { ...exports.snippets, scan } })
  await new Promise<void>((resolve, reject) => {
    const { headers } = post('')
    const asking = request(address, { method: 'POST', headers: headers as Record<string, string> }, (answer) => {
      answer.once('data', () => answer.destroy())
      answer.once('close', resolve)
    })
    asking.once('error', reject)
    asking.end('{"library":"acme/docs"}')
  })
  await vi.waitFor(() => expect(open).toBe(0), 120_000)
  expect(read).toBeLessThan(24_000)
  expect((await fetch(address, post('{"library":"acme/docs"}'))).status).toBe(200)
})

test('the operation has no tag of the public API', () => {
  expect(describedRoutes(appOf(testExports()).routes)).toMatchObject([{ method: 'POST', path: '/v1/enterprise/export' }])
  const [{ docs } = { docs: undefined }] = describedRoutes(appOf(testExports()).routes)
  expect([docs?.operationId, docs?.tags, docs?.errors]).toEqual(['exportLibrary', undefined, [404, 422, 503, 413, 400]])
})
