import { execFile } from 'node:child_process'
import type { AddressInfo } from 'node:net'
import { promisify } from 'node:util'
import { type ServerType, serve } from '@hono/node-server'
import { Hono } from 'hono'
import { afterAll, beforeAll, expect, test } from 'vitest'
import { mcpHandler } from '../../shared/mcp/server.ts'

const cli = new URL('../../node_modules/@modelcontextprotocol/conformance/dist/index.js', import.meta.url).pathname

let server: ServerType
let url: string

beforeAll(async () => {
  const mcp = mcpHandler({
    version: '1.2.3',
    searchLibraries: async () => ({ results: [], searchFilterApplied: false }),
    contextText: async () => 'documentation',
    onError: () => {},
  })
  const app = new Hono()
    .use(async (c, next) => (namesLoopback(c.req.raw.headers) ? next() : c.text('wrong host', 403)))
    .all('/mcp', (c) => mcp.fetch(c.req.raw))
  await new Promise<void>((listening) => {
    server = serve({ fetch: app.fetch, hostname: '127.0.0.1', port: 0 }, () => listening())
  })
  url = `http://127.0.0.1:${(server.address() as AddressInfo).port}/mcp`
})

afterAll(() => new Promise((closed) => server.close(closed)))

test.each(['server-initialize', 'ping', 'tools-list', 'prompts-list', 'resources-list', 'dns-rebinding-protection'])(
  'the public conformance suite of MCP is satisfied with %s',
  async (scenario) => {
    const { stdout } = await promisify(execFile)(process.execPath, [cli, 'server', '--url', url, '--scenario', scenario])
    expect(stdout).toMatch(/Passed: ([1-9]\d*)\/\1, 0 failed, 0 warnings/)
  },
)

function namesLoopback(headers: Headers): boolean {
  const names = [headers.get('host'), headers.get('origin')?.replace('http://', '')]
  return names.every((name) => name == null || /^(127\.0\.0\.1|localhost)(:\d+)?$/.test(name))
}
