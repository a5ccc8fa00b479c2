import { Client as ModernClient, StreamableHTTPClientTransport as ModernTransport } from '@modelcontextprotocol/client'
import { Client } from '@modelcontextprotocol/sdk/client/index.js'
import { StreamableHTTPClientTransport } from '@modelcontextprotocol/sdk/client/streamableHttp.js'
import { Agent, buildConnector, fetch as fetchWith } from 'undici'
import { afterAll, beforeAll, describe, expect, test } from 'vitest'
import { lanceSnippets } from '../../shared/store/lance-snippets.ts'
import { freePort } from '../fixtures/free-port.ts'
import { snippetsOf } from '../fixtures/imports.ts'
import { publicCertificate, publicHost, type Site, startReverseProxy } from '../fixtures/reverse-proxy.ts'
import { cookiesOf } from '../fixtures/sign-in.ts'
import { type TestInstall, testInstall } from '../fixtures/test-install.ts'

const root = `https://${publicHost}`
const addresses = { root, keep: `${root}/docs`, strip: `${root}/docs` }
const info = { name: 'test', version: '1' }
const pair = { username: 'ada', password: 'a long password' }

/** Holds up every search in the content of a library. */
let held: PromiseWithResolvers<void> | undefined

const installs: Partial<Record<Site['example'], TestInstall>> = {}
const closing: { close(): Promise<unknown> }[] = []

async function open(publicUrl: string): Promise<TestInstall> {
  const install = await testInstall({
    env: { PUBLIC_URL: publicUrl },
    openSnippets(folder) {
      const store = lanceSnippets(folder)
      const search: typeof store.search = async (...asked) => {
        await held?.promise
        return store.search(...asked)
      }
      return { ...store, search }
    },
  })
  closing.push(install)
  install.app.users.create({ username: pair.username, role: 'admin', hash: await install.app.passwords.hash(pair.password) })
  return install
}

beforeAll(async () => {
  const below = await open(addresses.keep)
  Object.assign(installs, { root: await open(addresses.root), keep: below, strip: below })
})
afterAll(async () => {
  held?.resolve()
  await Promise.all(closing.map((each) => each.close()))
})

/** Requests to the public host, which reach a port of this machine. */
function visitor(port: number) {
  const connectTls = buildConnector({ ca: publicCertificate })
  const dispatcher = new Agent({
    connect: (options, callback) =>
      connectTls({ ...options, hostname: '127.0.0.1', host: '127.0.0.1', port: String(port), servername: publicHost }, callback),
  })
  closing.unshift(dispatcher)
  return ((url: string | URL, init?: object) => fetchWith(url, { ...init, dispatcher })) as unknown as typeof fetch
}

describe.each(['caddy', 'nginx'] as const)('a server behind %s with the examples of the documentation', (name) => {
  const sites: Partial<Record<Site['example'], ReturnType<typeof visitor>>> = {}

  beforeAll(async () => {
    const all: Site[] = []
    for (const example of ['root', 'keep', 'strip'] as const) {
      const port = await freePort()
      all.push({ example, port, serverPort: Number(new URL(installs[example]?.url ?? '').port) })
      sites[example] = visitor(port)
    }
    closing.unshift(await startReverseProxy(name, all))
  })

  describe.each(['root', 'keep', 'strip'] as const)('(%s)', (example) => {
    const address = addresses[example]
    const visit = (path: string, init?: RequestInit) => sites[example]?.(address + path, init) as Promise<Response>
    const json = { 'content-type': 'application/json' }

    test('accepts sign-ins with a Secure cookie and changes by them', async () => {
      const credentials = JSON.stringify(pair)
      const signIn = { method: 'POST', headers: { ...json, origin: root }, body: credentials }
      const signedIn = await visit('/api/auth/session/sign-in/username', signIn)
      const cookies = signedIn.headers.getSetCookie()
      expect(cookies[0]).toMatch(
        new RegExp(
          `^__${example === 'root' ? 'Host' : 'Secure'}-carrel\\.session_token=[^;]+; Max-Age=604800; Path=${new URL(address).pathname}; HttpOnly; Secure; `,
        ),
      )
      const create = (origin: string) =>
        visit('/api/keys', {
          method: 'POST',
          headers: { ...json, origin, cookie: cookiesOf(cookies) },
          body: JSON.stringify({ name: 'laptop' }),
        })
      expect([(await create(root)).status, (await create('https://evil.example')).status]).toEqual([201, 403])
    })

    test('names its public address in health and the API description, and offers no OAuth', async () => {
      expect(await (await visit('/api/health')).json()).toMatchObject({ publicUrl: address })
      expect(await (await visit('/api/openapi.json')).json()).toMatchObject({ servers: [{ url: `${address}/api` }] })
      const oauth = await visit('/.well-known/oauth-protected-resource')
      expect([oauth.status, await oauth.json()]).toEqual([404, expect.objectContaining({ error: 'not_found' })])
    })

    test('receives a large import, and agents of each protocol ask about it', async () => {
      const install = installs[example] as TestInstall
      const libraryId = `/${name}/${example}`
      const library = {
        project: libraryId,
        title: 'Levers',
        ...snippetsOf(`The lever of ${name} turns.`),
        padding: 'x'.repeat(3_000_000),
      }
      const imported = await visit('/api/import-libraries', {
        method: 'POST',
        headers: { ...json, authorization: `Bearer ${install.keys.member}` },
        body: JSON.stringify({ libraries: [library] }),
      })
      expect([imported.status, await imported.json()]).toMatchObject([202, { queued: [libraryId] }])
      const status = async () => (await visit('/api/parse-status')).json()
      await expect.poll(status).toEqual({ activeParses: {} })

      const url = new URL(`${address}/mcp`)
      const options = { fetch: sites[example] as typeof fetch }
      const question = { name: 'query-docs', arguments: { libraryId: libraryId, query: 'what turns' } }
      const old = new Client(info)
      await old.connect(new StreamableHTTPClientTransport(url, options))
      const modern = new ModernClient(info, { versionNegotiation: { mode: { pin: '2026-07-28' } } })
      await modern.connect(new ModernTransport(url, options))
      for (const answer of [await old.callTool(question), await modern.callTool(question)])
        expect(JSON.stringify(answer)).toContain(`The lever of ${name} turns.`)
      await Promise.all([old.close(), modern.close()])
    })

    test('sends the responses of /mcp while others are still being written', async () => {
      held = Promise.withResolvers()
      const call = (id: number, tool: string, args: object) => ({
        jsonrpc: '2.0',
        id,
        method: 'tools/call',
        params: { name: tool, arguments: args },
      })
      const batch = [
        call(1, 'resolve-library-id', { libraryName: 'levers', query: 'turn' }),
        call(2, 'query-docs', { libraryId: `/${name}/${example}`, query: 'what turns' }),
      ]
      const answer = await visit('/mcp', {
        method: 'POST',
        headers: { ...json, accept: 'application/json, text/event-stream' },
        body: JSON.stringify(batch),
      })
      const reader = (answer.body as ReadableStream<Uint8Array>).pipeThrough(new TextDecoderStream()).getReader()
      const first = (await reader.read()).value ?? ''
      expect([first.includes('"id":1'), first.includes('"id":2')]).toEqual([true, false])
      held.resolve()
      let rest = ''
      for (let piece = await reader.read(); !piece.done; piece = await reader.read()) rest += piece.value
      expect(rest).toContain('"id":2')
    })
  })
})
