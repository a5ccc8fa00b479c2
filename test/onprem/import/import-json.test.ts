import { once } from 'node:events'
import { readdirSync } from 'node:fs'
import { request } from 'node:http'
import { join } from 'node:path'
import { Readable } from 'node:stream'
import { afterAll, beforeAll, describe, expect, test, vi } from 'vitest'
import { snippetsOf } from '../../fixtures/imports.ts'
import { type TestInstall, testInstall } from '../../fixtures/test-install.ts'

let app: TestInstall
beforeAll(async () => {
  app = await testInstall()
})
afterAll(() => app.close())

const library = (libraryId: string, ...contents: string[]) => ({ project: libraryId, title: 'Docs', ...snippetsOf(...contents) })
const send = (body: unknown, query = '') =>
  app.json(`/api/import-libraries${query}`, { method: 'POST', key: app.keys.member, body })
const answer = async (id: string, query = 'lever') =>
  (await app.ask(`/api/v2/context?${new URLSearchParams({ libraryId: id, query })}`)).text()
const jobs = async () => ((await app.json('/api/jobs?pageSize=1', { key: app.keys.member })).body as { total: number }).total
const waiting = () => readdirSync(join(app.dataDir, 'imports'))

/** Waits until every job has ended and its remains are swept. */
async function idle() {
  await expect.poll(async () => (await app.json('/api/parse-status')).body).toEqual({ activeParses: {} })
  await expect.poll(waiting).toEqual([])
}

const queued = (...ids: string[]) => ({ status: 202, body: expect.objectContaining({ queued: ids, skipped: [] }) })

test('a posted library is searchable, is marked as imported and has a job', async () => {
  expect(await send({ libraries: [library('/first/docs', 'The lever turns the wheel.')] })).toEqual({
    status: 202,
    body: { message: 'Queued 1 library for import.', queued: ['/first/docs'], skipped: [] },
  })
  await idle()
  expect(await answer('/first/docs')).toContain('The lever turns the wheel.')
  const marked = { id: '/first/docs', title: 'Docs', totalSnippets: 1, imported: true, source: 'Imported' }
  expect((await app.json('/api/projects/first/docs')).body).toMatchObject(marked)
  expect((await app.json('/api/v2/libs/search?libraryName=first%20docs')).body).toMatchObject({
    results: [{ id: '/first/docs', source: 'Imported', trustScore: -1, totalSnippets: 1, codeSnippets: 0 }],
  })
  const { jobs: all } = (await app.json('/api/jobs', { key: app.keys.member })).body as { jobs: object[] }
  expect(all[0]).toMatchObject({
    kind: 'import',
    project: '/first/docs',
    state: 'done',
    filesDone: 1,
    filesTotal: 1,
    report: { snippetsBefore: 0, snippetsAfter: 1 },
  })
})

test('a refresh of an imported library is rejected with what to do instead', async () => {
  await send({ libraries: [library('/no/refresh', 'The lever turns.')] })
  await idle()
  expect(await app.json('/api/projects/no/refresh/refresh', { method: 'POST', key: app.keys.admin })).toEqual({
    status: 400,
    body: {
      error: 'validation_error',
      fields: expect.any(Array),
      message:
        '/no/refresh was imported and has no repository to refresh it from. Export it again at its source, then import it with force.',
    },
  })
})

test('existing libraries are skipped without force and replaced with it, in the query or anywhere in the body', async () => {
  await send({ libraries: [library('/over/write', 'The lever is old.')] })
  await idle()
  const again = (content: string) => [library('/over/write', content)]
  expect(await send({ libraries: again('The lever is ignored.') })).toEqual({
    status: 202,
    body: {
      message: 'Queued 0 libraries for import. 1 other skipped.',
      queued: [],
      skipped: [{ project: '/over/write', reason: 'already exists' }],
    },
  })
  expect(await send({ libraries: again('The lever is first.') }, '?force=true')).toEqual(queued('/over/write'))
  await idle()
  expect(await answer('/over/write')).toContain('The lever is first.')
  expect(await send({ force: true, libraries: again('The lever is second.') })).toEqual(queued('/over/write'))
  await idle()
  expect(await send({ libraries: again('The lever is third.'), force: true })).toEqual(queued('/over/write'))
  await idle()
  expect(await answer('/over/write')).toContain('The lever is third.')
  expect(await answer('/over/write')).not.toContain('second')
})

