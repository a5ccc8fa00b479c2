import { afterAll, beforeAll, expect, test, vi } from 'vitest'
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

async function upload({ name = 'pets.json', text = document('List all pets'), fields = {}, bearer = key }: Sent = {}) {
  const body = new FormData()
  body.append('openapiFile', new Blob([text]), name)
  for (const [field, value] of Object.entries(fields)) body.append(field, value)
  const answer = await fetch(hosted.url + path, { method: 'POST', headers: { authorization: `Bearer ${bearer}` }, body })
  await hosted.answers.check('POST', path, answer)
  return { status: answer.status, body: (await answer.json()) as Record<string, unknown> }
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
])('a form with %s is rejected', async (_, sent, status, message) => {
  const answer = await upload(sent)
  expect([answer.status, answer.body.message]).toEqual([status, expect.stringContaining(message)])
})

test('a body that is no form is rejected', async () => {
  const answer = await hosted.post(path, {}, { authorization: `Bearer ${key}` })
  expect([answer.status, await answer.json()]).toMatchObject([400, { message: 'Send the file as multipart/form-data.' }])
})
