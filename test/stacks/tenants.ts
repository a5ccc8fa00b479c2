import { afterAll, beforeAll, beforeEach, describe, expect, test } from 'vitest'
import { type TestHosted, testHosted } from '../fixtures/test-hosted.ts'
import { type Edge, startRouter } from './edge.ts'
import type { Stages } from './stage.ts'

const keyHeaders = [
  'authorization',
  'x-carrel-api-key',
  'x-context7-api-key',
  'context7-api-key',
  'x-api-key',
  'context7_api_key',
  'x_api_key',
]
const question = 'How do I turn the lever?'
const search = `/api/v2/libs/search?${new URLSearchParams({ libraryName: 'secret' })}`
const contextOf = (libraryId: string) => `/api/v2/context?${new URLSearchParams({ libraryId, query: question })}`

export const tenantTests = (stages: () => Stages) => {
  describe('tenants behind one CloudFront', () => {
    let hosted: TestHosted
    let edge: Edge
    const keys: Record<string, string> = {}

    beforeAll(async () => {
      hosted = await testHosted()
      for (const tenant of ['acme', 'rival']) {
        keys[tenant] = (await hosted.keyOf(tenant)).key
        await hosted.git.create(`${tenant}/secret`, { files: { 'README.md': `# Secret\n\nTurn the lever of ${tenant}.\n` } })
        await hosted.add(`${tenant}/secret`, { private: true, teamspace: tenant })
      }
    })
    beforeEach(async () => {
      edge = await startRouter(stages().production, hosted.hosted)
      return () => edge.close()
    })
    afterAll(() => hosted.close())

    const get = async (path: string, headers: Record<string, string> = {}) => {
      const answer = await fetch(edge.url + path, { headers })
      return { status: answer.status, headers: answer.headers, body: await answer.text() }
    }
    const as = (tenant: string, header: string) => ({
      [header]: header === 'authorization' ? `Bearer ${keys[tenant]}` : `${keys[tenant]}`,
    })

    test('Authorization of another scheme does not hide a key in another header', async () => {
      const answer = await get(search, { authorization: 'Basic dXNlcjpwYXNz', ...as('acme', 'x-api-key') })
      expect([answer.status, answer.body]).toEqual([200, expect.stringContaining('/acme/secret')])
    })

    test.each(keyHeaders)('concurrent questions with a key in %s each get the response for their own key', async (header) => {
      edge.gather(3)
      const found = await Promise.all([get(search, as('acme', header)), get(search, as('rival', header)), get(search)])
      expect(found.map(({ body }) => ['acme', 'rival'].filter((tenant) => body.includes(`/${tenant}/secret`)))).toEqual([
        ['acme'],
        ['rival'],
        [],
      ])
      edge.gather(3)
      const path = contextOf('/acme/secret')
      const contexts = await Promise.all([get(path, as('acme', header)), get(path, as('rival', header)), get(path)])
      expect(contexts.map(({ status, body }) => [status, body.includes('lever of acme')])).toEqual([
        [200, true],
        [404, false],
        [404, false],
      ])
    })

    test('a public page is shared without what a key opens, and the next caller does not reach a function', async () => {
      await hosted.git.create('public/docs', { files: { 'README.md': '# Docs\n\nTurn the lever.\n' } })
      await hosted.add('public/docs')
      await expect.poll(async () => (await hosted.get('/public/docs')).status).toBe(200)
      for (const path of ['/', '/public/docs', '/?q=secret', '/badge/public/docs.svg', '/sitemap.xml']) {
        const own = await get(path, as('acme', 'authorization'))
        expect([own.status, own.body.includes('acme/secret')]).toEqual([200, false])
        const first = await get(path)
        const { forwarded } = edge
        expect(await get(path)).toMatchObject({ status: 200, body: first.body })
        expect(edge.forwarded).toBe(forwarded)
      }
      for (const path of ['/public/docs?q=lever', '/public/docs/llms.txt', '/acme/secret']) {
        await get(path, as('acme', 'authorization'))
        const { forwarded } = edge
        expect((await get(path)).body).not.toContain('lever of acme')
        expect((await get(path)).status).toBe(path === '/acme/secret' ? 404 : 200)
        expect(edge.forwarded).toBe(forwarded + 2)
      }
    })

    test.each(keyHeaders)('an error for one caller with a key in %s is not sent to the next', async (header) => {
      for (const path of [contextOf('/acme/secret'), contextOf('/acme/secret@v9')]) {
        const unknown = await get(path)
        expect([unknown.status, JSON.parse(unknown.body).error]).toEqual([404, 'library_not_found'])
        const own = await get(path, as('acme', header))
        expect(own.body).toContain(path.includes('v9') ? 'has no version' : 'lever of acme')
        const strange = await get(path, as('rival', header))
        expect(strange.body).toBe(unknown.body)
        expect((await get(path)).body).toBe(unknown.body)
      }
    })

    test('the same key in several headers is that key', async () => {
      const all = Object.assign({}, ...keyHeaders.map((header) => as('acme', header)))
      expect((await get(contextOf('/acme/secret'), all)).status).toBe(200)
    })

    test.each(keyHeaders.slice(1))(
      'another key in %s than in Authorization is 400 before any function is called',
      async (header) => {
        const answer = await get(search, { ...as('rival', 'authorization'), ...as('acme', header) })
        expect(answer.status).toBe(400)
        expect(JSON.parse(answer.body)).toMatchObject({
          error: 'validation_error',
          message: expect.stringContaining('different keys'),
        })
        expect(answer.headers.get('cache-control')).toBe('private, no-store')
        expect(answer.headers.get('access-control-allow-origin')).toBe('*')
        const mcp = await fetch(`${edge.url}/mcp`, {
          method: 'POST',
          headers: { ...as('rival', 'authorization'), ...as('acme', header) },
        })
        expect(await mcp.json()).toMatchObject({
          jsonrpc: '2.0',
          id: null,
          error: { message: expect.stringContaining('different keys') },
        })
        expect(edge.forwarded).toBe(0)
      },
    )
  })
}
