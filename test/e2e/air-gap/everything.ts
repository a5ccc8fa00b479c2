import { deepEqual, equal, match, ok } from 'node:assert/strict'
import { mkdtemp, rm } from 'node:fs/promises'
import { networkInterfaces, tmpdir } from 'node:os'
import { join } from 'node:path'
import { Client } from '@modelcontextprotocol/sdk/client/index.js'
import { StreamableHTTPClientTransport } from '@modelcontextprotocol/sdk/client/streamableHttp.js'
import { readConfig } from '../../../onprem/config.ts'
import { startInstall } from '../../../onprem/install.ts'
import { exported } from '../../fixtures/exported.ts'
import { startGitServer } from '../../fixtures/git-server.ts'
import { page } from '../../fixtures/page.ts'
import { startOpenai } from '../../fixtures/providers/openai.ts'
import { silentLog } from '../../fixtures/silent-log.ts'
import { until } from '../../fixtures/until.ts'

/**
 * Does all work of an operator behind an air gap, in one process on loopback. Prints each completed step and fails at the first
 * error.
 */
const report = (step: string) => console.log(step)
const password = 'a long password of the test'

report(`interfaces: ${Object.keys(networkInterfaces()).join(', ')}`)

const git = await startGitServer()
const docs = (name: string) => ({
  files: {
    'README.md': page(name, `${name} is a library that opens doors of all kinds.`, `Install ${name} before anything else.`),
    'docs/hinge.md': page('Hinges', `Oil a hinge of ${name} with oilHinge.`, `A squeaking hinge of ${name} wants grease.`),
  },
})
for (const repo of ['acme/json', 'acme/zip', 'acme/local']) await git.create(repo, docs(repo.slice(5)))
const from = await exported(git.url, ['acme/json'])
const zipped = await exported(git.url, ['acme/zip'])
const provider = await startOpenai({ dimensions: 64, key: 'sk-provider' })
const dataDir = await mkdtemp(join(tmpdir(), 'carrel-air-gap-'))
const { url, stop } = await startInstall(readConfig({ PORT: '0', DATA_DIR: dataDir }), { PATH: process.env.PATH }, silentLog)

type Queued = { queued: string[] }
type Sent = { method?: string; body?: unknown; cookie?: string; key?: string }
async function call(path: string, status: number, { method = 'GET', body, cookie, key }: Sent = {}) {
  const isForm = body instanceof FormData
  const headers = {
    ...(cookie && { cookie, origin: url }),
    ...(key && { authorization: `Bearer ${key}` }),
    ...(body !== undefined && !isForm && { 'content-type': 'application/json' }),
  }
  const text = isForm || typeof body === 'string' ? body : JSON.stringify(body)
  const answer = await fetch(url + path, { method, headers, ...(body === undefined ? {} : { body: text }) })
  equal(answer.status, status, `${method} ${path}: ${answer.status} ${answer.ok ? '' : await answer.clone().text()}`)
  return answer
}
const signIn = async (username: string, secret: string) => {
  const body = { username, password: secret }
  const answer = await call('/api/auth/session/sign-in/username', 200, { method: 'POST', body })
  return answer.headers
    .getSetCookie()
    .map((each) => each.split(';', 1)[0])
    .join('; ')
}
const idle = async (cookie: string) =>
  until(async () => {
    const { activeParses } = (await (await call('/api/parse-status', 200, { cookie })).json()) as { activeParses: object }
    return Object.keys(activeParses).length === 0
  })
const jobs = async (cookie: string) => {
  const { jobs } = (await (await call('/api/jobs', 200, { cookie })).json()) as { jobs: { kind: string; state: string }[] }
  return jobs.map(({ kind, state }) => `${kind} ${state}`)
}

const first = await signIn('admin', 'admin')
await call('/api/settings', 403, { cookie: first })
const credentials = { currentPassword: 'admin', username: 'root', password }
await call('/api/account/credentials', 200, { method: 'POST', cookie: first, body: credentials })
const admin = await signIn('root', password)
report('the initial credentials are changed')

