import { afterAll, beforeAll, expect, onTestFinished, test, vi } from 'vitest'
import { type TestHosted, testHosted } from '../../fixtures/test-hosted.ts'

let hosted: TestHosted
let key: string
let team: string

const document = (summary: string, more = '') =>
  JSON.stringify({
    openapi: '3.1.0',
    info: { title: 'Pet Store', version: '1' },
    paths: { '/pets': { get: { operationId: 'listPets', summary, responses: { 200: { description: 'A list of pets' } } } } },
    more,
  })

beforeAll(async () => {
  hosted = await testHosted()
  key = (await hosted.keyOf('Acme')).key
  team = (await hosted.hosted.teamspaces.find('Acme'))?.id ?? ''
})
afterAll(() => hosted.close())

const path = '/api/v2/add/openapi-upload'

type Sent = { name?: string; text?: string; fields?: Record<string, string>; bearer?: string }
type Answer = { status: number; body: Record<string, unknown> }

async function upload({ name = 'pets.json', text = document('List all pets'), fields = {}, bearer = key }: Sent = {}) {
  const form = new FormData()
  form.append('openapiFile', new Blob([text]), name)
  return send(form, fields, bearer)
}

async function send(body: FormData, fields: Record<string, string>, bearer: string): Promise<Answer> {
  for (const [field, value] of Object.entries(fields)) body.append(field, value)
  const answer = await fetch(hosted.url + path, { method: 'POST', headers: { authorization: `Bearer ${bearer}` }, body })
  await hosted.answers.check('POST', path, answer)
  return { status: answer.status, body: (await answer.json()) as Record<string, unknown> }
}

const sendStarted = (uploadId: unknown, fields: Record<string, string> = {}, bearer = key) =>
  send(new FormData(), { uploadId: String(uploadId), ...fields }, bearer)

async function start(body: unknown, bearer = key): Promise<Answer> {
  const answer = await hosted.post(`${path}/start`, body, { authorization: `Bearer ${bearer}` })
  return { status: answer.status, body: (await answer.json()) as Record<string, unknown> }
}

const put = async (url: unknown, body: string) => (await fetch(String(url), { method: 'PUT', body })).status

/** An upload that is started and sent. */
async function startedWith(text: string, fileName = 'large.json'): Promise<string> {
  const { body } = await start({ fileName, bytes: Buffer.byteLength(text) })
  expect(await put(body.uploadUrl, text)).toBe(200)
  return String(body.uploadId)
}

async function ended(library: string) {
  let progress = {}
  await vi.waitFor(async () => {
    progress = await hosted.run('progress', { library })
    expect(progress).toMatchObject({ active: false })
  }, 60_000)
  return progress
}

async function ask(libraryId: string, bearer = key) {
  const query = new URLSearchParams({ libraryId, query: 'pets' })
  const answer = await hosted.get(`/api/v2/context?${query}`, { authorization: `Bearer ${bearer}` })
  return { status: answer.status, text: await answer.text() }
}

test('an uploaded document is a private library of its teamspace, and only force replaces it', async () => {
  const added = await upload()
  expect(added).toMatchObject({ status: 200, body: { libraryName: expect.stringMatching(/^\/openapi\/pets-[\da-f]{8}$/) } })
  const library = String(added.body.libraryName)
  expect(await ended(library)).toMatchObject({ state: 'finalized', error: null })
  expect(await ask(library)).toMatchObject({ status: 200, text: expect.stringContaining('List all pets') })
  const { key: other } = await hosted.keyOf('Others')
  expect((await ask(library, other)).status).toBe(404)
  const [, owner = '', repo = ''] = library.split('/')
  expect((await hosted.hosted.catalog.record({ owner, repo }))?.library).toMatchObject({
    source: 'Upload (Private)',
    sourceType: 'uploaded_files',
    privateTo: team,
  })

  expect(await upload()).toMatchObject({ status: 409, body: { error: 'duplicate_repo', project: library } })
  const text = document('List every pet')
  expect(await upload({ text, fields: { force: 'true' } })).toMatchObject({ status: 200, body: { libraryName: library } })
  expect(await ended(library)).toMatchObject({ state: 'finalized' })
  expect((await ask(library)).text).toContain('List every pet')
  const refresh = await hosted.post('/api/v1/refresh', { libraryName: library }, { authorization: `Bearer ${key}` })
  expect([refresh.status, await refresh.json()]).toMatchObject([
    400,
    { message: expect.stringContaining('Upload its file again') },
  ])
})

