import { hc } from 'hono/client'
import { afterAll, beforeAll, expect, expectTypeOf, test } from 'vitest'
import type { AppType } from '../../../functions/server.ts'
import { type TestHosted, testHosted } from '../../fixtures/test-hosted.ts'

let hosted: TestHosted
beforeAll(async () => {
  hosted = await testHosted()
  await hosted.git.create('acme/docs', { files: { 'README.md': '# Docs\n\nTurn the lever.\n\n```sh\nlever\n```\n' } })
  expect(await hosted.add('acme/docs')).toMatchObject({ state: 'finalized' })
})
afterAll(() => hosted.close())

const client = (key?: string) =>
  hc<AppType>(hosted.url, key === undefined ? {} : { headers: { authorization: `Bearer ${key}` } }).api

test('a search returns typed libraries', async () => {
  const answer = await client().v2.libs.search.$get({ query: { libraryName: 'docs' } })
  const { results } = await answer.json()
  expectTypeOf(results).items.toHaveProperty('versions').toEqualTypeOf<string[]>()
  expect(results.map(({ id }) => id)).toEqual(['/acme/docs'])
})

test('a context as JSON is typed, although the route also returns text', async () => {
  const query = { libraryId: '/acme/docs', query: 'turn the lever', type: 'json' } as const
  const answer = await client().v2.context.$get({ query })
  const { codeSnippets, infoSnippets } = await answer.json()
  expectTypeOf(codeSnippets).items.toHaveProperty('rank').toEqualTypeOf<number>()
  expect([...codeSnippets, ...infoSnippets]).toMatchObject([{ rank: 1 }])
})

test('the usage of a library is typed', async () => {
  const { key } = await hosted.keyOf('Acme')
  await hosted.run('own', { library: '/acme/docs', teamspace: 'Acme' })
  const answer = await client(key).v2.libs.metrics.$get({ query: { libraryId: '/acme/docs' } })
  const { total, topics } = await answer.json()
  expectTypeOf(total).toHaveProperty('txt').toEqualTypeOf<number>()
  expectTypeOf(topics).items.toHaveProperty('topic').toEqualTypeOf<string>()
  expect(total).toMatchObject({ page: expect.any(Number), mcp: 0 })
})

test('a refresh takes a typed body', async () => {
  const { key } = await hosted.keyOf('Acme')
  const answer = await client(key).v1.refresh.$post({ json: { libraryName: '/acme/docs' } })
  const { message } = await answer.json()
  expectTypeOf(message).toEqualTypeOf<string>()
  expect(message).toContain('/acme/docs')
})