test.each([
  ['as a text at the end', '{"libraries":[LIBRARY],"force":"yes"}', ''],
  ['as a text before', '{"force":"true","libraries":[LIBRARY]}', ''],
  ['as a number', '{"libraries":[LIBRARY],"force":1}', ''],
  ['as null', '{"libraries":[LIBRARY],"force":null}', ''],
  ['in the query', '{"libraries":[LIBRARY]}', '?force=yes'],
  ['as an empty query', '{"libraries":[LIBRARY]}', '?force='],
  ['twice in the query', '{"libraries":[LIBRARY]}', '?force=true&force=true'],
])('force that is neither true nor false, %s, is rejected and nothing is queued', async (_, body, query) => {
  const before = await jobs()
  const text = body.replace('LIBRARY', JSON.stringify(library('/force/yes', 'The lever turns.')))
  expect(await send(text, query)).toEqual({
    status: 400,
    body: { error: 'validation_error', message: expect.stringContaining('force'), fields: expect.any(Array) },
  })
  expect(await jobs()).toBe(before)
  expect(waiting()).toEqual([])
})

test('a malformed library is skipped with the path of the error, and the others are imported', async () => {
  const wrong = (libraryId: unknown, more: object) => ({ ...library(libraryId as string, 'The lever turns.'), ...more })
  const { status, body } = await send({
    somethingElse: [{ libraries: [1] }],
    libraries: [
      wrong('/wrong/code', { infoSnippets: [], codeSnippets: [{ codeList: [] }, { codeList: 'x' }] }),
      wrong('/wrong/entry', { infoSnippets: [7, {}], codeSnippets: [{ codeList: [{ code: 'a' }, { code: 5 }] }] }),
      wrong('/wrong/info', { infoSnippets: [{ content: ['x'] }] }),
      wrong('/wrong/blank', { infoSnippets: [{ content: ' ' }], codeSnippets: [{ codeList: [{ code: '\n' }] }] }),
      wrong('/wrong/list', { codeSnippets: {} }),
      { project: '/wrong/half', codeSnippets: [] },
      { project: '/wrong/empty', codeSnippets: [], infoSnippets: [] },
      { project: '/wrong/../empty', codeSnippets: [], infoSnippets: [] },
      wrong('/wrong/../id', {}),
      wrong('/wrong/a..b', {}),
      wrong('wrong', {}),
      wrong('', {}),
      wrong(undefined, {}),
      wrong(12, {}),
      17,
      null,
      [library('/in/list', 'x')],
      wrong('/good/one', {
        unknown: { deep: [[{}]] },
        title: null,
        infoSnippets: [{ content: 'The lever is good.', embedding: [1, 2] }],
        codeSnippets: [{ title: null, codeList: [{ language: null, code: 'lever()' }] }],
      }),
    ],
  })
  expect(status).toBe(202)
  expect(body).toMatchObject({ queued: ['/good/one'] })
  const { skipped } = body as { skipped: { project: string; reason: string }[] }
  expect(skipped.map(({ project, reason }) => `${project}: ${reason}`)).toMatchInlineSnapshot(`
    [
      "/wrong/code: It contains no snippet that can be read: codeSnippets[1]: codeList must be a list.",
      "/wrong/entry: It contains no snippet that can be read: codeSnippets[0]: codeList[1].code must be a text, and 2 more cannot be read.",
      "/wrong/info: It contains no snippet that can be read: infoSnippets[0]: content must be a text.",
      "/wrong/blank: It contains only empty snippets (2).",
      "/wrong/list: codeSnippets must be a list.",
      "/wrong/half: It contains no snippets.",
      "/wrong/empty: It contains no snippets.",
      "/wrong/../empty: "/wrong/../empty" is not a library id: it contains ".."; expected /owner/repo, /owner/repo/version or /owner/repo@version.",
      "/wrong/../id: "/wrong/../id" is not a library id: it contains ".."; expected /owner/repo, /owner/repo/version or /owner/repo@version.",
      "/wrong/a..b: "/wrong/a..b" is not a library id: it contains ".."; expected /owner/repo, /owner/repo/version or /owner/repo@version.",
      "wrong: "wrong" is not a library id: wrong shape; expected /owner/repo, /owner/repo/version or /owner/repo@version.",
      ": project must not be empty.",
      "libraries[12]: project is required.",
      "libraries[13]: project must be a text.",
      "libraries[14]: It must be a JSON object.",
      "libraries[15]: It must be a JSON object.",
      "libraries[16]: It must be a JSON object.",
    ]
  `)
  await idle()
  expect(await answer('/good/one')).toContain('The lever is good.')
})

