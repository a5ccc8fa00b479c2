import { type ChildProcess, spawn } from 'node:child_process'
import { once } from 'node:events'
import { request } from 'node:http'
import { text } from 'node:stream/consumers'
import { Client, StreamableHTTPClientTransport } from '@modelcontextprotocol/client'
import { afterAll, beforeAll, expect, test } from 'vitest'
import { childEnv } from '../../../shared/system/child-env.ts'
import { type GitServer, startGitServer } from '../../fixtures/git-server.ts'
import { originSecret } from '../../fixtures/lambda-events.ts'
import { listening } from '../../fixtures/listening.ts'
import { startStage, type TestStage } from '../../fixtures/stage.ts'
import { until } from '../../fixtures/until.ts'

const root = new URL('../../..', import.meta.url).pathname
const headers = { 'x-origin-secret': originSecret }
let stage: TestStage
let git: GitServer
let service: ChildProcess
let url: string

beforeAll(async () => {
  ;[stage, git] = await Promise.all([startStage(), startGitServer()])
  Object.assign(process.env, stage.env, { GITHUB_BASE_URL: git.url })
  const { awsHosted, awsWorker } = await import('../../../functions/aws/stage-ports.ts')
  const { addLibrary } = await import('../../../functions/jobs/add-library.ts')
  const { workLibrary } = await import('../../../functions/worker/work-library.ts')
  await git.create('acme/widgets', { files: { 'README.md': '# Widgets\n\nTurn the lever of the widget.\n' } })
  await addLibrary(awsHosted(), { repoUrl: `${git.url}/acme/widgets`, isPrivate: false })
  expect(await workLibrary(awsWorker(), '/acme/widgets', new AbortController().signal)).toBe('finalized')
  service = spawn(process.execPath, ['functions/entries/service.ts'], {
    cwd: root,
    env: { PATH: process.env.PATH, ...childEnv(), ...stage.env, GITHUB_BASE_URL: git.url, HOST: '127.0.0.1', PORT: '0' },
    stdio: ['ignore', 'pipe', 'inherit'],
  })
  url = await listening(service)
}, 60_000)
afterAll(async () => {
  service?.kill('SIGKILL')
  await Promise.all([stage?.close(), git?.close()])
})

const ask = (path: string, init: RequestInit = {}) => fetch(url + path, { headers, ...init })
const lever = '/api/v2/context?libraryId=/acme/widgets&query=turn%20the%20lever'

test('the service answers searches, questions and MCP clients, many at a time', async () => {
  expect(await (await ask('/api/v2/libs/search?libraryName=widgets')).json()).toMatchObject({
    results: [{ id: '/acme/widgets' }],
  })
  const asked = await Promise.all(Array.from({ length: 20 }, async () => (await ask(lever)).text()))
  expect(new Set(asked)).toEqual(new Set([expect.stringContaining('Turn the lever of the widget.')]))
  const client = new Client({ name: 'test', version: '1' })
  await client.connect(new StreamableHTTPClientTransport(new URL(`${url}/mcp`), { requestInit: { headers } }))
  const called = await client.callTool({ name: 'query-docs', arguments: { libraryId: '/acme/widgets', query: 'turn the lever' } })
  expect(JSON.stringify(called.content)).toContain('Turn the lever of the widget.')
  await client.close()
})

test('the service rejects requests that did not come through the Router, except the health checks of its load balancer', async () => {
  expect((await fetch(url + lever)).status).toBe(403)
  expect((await fetch(`${url}/api/health`)).status).toBe(403)
  const alive = await fetch(`${url}/alive`)
  expect([alive.status, await alive.json()]).toEqual([200, { alive: true }])
})

test('a service that is stopped answers until its load balancer knows, ends its running requests, and exits', async () => {
  const accept = 'application/json, text/event-stream'
  const slow = request(`${url}/mcp`, { method: 'POST', headers: { ...headers, accept, 'content-type': 'application/json' } })
  const answered = once(slow, 'response')
  slow.write(' ')
  await ask('/api/health')
  const exited = once(service, 'exit')
  service.kill('SIGTERM')
  await until(async () => (await fetch(`${url}/alive`)).status === 503)
  expect((await ask(lever)).status).toBe(200)
  const isRefused = async () => {
    slow.write(' ')
    return fetch(`${url}/alive`).then(
      () => false,
      () => true,
    )
  }
  await until(isRefused, 20, 200)
  slow.end(JSON.stringify({ jsonrpc: '2.0', id: 1, method: 'ping' }))
  const [response] = await answered
  expect([response.statusCode, await text(response)]).toEqual([200, expect.stringContaining('"result":{}')])
  expect(await exited).toEqual([0, null])
}, 30_000)
