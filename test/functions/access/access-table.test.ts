import { afterAll, beforeAll, describe, expect, test } from 'vitest'
import { createServer } from '../../../functions/server.ts'
import { libraries, type Row, rows, unrouted } from './access-table.ts'
import { answerOf, callers, expected, jobEnded, type TableCallers, tableCallers } from './table-callers.ts'

let table: TableCallers
let hosted: TableCallers['hosted']

beforeAll(async () => {
  table = await tableCallers()
  hosted = table.hosted
})
afterAll(() => hosted.close())

async function answersTo(row: Row): Promise<Record<string, string>> {
  const answers: Record<string, string> = {}
  for (const caller of callers) {
    const response = await table.send(row, caller)
    await hosted.answers.check(row.method, row.path, response)
    if (!isPublicPage(row) || !response.ok) expect(response.headers.get('cache-control'), caller).toBe('private, no-store')
    expect(response.headers.get('www-authenticate'), caller).toBe(response.status === 401 ? 'Bearer realm="carrel"' : null)
    answers[caller] = await answerOf(response, row)
    if (row.path.endsWith('/refresh')) await Promise.all(Object.values(libraries).map((library) => jobEnded(hosted, library)))
  }
  return answers
}

describe('a route', () => {
  test.each(rows)('responds to each caller as the table defines: $route ($what)', async (row) => {
    expect(await answersTo(row)).toEqual(expected(row))
  })
})

describe('a HEAD request', () => {
  test.each(rows.filter(({ method, path }) => method === 'GET' && path !== '/mcp'))(
    'gets the status of GET and no body: $route ($what)',
    async (row) => {
      for (const caller of callers) {
        const [head, get] = [await table.send({ ...row, method: 'HEAD' }, caller), await table.send(row, caller)]
        expect([head.status, await head.text()], caller).toEqual([get.status, ''])
      }
    },
  )
})

/** A page that is the same for everybody, so that caches may share it. */
const isPublicPage = ({ path }: Row) => !/^\/(api\/|mcp$)/.test(path)

test.each(unrouted)('the path $method $path is no route: $what', async (row) => {
  expect(await answersTo(row)).toEqual(expected(row))
})

test('the table has every route of the server and every MCP tool', async () => {
  const routes = createServer(hosted.hosted)
    .routes.filter(({ method, path }) => method !== 'ALL' || path === '/mcp')
    .map(({ method, path }) => `${method} ${path}`)
  const list = await table.send(
    { method: 'POST', path: '/mcp', body: { jsonrpc: '2.0', id: 1, method: 'tools/list' } } as Row,
    'nobody',
  )
  const tools = [...(await list.text()).matchAll(/"name":"([\w-]+)"/g)].map(([, name]) => name)
  expect(tools).not.toEqual([])
  expect([...new Set([...routes, ...tools])].sort()).toEqual([...new Set(rows.map(({ route }) => route))].sort())
})