test('the first of several elements with the same id, ignoring case, is imported', async () => {
  const { body } = await send({
    libraries: [library('/Twice/Docs', 'The lever is first.'), library('/twice/docs', 'The lever is second.')],
  })
  expect(body).toMatchObject({
    queued: ['/Twice/Docs'],
    skipped: [{ project: '/twice/docs', reason: 'It is in this import more than once; only the first one is imported.' }],
  })
  await idle()
  expect(await answer('/twice/docs')).toContain('The lever is first.')
})

test('each version is a separate element, decision and job', async () => {
  const before = await jobs()
  const elements = [
    library('/many/docs', 'The lever is newest.'),
    library('/many/docs@v1', 'The lever is one.'),
    library('/many/docs/v2', 'The lever is two.'),
  ]
  expect(await send({ libraries: elements })).toEqual(queued('/many/docs', '/many/docs@v1', '/many/docs@v2'))
  await idle()
  expect((await jobs()) - before).toBe(3)
  expect((await app.json('/api/projects/many/docs')).body).toMatchObject({ versions: ['v1', 'v2'], imported: true })
  expect(await answer('/many/docs@v1')).toContain('The lever is one.')
  expect(await answer('/many/docs/v2')).toContain('The lever is two.')
  expect(
    await send({ libraries: [library('/many/docs@v1', 'x'), library('/many/docs@v3', 'The lever is three.')] }),
  ).toMatchObject({
    body: { queued: ['/many/docs@v3'], skipped: [{ project: '/many/docs@v1', reason: 'already exists' }] },
  })
  await idle()
})

test('an import is skipped if another of the same library is queued at the same time', async () => {
  const words = Array.from({ length: 3000 }, (_, n) => `Lever ${n} turns wheel ${n * 7}.`)
  const answers = await Promise.all([1, 2].map(() => send({ libraries: [library('/at/once', ...words)], force: true })))
  const bodies = answers.map(({ body }) => body as { queued: string[]; skipped: object[] })
  expect(bodies.flatMap((body) => body.queued)).toEqual(['/at/once'])
  expect(bodies.flatMap((body) => body.skipped)).toEqual([{ project: '/at/once', reason: 'already queued' }])
  await idle()
})

