import { deepEqual, equal, match, ok } from 'node:assert/strict'
import { mkdtempSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { Client } from '@modelcontextprotocol/sdk/client/index.js'
import { StreamableHTTPClientTransport } from '@modelcontextprotocol/sdk/client/streamableHttp.js'
import { exported } from '../fixtures/exported.ts'
import { startGitServer } from '../fixtures/git-server.ts'
import { page } from '../fixtures/page.ts'
import { startOpenai } from '../fixtures/providers/openai.ts'
import { until } from '../fixtures/until.ts'
import { api } from './api.ts'
import { answers, type Container, foreignAddresses, startContainer } from './container.ts'
import { largeLibrary } from './large-library.ts'
import { run } from './run.ts'
import { check } from './tally.ts'

export type Subject = { image: string; licenseKey: string; hasModel: boolean }

const url = 'http://127.0.0.1:3000'
const { call, json, signIn, isIdle } = api(url)
const password = 'a long password of the test'
const question = { libraryId: '/acme/door', query: 'how do I oil a hinge' }

/** The work of an operator with a container behind an air gap: from the first sign-in to a kill in the middle of an import. */
export async function onpremChecks({ image, licenseKey, hasModel }: Subject): Promise<void> {
  const folder = mkdtempSync(join(tmpdir(), 'carrel-image-'))
  const volume = `carrel-image-${process.pid}`
  const trace = (name: number | string) => join(folder, `trace-${name}`)
  const git = await startGitServer()
  await git.create('acme/door', { files: { 'README.md': page('Door', 'A hinge of a door is oiled with oilHinge.') } })
  const bundle = await exported(git.url, ['acme/door'])
  const provider = await startOpenai({ dimensions: 64, key: 'sk-provider', delayMs: 40 })
  let starts = 0
  let container: Container
  let key = ''

  const start = async () => {
    container = startContainer({
      image,
      name: `carrel-image-${process.pid}-${starts}`,
      env: { LICENSE_KEY: licenseKey, INITIAL_ADMIN_PASSWORD: 'the first password' },
      options: ['--read-only', '--read-only-tmpfs=false', '--tmpfs=/tmp', '--user=54321:54321', `--volume=${volume}:/data`],
      trace: trace(starts++),
    })
    console.log(`          answers ${(await answers(container, url)).toFixed(1)} s after its start`)
  }
  const asked = async (libraryId = question.libraryId, query = question.query) => {
    const answer = await call(`/api/v2/context?${new URLSearchParams({ libraryId, query })}`, 200)
    return { text: await answer.text(), retrievers: answer.headers.get('x-carrel-search') }
  }

  await check(
    'the record of connection attempts sees TCP and UDP that leave loopback, also of a command in the container',
    async () => {
      const tcp = "require('net').connect(443, '192.0.2.1').on('error', () => {})"
      const udp = "const socket = require('dgram').createSocket('udp4'); socket.send('x', 53, '192.0.2.2', () => socket.close())"
      const name = `carrel-leaves-${process.pid}`
      const leaving = startContainer({ image, name, options: ['--entrypoint=sleep'], command: ['30'], trace: trace('leaves') })
      await until(async () => (await leaving.exec('true')).code === 0)
      for (const program of [tcp, udp]) await leaving.exec('node', '-e', program)
      await leaving.end('KILL')
      const seen = foreignAddresses(trace('leaves')).foreign.join()
      for (const address of [/192\.0\.2\.1/, /192\.0\.2\.2/]) match(seen, address)
    },
  )
  await check('the server starts with a random UID and a read-only root', start)
  await check('the server listens on every address', async () => {
    equal((await fetch('http://127.0.0.2:3000/api/ready')).status, 200)
  })
  await check('the health check of the image succeeds', async () => {
    deepEqual((await container.checkHealth()).code, 0)
  })
  await check('the first user signs in and changes the credentials', async () => {
    const cookie = await signIn('admin', 'the first password')
    await call('/api/settings', 403, { cookie })
    const body = { currentPassword: 'the first password', username: 'root', password }
    await call('/api/account/credentials', 200, { method: 'POST', cookie, body })
    await signIn('root', password)
  })
  await check('carrel in the container creates a key and finds no failure', async () => {
    const made = await container.exec('carrel', 'keys', 'create', '--name', 'ops', '--role', 'admin')
    equal(made.code, 0, made.output)
    key = made.output.trim()
    const doctor = await container.exec('carrel', 'doctor')
    equal(doctor.code, 0, doctor.output)
  })
  if (hasModel)
    await check('an import is searched by the vectors of the model in the image, without any setting', async () => {
      const { embedding } = await json<{ embedding: { sentence: string } }>('/api/setup', { key })
      match(embedding.sentence, /^The model all-minilm-l6-v2 .* on this server, and no text leaves it/)
      const body = { libraries: [{ ...largeLibrary(40), project: '/acme/small' }] }
      await call('/api/import-libraries', 202, { method: 'POST', key, body })
      await until(() => isIdle(key))
      await until(async () => (await asked('/acme/small', 'which machine can raise heavy loads')).retrievers === 'hybrid')
    })
  await check('a bundle is imported and embedded by the provider', async () => {
    const settings = {
      'embedding.provider': 'custom',
      'embedding.baseUrl': provider.url,
      'embedding.model': 'hashes',
      'embedding.apiKey': 'sk-provider',
      'bundle.trustedKeys': bundle.bundleKey,
    }
    await call('/api/settings', 200, { method: 'PATCH', key, body: settings })
    const body = new FormData()
    body.append('bundleFile', new Blob([await bundle.zip()]), 'service-libraries.zip')
    await call('/api/import-libraries', 202, { method: 'POST', key, body })
    await until(() => isIdle(key))
    ok(provider.requests.some(({ path }) => path.endsWith('/embeddings')))
  })
  await check('REST and an MCP client get the answer', async () => {
    const { text, retrievers } = await asked()
    match(text, /oilHinge/)
    equal(retrievers, 'hybrid')
    const client = new Client({ name: 'test', version: '1' })
    await client.connect(new StreamableHTTPClientTransport(new URL(`${url}/mcp`)))
    match(JSON.stringify(await client.callTool({ name: 'query-docs', arguments: question })), /oilHinge/)
    await client.close()
  })
  await check('the web UI is served', async () => {
    match(await (await fetch(url, { headers: { accept: 'text/html' } })).text(), /<script type="module"/)
  })
  await check('it serves the setup of clients', async () => {
    match(await (await fetch(`${url}/cli.mjs`)).text(), /carrel-mcp/)
  })
  await check('carrel in the container makes a backup', async () => {
    const backup = await container.exec('carrel', 'backup', '/tmp/carrel.tar.zst')
    equal(backup.code, 0, backup.output)
    match(backup.output, /carrel\.tar\.zst/)
  })
  await check('after a restart it is still there', async () => {
    equal((await container.end('TERM')).code, 0)
    await start()
    match((await asked()).text, /oilHinge/)
  })
  await check('SIGTERM in the middle of a job ends the container within 10 s, and the job is queued again', async () => {
    await call('/api/import-libraries', 202, { method: 'POST', key, body: { libraries: [largeLibrary(4_000)] } })
    const before = provider.requests.length
    await until(() => provider.requests.length > before)
    const { code, seconds } = await container.end('TERM')
    console.log(`          it took ${seconds.toFixed(1)} s`)
    equal(code, 0)
    ok(seconds < 10)
    await start()
    const { activeParses } = await json<{ activeParses: object }>('/api/parse-status', { key })
    deepEqual(Object.keys(activeParses), ['/acme/large'])
  })
  await check('SIGKILL in the middle of an import, and the next start finishes it', async () => {
    const before = provider.requests.length
    await until(() => provider.requests.length > before)
    await container.end('KILL')
    await start()
    await until(() => isIdle(key), 300)
    const { jobs } = await json<{ jobs: { state: string; report: { snippetsAfter: number } }[] }>('/api/jobs', { key })
    deepEqual([jobs[0]?.state, jobs[0]?.report.snippetsAfter], ['done', 4_000])
    match((await asked('/acme/large', 'which lever turns wheel 1234')).text, /lever/)
  })
  await check('no connection attempt left loopback', async () => {
    equal((await container.end('TERM')).code, 0)
    const found = Array.from({ length: starts }, (_, n) => foreignAddresses(trace(n)))
    const attempts = found.reduce((sum, each) => sum + each.attempts, 0)
    console.log(`          ${attempts} attempts in ${starts} starts`)
    ok(attempts > 0, 'the trace is empty, so it proves nothing')
    deepEqual(
      found.flatMap(({ foreign }) => foreign),
      [],
    )
  })
  await Promise.all([bundle.close(), provider.close(), git.close()])
  run('podman', 'volume', 'rm', '--force', volume)
  rmSync(folder, { recursive: true })
}
