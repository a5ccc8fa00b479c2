import { afterAll, beforeAll, describe, expect, test } from 'vitest'
import { type TestHosted, testHosted } from '../../fixtures/test-hosted.ts'

let hosted: TestHosted
let key: string
let strangerKey: string

beforeAll(async () => {
  hosted = await testHosted()
  key = (await hosted.keyOf('Acme')).key
  strangerKey = (await hosted.keyOf('Strangers')).key
  await hosted.git.create('acme/widgets', { files: { 'README.md': '# Widgets\n\nTurn the lever.\n' }, tags: ['v1'] })
  await hosted.add('acme/widgets')
  await hosted.run('own', { library: '/acme/widgets', teamspace: 'Acme' })
  await hosted.git.create('acme/secret', { files: { 'README.md': '# Secret\n\nTurn the secret lever.\n' } })
  await hosted.add('acme/secret', { private: true, teamspace: 'Acme' })
})
afterAll(() => hosted.close())

async function metrics(query: string, bearer: string | undefined): Promise<{ status: number; body: Record<string, unknown> }> {
  const answer = await hosted.get(
    `/api/v2/libs/metrics${query}`,
    bearer === undefined ? {} : { authorization: `Bearer ${bearer}` },
  )
  return { status: answer.status, body: (await answer.json()) as Record<string, unknown> }
}

const of = (libraryId: string, more: Record<string, string> = {}) => `?${new URLSearchParams({ libraryId, ...more })}`

describe('the errors of metrics', () => {
  test.each([
    ['no key', '?days=0', undefined, 401, 'invalid_api_key'],
    ['a key that does not exist, before a bad parameter', '?days=0', 'carrel_sk_0', 401, 'invalid_api_key'],
    ['a key of an install', of('/acme/widgets'), 'carrel_op_abc', 401, 'invalid_api_key'],
    ['no id', '', 'own', 400, 'validation_error'],
    ['an id of 501 characters', of(`/a/${'b'.repeat(498)}`), 'own', 400, 'validation_error'],
    ['an id given twice', `${of('/acme/widgets')}&libraryId=/acme/gadgets`, 'own', 400, 'validation_error'],
    ['an id without a slash', of('widgets'), 'own', 400, 'invalid_library_id'],
    ['an id with two versions', of('/acme/widgets@v1/v2'), 'own', 400, 'invalid_library_id'],
    ['0 days', of('/acme/widgets', { days: '0' }), 'own', 400, 'validation_error'],
    ['366 days', of('/acme/widgets', { days: '366' }), 'own', 400, 'validation_error'],
    ['1.5 days', of('/acme/widgets', { days: '1.5' }), 'own', 400, 'validation_error'],
    ['days that are no number', of('/acme/widgets', { days: 'abc' }), 'own', 400, 'validation_error'],
    ['empty days', of('/acme/widgets', { days: '' }), 'own', 400, 'validation_error'],
    ['a library that does not exist', of('/acme/none'), 'own', 404, 'library_not_found'],
    ['__proto__', of('/__proto__/constructor'), 'own', 404, 'library_not_found'],
    ['a private library of others', of('/acme/secret'), 'stranger', 404, 'library_not_found'],
    ['a library of others', of('/acme/widgets'), 'stranger', 403, 'access_denied'],
    ['a version that does not exist, of others', of('/acme/widgets@v9'), 'stranger', 403, 'access_denied'],
    ['a version that does not exist', of('/acme/widgets@v9'), 'own', 404, 'tag_not_found'],
  ])('come in the order of the contract: %s', async (_what, query, whose, status, error) => {
    const bearer = whose === 'own' ? key : whose === 'stranger' ? strangerKey : whose
    const answer = await metrics(query, bearer)
    expect({ status: answer.status, error: answer.body.error }).toEqual({ status, error })
    expect(answer.body.message).toMatch(/\w/)
  })
})

test('a revoked key is invalid immediately', async () => {
  const { id, key: revoked } = await hosted.keyOf('Acme')
  expect((await metrics(of('/acme/widgets'), revoked)).status).toBe(200)
  await hosted.run('revokeKey', { id })
  expect((await metrics(of('/acme/widgets'), revoked)).body.error).toBe('invalid_api_key')
})

test('owner and repository are compared without case', async () => {
  expect((await metrics(of('/ACME/Widgets'), key)).status).toBe(200)
})

test('percent-encoding in an id is decoded', async () => {
  expect((await metrics('?libraryId=%2Facme%2Fwidgets', key)).status).toBe(200)
})