describe('a body for an import', () => {
  const good = JSON.stringify({ libraries: [library('/cut/off', 'The lever turns.'), library('/cut/two', 'The lever turns.')] })
  test.each([
    ['that ends half-way', good.slice(0, -30), 'The body is incomplete JSON, and nothing of it is imported.'],
    ['that ends before its last bracket', good.slice(0, -1), 'The body is incomplete JSON, and nothing of it is imported.'],
    ['that is empty', '', 'The body is incomplete JSON, and nothing of it is imported.'],
    ['with more after its end', `${good}{}`, 'The body is not valid JSON in UTF-8.'],
    ['that is no JSON', '<html>', 'The body is not valid JSON in UTF-8.'],
    ['that is a list', '[]', 'The body must be a JSON object with the list "libraries".'],
    ['without libraries', '{"force":true}', 'The body must be a JSON object with the list "libraries".'],
    ['whose libraries are no list', '{"libraries":{}}', 'The body has "libraries" that is not a list.'],
    ['that is nested without end', `{"x":${'['.repeat(5000)}`, 'The body is nested more than 100 levels deep.'],
    [
      'with a text without end',
      `{"libraries":[],"x":"${'x'.repeat(17 * 2 ** 20)}"}`,
      'The body holds a single value of more than 16777216 bytes.',
    ],
    [
      'with a snippet without end',
      `{"libraries":[{"codeSnippets":[{"x":["${'x","'.repeat(6 * 2 ** 20)}"]}]}]}`,
      'The body holds a single value of more than 16777216 bytes.',
    ],
    [
      'with a wrong title without end',
      `{"libraries":[{"title":{"x":["${'x","'.repeat(6 * 2 ** 20)}"]}}]}`,
      'The body holds a single value of more than 16777216 bytes.',
    ],
  ])('is rejected as a whole with an error if it is one %s', async (_, body, message) => {
    const before = await jobs()
    expect(await send(body)).toEqual({ status: 400, body: { error: 'validation_error', message, fields: expect.any(Array) } })
    expect(await jobs()).toBe(before)
    expect(waiting()).toEqual([])
  })

  test('is accepted without a length and a content type, as curl pipes it', async () => {
    const chunks = Readable.from(
      [good.slice(0, 100), good.slice(100).replaceAll('/cut/', '/piped/')].map((text) =>
        Buffer.from(text.replaceAll('/cut/', '/piped/')),
      ),
    )
    const response = await app.ask('/api/import-libraries', {
      method: 'POST',
      key: app.keys.member,
      headers: { 'content-type': 'application/x-www-form-urlencoded' },
      body: Readable.toWeb(chunks) as never,
      duplex: 'half',
    } as RequestInit & { key: string })
    expect(await response.json()).toMatchObject({ queued: ['/piped/off', '/piped/two'] })
    await idle()
  })

  test('leaves no data if its sender disconnects', async () => {
    const before = await jobs()
    const headers = { authorization: `Bearer ${app.keys.member}`, 'content-type': 'application/json' }
    const sent = request(`${app.url}/api/import-libraries`, { method: 'POST', headers })
    sent.on('error', () => undefined)
    sent.write(`{"libraries":[${JSON.stringify(library('/gone/away', 'The lever turns.'))},`)
    await expect.poll(waiting).toHaveLength(1)
    sent.destroy()
    await expect.poll(waiting).toEqual([])
    expect(await jobs()).toBe(before)
  })

  test('is imported if it arrives byte by byte, without a timer for each chunk', async () => {
    const content = `The lever turns slowly.${' slowly'.repeat(3_000)}`
    const body = JSON.stringify({ libraries: [library('/byte/wise', content)] })
    const headers = { authorization: `Bearer ${app.keys.member}`, 'content-type': 'application/json' }
    const timers = vi.spyOn(globalThis, 'setTimeout')
    const sent = request(`${app.url}/api/import-libraries`, { method: 'POST', headers })
    for (const character of body) sent.write(character)
    sent.end()
    const [response] = await once(sent, 'response')
    response.resume()
    const { length } = timers.mock.calls
    timers.mockRestore()
    expect([body.length > 20_000, response.statusCode]).toEqual([true, 202])
    expect(length).toBeLessThan(1_000)
    await idle()
    expect(await answer('/byte/wise')).toContain('The lever turns slowly.')
  })

  test('is rejected with the expected type if it has another type', async () => {
    const response = await app.ask('/api/import-libraries', {
      method: 'POST',
      key: app.keys.member,
      headers: { 'content-type': 'application/zip' },
      body: 'PK',
    })
    expect([response.status, await response.json()]).toEqual([
      400,
      {
        error: 'validation_error',
        fields: expect.any(Array),
        message: 'Send JSON as application/json, or the zip as the file "bundleFile" of multipart/form-data.',
      },
    ])
  })

  test('is rejected before it is sent if it declares more than 2 GB', async () => {
    const headers = {
      authorization: `Bearer ${app.keys.member}`,
      'content-type': 'application/json',
      'content-length': 2_000_000_001,
    }
    const status = await new Promise((resolve) => {
      const sent = request(`${app.url}/api/import-libraries`, { method: 'POST', headers }, (response) => {
        resolve(response.statusCode)
        sent.destroy()
      })
      sent.on('error', () => undefined)
      sent.write('{')
      sent.flushHeaders()
    })
    expect(status).toBe(413)
  })
})

test('fields after the snippets are read: the project, and fields of other products', async () => {
  const { project, ...rest } = library('/late/name', 'The lever turns late.')
  expect(await send({ libraries: [{ ...rest, project }] })).toEqual(queued('/late/name'))
  await idle()
  expect(await answer('/late/name')).toContain('The lever turns late.')
})

test('a setting that requires signatures rejects JSON, which has none', async () => {
  app.app.settings.change({ 'import.requireSignature': true })
  const refused = await send({ libraries: [library('/not/signed', 'x')] })
  app.app.settings.change({ 'import.requireSignature': null })
  expect(refused).toMatchObject({ status: 400, body: { message: expect.stringContaining('import.requireSignature') } })
})