test('two teamspaces upload files of one name without knowing of each other', async () => {
  const { key: other } = await hosted.keyOf('Others')
  const fields = { libraryTitle: 'Our Shop' }
  const ids = [await upload({ fields }), await upload({ fields, bearer: other })].map(({ body }) => String(body.libraryName))
  expect(new Set(ids).size).toBe(2)
  for (const id of ids) expect(id).toMatch(/^\/openapi\/our-shop-[\da-f]{8}$/)
  await Promise.all(ids.map(ended))
})

test('an upload needs an owner or admin, and a plan that allows it', async () => {
  const { key: developer } = await hosted.hosted.teamspaces.createKey(team, { createdBy: 'test', role: 'developer' })
  await hosted.run('createTeamspace', { name: 'Free', plan: 'free' })
  const { key: free } = await hosted.keyOf('Free')
  expect(await upload({ bearer: developer })).toMatchObject({
    status: 403,
    body: { error: 'forbidden', message: 'Only owners and admins of a teamspace can add uploaded files.' },
  })
  expect(await upload({ bearer: free })).toMatchObject({
    status: 403,
    body: { error: 'forbidden', message: 'Uploaded files require a paid plan or a team plan.' },
  })
})

test.each([
  ['no description of an API', { text: '{"hello": "world"}' }, 400, 'is no OpenAPI'],
  ['another format', { name: 'pets.txt' }, 400, 'is no OpenAPI'],
  ['a name without letters', { name: '....json' }, 400, 'no Latin letter'],
  ['a field that is unknown', { fields: { projectTitle: 'Pets' } }, 400, 'projectTitle'],
  ['force that is not true', { fields: { force: 'yes' } }, 400, 'force must be "true"'],
  ['more than 4 MB', { text: document('List all pets', 'x'.repeat(4 * 2 ** 20)) }, 413, '4 MB'],
  ['more than the request may have', { text: document('List all pets', 'x'.repeat(5 * 2 ** 20)) }, 413, 'at most'],
  ['a file of 5 MB', { text: document('List all pets', 'x'.repeat(5 * 2 ** 20)) }, 413, 'openapi-upload/start'],
])('a form with %s is rejected', async (_, sent, status, message) => {
  const answer = await upload(sent)
  expect([answer.status, answer.body.message]).toEqual([status, expect.stringContaining(message)])
})

test('a form with neither a file nor an upload names both', async () => {
  const { status, body } = await send(new FormData(), { libraryTitle: 'Pets' }, key)
  expect([status, body.message]).toEqual([400, expect.stringContaining('must be a file, unless uploadId is sent')])
})

test('a body that is no form is rejected', async () => {
  const answer = await hosted.post(path, {}, { authorization: `Bearer ${key}` })
  expect([answer.status, await answer.json()]).toMatchObject([400, { message: 'Send the file as multipart/form-data.' }])
})

test('a file above 4 MB is sent to a link, and then added', async () => {
  const text = document('List every pet of the large shop', 'x'.repeat(5 * 2 ** 20))
  const { status, body } = await start({ fileName: 'large.json', bytes: Buffer.byteLength(text) })
  expect([status, Object.keys(body)]).toEqual([200, ['uploadId', 'uploadUrl', 'expiresAt']])
  const validMs = Date.parse(String(body.expiresAt)) - Date.now()
  expect(validMs).toBeGreaterThan(13 * 60_000)
  expect(validMs).toBeLessThanOrEqual(15 * 60_000)
  expect(await put(body.uploadUrl, text)).toBe(200)
  const added = await sendStarted(body.uploadId)
  expect(added).toMatchObject({ status: 200, body: { libraryName: expect.stringMatching(/^\/openapi\/large-[\da-f]{8}$/) } })
  const library = String(added.body.libraryName)
  expect(await ended(library)).toMatchObject({ state: 'finalized', error: null })
  expect((await ask(library)).text).toContain('List every pet of the large shop')
})

