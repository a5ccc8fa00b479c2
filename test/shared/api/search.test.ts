import { afterAll, beforeAll, expect, test } from 'vitest'
import type { TestInstall } from '../../fixtures/test-install.ts'
import { listedWidgets, widgetsInstall } from '../../fixtures/widgets-install.ts'

type FoundMarks = { id: string; exact?: false; sameOwner?: true }

let app: TestInstall

beforeAll(async () => {
  app = await widgetsInstall()
})
afterAll(() => app.close())

const search = (query: string) => app.json(`/api/v2/libs/search?${query}`)
const refusal = (error: string, message: string) => ({
  error,
  message,
  ...(error === 'validation_error' && { fields: expect.any(Array) }),
})

test('a library has exactly the fields of the contract, with the date of its commit', async () => {
  const commitDate = expect.stringMatching(/^\d{4}-\d\d-\d\dT\d\d:\d\d:\d\d\.000Z$/)
  const { status, body } = await search('libraryName=widgets&query=paint+a+widget')
  expect(status).toBe(200)
  expect(body).toEqual({
    results: [
      {
        ...listedWidgets,
        commitDate,
        lastUpdateDate: commitDate,
        totalTokens: expect.any(Number),
      },
    ],
    searchFilterApplied: false,
  })
})

test('a library that does not match exactly is marked, and so is an answer without an exact match', async () => {
  await app.git.create('acme/gears', { files: { 'README.md': '# Gears\n\nGears turn.\n' } })
  await app.parse('acme/gears')
  const marks = async (libraryName: string) => {
    const { exact, results } = (await search(`libraryName=${libraryName}`)).body as { exact?: false; results: FoundMarks[] }
    return [exact, ...results.map(({ id, exact, sameOwner }) => ({ id, exact, sameOwner }))]
  }
  const [gears, widgets] = [{ id: '/acme/gears' }, { id: '/acme/widgets' }]
  const ofOwner = { exact: false, sameOwner: true }
  expect(await marks('gears')).toEqual([undefined, gears])
  expect(await marks('acme/gears')).toEqual([undefined, gears, { ...widgets, ...ofOwner }])
  expect(await marks('acme/levers')).toEqual([false, { ...gears, ...ofOwner }, { ...widgets, ...ofOwner }])
  expect(await marks('geers')).toEqual([false, { ...gears, exact: false }])
})

test('the question is optional, because existing clients send none', async () => {
  expect((await search('libraryName=widgets')).status).toBe(200)
})

test('a description is never absent, even if the repository has none', async () => {
  await app.git.create('acme/mute', { files: { 'README.md': '```sh\nmute\n```\n' } })
  await app.parse('acme/mute')
  const { results } = (await search('libraryName=acme/mute')).body as { results: object[] }
  expect(results[0]).toMatchObject({ id: '/acme/mute', description: 'Documentation of acme/mute' })
})

test('a name without a match is 404, never an empty list', async () => {
  expect(await search('libraryName=zzqqxx')).toEqual({
    status: 404,
    body: refusal(
      'no_libraries_found',
      'No library matches "zzqqxx". Try its full name, its package name or owner/repo; it may also not have been added yet.',
    ),
  })
})

test.each([
  ['', 'libraryName is required.'],
  ['libraryName=', 'libraryName must not be empty.'],
  ['libraryName=a&libraryName=b', 'libraryName must be given only once.'],
  [`libraryName=${'x'.repeat(501)}`, 'libraryName must not be longer than 500 characters.'],
  ['libraryName=a&query=b&query=c', 'query must be given only once.'],
  ['libraryName=a&fast=maybe', 'fast must be one of true, false.'],
  ['fast=maybe', 'libraryName is required. fast must be one of true, false.'],
])('the query "$0" is rejected with a message that names the parameter', async (query, message) => {
  expect(await search(query)).toEqual({ status: 400, body: refusal('validation_error', message) })
})

test('a name and a question of 500 characters are searched for', async () => {
  expect((await search(`libraryName=${'x'.repeat(500)}&query=${'y'.repeat(500)}`)).status).toBe(404)
})

test.each(['%00', '%FF%FE', '%F0%9F%98%80', '../../etc/passwd', "'; DROP TABLE libraries; --", '/', '@', '*'])(
  'the name "%s" causes no error',
  async (name) => {
    expect([200, 404]).toContain((await search(`libraryName=${name}`)).status)
  },
)
