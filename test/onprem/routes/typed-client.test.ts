import { hc } from 'hono/client'
import { afterAll, beforeAll, expect, expectTypeOf, test } from 'vitest'
import type { AppType } from '../../../onprem/server.ts'
import type { TestInstall } from '../../fixtures/test-install.ts'
import { widgetsInstall } from '../../fixtures/widgets-install.ts'

let app: TestInstall
beforeAll(async () => {
  app = await widgetsInstall()
})
afterAll(() => app.close())

const client = () => hc<AppType>(app.url, { headers: { authorization: `Bearer ${app.keys.admin}` } }).api

test('a search returns typed libraries', async () => {
  const answer = await client().v2.libs.search.$get({ query: { libraryName: 'widgets' } })
  const { results } = await answer.json()
  expectTypeOf(results).items.toHaveProperty('totalTokens').toEqualTypeOf<number>()
  expect(results.map(({ id }) => id)).toEqual(['/acme/widgets'])
})

test('a context as JSON is typed, although the route also returns text', async () => {
  const query = { libraryId: '/acme/widgets', query: 'paint a widget', type: 'json' } as const
  const answer = await client().v2.context.$get({ query })
  const { codeSnippets } = await answer.json()
  expectTypeOf(codeSnippets).items.toHaveProperty('codeTitle').toEqualTypeOf<string>()
  expect(codeSnippets.map(({ codeTitle }) => codeTitle)).toContain('Paint a widget')
})

test('the list of jobs is typed, and its parameters are the text of a query', async () => {
  const answer = await client().jobs.$get({ query: { pageSize: '1' } })
  const { jobs, total } = await answer.json()
  expectTypeOf(total).toEqualTypeOf<number>()
  expectTypeOf(jobs).items.toHaveProperty('kind').toEqualTypeOf<'parse' | 'import' | 'reindex'>()
  expectTypeOf<Parameters<ReturnType<typeof client>['jobs']['$get']>[0]['query']>().toEqualTypeOf<{
    project?: string | undefined
    q?: string | undefined
    state?: string | undefined
    kind?: string | undefined
    sort?: 'newest' | 'queue' | undefined
    page?: string | undefined
    pageSize?: string | undefined
  }>()
  expect([jobs.length, jobs[0]?.project, total]).toEqual([1, '/acme/widgets', 1])
})

test('a library is requested by an id with slashes', async () => {
  const answer = await client().projects[':id{.+}'].$get({ param: { id: 'acme/widgets' } })
  const library = await answer.json()
  expectTypeOf(library).toHaveProperty('commit').toEqualTypeOf<string>()
  expect(library.id).toBe('/acme/widgets')
})

test('settings and users are changed with typed bodies', async () => {
  const changed = await client().settings.$patch({ json: { 'permissions.anonymousParse': true } })
  expect(await changed.json()).toMatchObject({ 'permissions.anonymousParse': true })
  const created = await client().users.$post({ json: { username: 'mia', password: 'a long password', role: 'member' } })
  const { id } = await created.json()
  expectTypeOf(id).toEqualTypeOf<string>()
  expect((await client().users[':id'].$delete({ param: { id } })).status).toBe(200)
})