test('a link takes only a file of the declared size, to its own key', async () => {
  const { body } = await start({ fileName: 'pets.json', bytes: 10 })
  const url = new URL(String(body.uploadUrl))
  expect(await put(url, 'x'.repeat(11))).toBe(403)
  expect(await put(url, 'x'.repeat(9))).toBe(403)
  expect((await fetch(url)).status).toBe(403)
  url.pathname = url.pathname.replace('/file', '/other')
  expect(await put(url, 'x'.repeat(10))).toBe(403)
})

test('an upload that another teamspace has started does not exist', async () => {
  const { key: other } = await hosted.keyOf('Others')
  const uploadId = await startedWith(document('List all pets'))
  const missing = await sendStarted('0'.repeat(16), {}, other)
  const foreign = await sendStarted(uploadId, {}, other)
  expect(missing).toMatchObject({ status: 404, body: { error: 'not_found' } })
  expect(JSON.stringify(foreign).replaceAll(uploadId, '0'.repeat(16))).toBe(JSON.stringify(missing))
})

test('an upload without its file says until when its link is valid', async () => {
  const { body } = await start({ fileName: 'pets.json', bytes: 10 })
  const message = `uploadId names an upload without its file. Send it by PUT to the uploadUrl until ${body.expiresAt}.`
  expect(await sendStarted(body.uploadId)).toMatchObject({ status: 400, body: { error: 'validation_error', message } })
  vi.useFakeTimers({ toFake: ['Date'], now: Date.now() + 16 * 60_000 })
  onTestFinished(() => void vi.useRealTimers())
  const expired = await sendStarted(body.uploadId)
  expect([expired.status, expired.body.message]).toEqual([400, expect.stringContaining('Start another one')])
  expect(await put(body.uploadUrl, 'x'.repeat(10))).toBe(403)
})

test('a started file of another size than declared is rejected', async () => {
  const { body } = await start({ fileName: 'pets.json', bytes: 10 })
  await hosted.hosted.uploads.put(`uploads/started/${team}/${body.uploadId}/file`, Buffer.from('x'.repeat(11)), 'text/plain')
  const answer = await sendStarted(body.uploadId)
  expect([answer.status, answer.body.message]).toEqual([400, expect.stringContaining('a file of 11 bytes. 10 were declared')])
})

test('a started file that describes no API is rejected', async () => {
  const answer = await sendStarted(await startedWith('{"hello": "world"}'))
  expect([answer.status, answer.body.message]).toEqual([400, expect.stringContaining('"large.json" is no OpenAPI')])
})

test('a form has a file or a started upload', async () => {
  const both = await upload({ fields: { uploadId: '0'.repeat(16) } })
  expect([both.status, both.body.message]).toEqual([400, expect.stringContaining('must be absent if the form has a file')])
  const invalid = await sendStarted('../secret')
  expect([invalid.status, invalid.body.message]).toEqual([400, expect.stringContaining('uploadId')])
  const neither = await send(new FormData(), { libraryTitle: 'Pets' }, key)
  expect([neither.status, neither.body.message]).toEqual([400, expect.stringContaining('openapiFile must be a file')])
})

test.each([
  ['another format', { fileName: 'pets.txt', bytes: 10 }, 400, 'is no OpenAPI'],
  ['no bytes', { fileName: 'pets.json', bytes: 0 }, 400, 'bytes'],
  ['more than 10 MB', { fileName: 'pets.json', bytes: 10 * 2 ** 20 + 1 }, 413, 'larger than 10 MB'],
])('an upload of %s is not started', async (_, sent, status, message) => {
  const answer = await start(sent)
  expect([answer.status, answer.body.message]).toEqual([status, expect.stringContaining(message)])
})

test('an upload is started by an owner or admin with a plan that allows it', async () => {
  const { key: developer } = await hosted.hosted.teamspaces.createKey(team, { createdBy: 'test', role: 'developer' })
  expect(await start({ fileName: 'pets.json', bytes: 10 }, developer)).toMatchObject({
    status: 403,
    body: { error: 'forbidden', message: 'Only owners and admins of a teamspace can add uploaded files.' },
  })
})