const settings = {
  'github.baseUrl': git.url,
  'embedding.provider': 'custom',
  'embedding.baseUrl': provider.url,
  'embedding.model': 'hashes',
  'embedding.apiKey': 'sk-provider',
  'bundle.trustedKeys': zipped.bundleKey,
}
const tested = await (await call('/api/settings/test', 200, { method: 'POST', cookie: admin, body: settings })).json()
ok((tested as { embedding: { ok: boolean } }).embedding.ok, JSON.stringify(tested))
await call('/api/settings', 200, { method: 'PATCH', cookie: admin, body: settings })
report('the settings are tested and saved')

const handedOut = 'a password that the admin knows'
await call('/api/users', 201, { method: 'POST', cookie: admin, body: { username: 'mia', password: handedOut, role: 'member' } })
const invited = await signIn('mia', handedOut)
await call('/api/account/credentials', 200, { method: 'POST', cookie: invited, body: { username: 'mia', password } })
const mia = await signIn('mia', password)
const made = (await (await call('/api/keys', 201, { method: 'POST', cookie: mia, body: { name: 'laptop' } })).json()) as {
  key: string
}
report('a member has a key')

const json = await call('/api/import-libraries', 202, {
  method: 'POST',
  key: made.key,
  body: await (await from.json('acme/json')).text(),
})
deepEqual(((await json.json()) as Queued).queued, ['/acme/json'])
const form = new FormData()
form.append('bundleFile', new Blob([await zipped.zip()]), 'service-libraries.zip')
const zip = await call('/api/import-libraries', 202, { method: 'POST', key: made.key, body: form })
deepEqual(((await zip.json()) as Queued).queued, ['/acme/zip'])
await idle(admin)
deepEqual((await jobs(admin)).sort(), ['import done', 'import done', 'reindex done', 'reindex done'])
report('the member imported a JSON bundle and a zip')

const client = new Client({ name: 'test', version: '1' })
await client.connect(new StreamableHTTPClientTransport(new URL(`${url}/mcp`)))
for (const library of ['json', 'zip']) {
  const query = new URLSearchParams({ libraryId: `/acme/${library}`, query: 'how do I oil a hinge' })
  const answer = await call(`/api/v2/context?${query}`, 200)
  equal(answer.headers.get('x-carrel-search'), 'hybrid')
  match(await answer.text(), /oilHinge/)
  const tool = { name: 'query-docs', arguments: { libraryId: `/acme/${library}`, query: 'how do I oil a hinge' } }
  match(JSON.stringify(await client.callTool(tool)), /oilHinge/)
  const imported = (await (await call(`/api/projects/acme/${library}`, 200)).json()) as { imported: boolean }
  ok(imported.imported)
  await call(`/api/projects/acme/${library}/refresh`, 400, { method: 'POST', key: made.key })
}
await client.close()
report('the imported libraries answer with hybrid search, over REST and MCP')

await call('/api/parse', 202, { method: 'POST', key: made.key, body: { repoUrl: `${git.url}/acme/local` } })
await idle(admin)
const found = (await (await call('/api/v2/libs/search?libraryName=local&query=hinge', 200)).json()) as {
  results: { id: string }[]
}
equal(found.results[0]?.id, '/acme/local')
report('a parsed library answers too')

await call('/api/settings', 200, { method: 'PATCH', cookie: admin, body: { 'embedding.model': 'other hashes' } })
const queued = (await (await call('/api/reindex', 202, { method: 'POST', cookie: admin })).json()) as Queued
deepEqual(queued.queued.sort(), ['/acme/json', '/acme/local', '/acme/zip'])
await idle(admin)
const asked = new URLSearchParams({ libraryId: '/acme/zip', query: 'squeaking hinge' })
equal((await call(`/api/v2/context?${asked}`, 200)).headers.get('x-carrel-search'), 'hybrid')
report('all libraries have vectors of another model after a re-index')

await until(async () => {
  const answer = await call('/api/v2/libs/metrics?libraryId=/acme/zip', 200, { key: made.key })
  const { total } = (await answer.json()) as { total: { txt: number; mcp: number } }
  return total.txt === 2 && total.mcp === 1
}, 10)
await call('/api/v2/policies', 200, { cookie: admin })
const bundle = await call('/api/support-bundle', 200, { cookie: admin })
ok((await bundle.arrayBuffer()).byteLength > 500)
report('metrics, policies and the support bundle are served')

await stop()
await Promise.all([from.close(), zipped.close(), provider.close(), git.close()])
await rm(dataDir, { recursive: true, force: true })
