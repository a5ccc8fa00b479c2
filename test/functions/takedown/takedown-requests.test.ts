import { afterAll, beforeAll, expect, test } from 'vitest'
import { type TestHosted, testHosted } from '../../fixtures/test-hosted.ts'

let hosted: TestHosted
const request = { library: '/acme/widgets', reason: 'It is my text.\nSee my page.', contact: 'ann@example.com' }
const from = (address: string) => ({ 'x-viewer-address': address })

beforeAll(async () => {
  hosted = await testHosted()
  await hosted.git.create('acme/widgets', { files: { 'README.md': '# Guide\n\nTurn the lever.\n' } })
  await hosted.add('acme/widgets')
})
afterAll(() => hosted.close())

const send = (body: unknown, address = '192.0.2.1') => hosted.post('/api/v2/takedowns', body, from(address))

test('a takedown request waits for the operator, who removes the library or rejects the request', async () => {
  const { id } = (await (await send(request)).json()) as { id: string }
  const { id: second } = (await (await send({ ...request, library: '/acme/other' })).json()) as { id: string }
  expect(await hosted.run('listTakedowns', {})).toMatchObject([
    { ...request, id, state: 'open' },
    { id: second, library: '/acme/other', state: 'open' },
  ])
  expect((await hosted.hosted.catalog.record({ owner: 'acme', repo: 'widgets' }))?.id).toBe('/acme/widgets')
  expect(await hosted.run('acceptTakedown', { id })).toEqual({ library: '/acme/widgets', removed: true })
  await hosted.run('rejectTakedown', { id: second })
  expect(await hosted.run('listTakedowns', {})).toMatchObject([{ state: 'accepted' }, { state: 'rejected' }])
  expect(await hosted.hosted.catalog.record({ owner: 'acme', repo: 'widgets' })).toBeUndefined()
  expect(await hosted.hosted.optOuts.list()).toMatchObject([{ library: '/acme/widgets', by: 'operator' }])
  await expect(hosted.run('acceptTakedown', { id: 'none' })).rejects.toThrow('not_found')
})

test.each([
  ['nothing', {}],
  ['a library that is none', { ...request, library: 'widgets' }],
  ['no address', { ...request, contact: 'ann' }],
  ['an empty reason', { ...request, reason: ' \u200B' }],
  ['a reason of 5,000 characters', { ...request, reason: 'x'.repeat(5_000) }],
  ['an unknown field', { ...request, urgent: true }],
  ['a list', [request]],
])('a takedown request with %s is rejected and not stored', async (_, body) => {
  const before = await hosted.hosted.takedowns.list()
  expect((await send(body, '192.0.2.9')).status).toBe(400)
  expect(await hosted.hosted.takedowns.list()).toEqual(before)
})

test('a takedown request of 100 kB is rejected', async () => {
  expect((await send({ ...request, reason: 'x'.repeat(100_000) }, '192.0.2.9')).status).toBe(413)
})

test('an address may send five takedown requests a day', async () => {
  const statuses: number[] = []
  for (let i = 0; i < 6; i++) statuses.push((await send(request, '198.51.100.7')).status)
  expect(statuses).toEqual([202, 202, 202, 202, 202, 429])
  expect((await send(request, '198.51.100.8')).status).toBe(202)
})
