import { mkdtempSync, readFileSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { Readable } from 'node:stream'
import { brotliDecompressSync, gunzipSync } from 'node:zlib'
import { DeleteCommand, GetCommand, PutCommand, ScanCommand } from '@aws-sdk/lib-dynamodb'
import type { APIGatewayProxyStructuredResultV2 } from 'aws-lambda'
import JSZip from 'jszip'
import { afterAll, beforeAll, describe, expect, test, vi } from 'vitest'
import { adminOperations } from '../../functions/admin/admin-operations.ts'
import { bundleStatus, startBundle } from '../../functions/bundles/bundle-status.ts'
import { runSmoke } from '../../functions/cli/smoke/run-smoke.ts'
import { smokeApi } from '../../functions/cli/smoke/smoke-api.ts'
import { smokeSteps } from '../../functions/cli/smoke/smoke-steps.ts'
import { replay } from '../../functions/counting/replay.ts'
import type { Hosted } from '../../functions/hosted.ts'
import { type DevIssuer, startDevIssuer } from '../../functions/local/dev-issuer.ts'
import { verifyManifest } from '../../shared/bundle/manifest.ts'
import { makeKeyPair } from '../../shared/keys/key-pair.ts'
import { signLicense } from '../../shared/keys/license.ts'
import { type GitServer, startGitServer } from '../fixtures/git-server.ts'
import { gatewayEvent, kinesisRecord, logsEvent } from '../fixtures/lambda-events.ts'
import { startStage, type TestStage } from '../fixtures/stage.ts'
import { usageEvent } from '../fixtures/usage.ts'
import { type BuiltLambda, buildLambdas, sstBuildMissing } from './build-lambdas.ts'
import { dashboardBrowser } from './dashboard-browser.ts'
import { root } from './evaluate-stage.ts'
import { linkedValues, type RunningStage, runStage } from './run-stage.ts'
import { secrets } from './stage.ts'
import { writeLinks } from './start-lambda.ts'

const missing = sstBuildMissing()
const dashboardUrl = 'https://app.example.com'
const screeningData = ['data/classifier.bin', 'data/classifier.json']
const searchData = ['data/lexicon.json', 'data/model.json', 'data/vectors.i8', 'data/weights.f32']
const pageFiles = [
  ...['assets/pages.css', 'assets/pages.js'],
  ...['fonts/fonts.css', 'fonts/inter-basic.woff2', 'fonts/jetbrains-mono-basic.woff2', 'public/icon.svg', 'theme.css'],
]
const texts = ['privacy.md', 'terms.md']
/** The dashboard never reads the program and the texts that it knows of. */
const filesOf: Record<string, string[]> = {
  Api: [...pageFiles, 'cli.mjs', ...screeningData, ...searchData, ...texts].sort(),
  Dashboard: ['cli.mjs', ...screeningData, ...searchData, ...texts, 'web/'],
  Export: screeningData,
}
const functions = ['Api', 'Dashboard', 'Export', 'Bundle', 'StartWorker', 'ApplyUsage', 'ReplayUsage', 'Schedule', 'Checks']

describe.skipIf(missing)(`the functions as SST builds them${missing ? `: ${missing}` : ''}`, () => {
  const folder = mkdtempSync(join(tmpdir(), 'carrel-tasks-'))
  const [license, bundle] = [makeKeyPair(), makeKeyPair()]
  let stage: TestStage
  let git: GitServer
  let issuer: DevIssuer
  let lambdas: BuiltLambda[]
  let running: RunningStage
  let hosted: Hosted

  beforeAll(async () => {
    issuer = await startDevIssuer({ port: 0, redirectUri: `${dashboardUrl}/auth/callback` })
    const { issuer: address, clientId, clientSecret } = issuer
    const signIn = { issuer: address, clientId, clientSecret, url: dashboardUrl }
    ;[stage, git, lambdas] = await Promise.all([
      startStage({ licenseKey: license.publicPem, bundleKey: bundle.privatePem, signIn }),
      startGitServer(),
      buildLambdas(folder, secrets),
    ])
    running = await runStage({ stage, lambdas, env: { GITHUB_BASE_URL: git.url } })
    // The operator, who runs commands with "sst shell".
    Object.assign(process.env, stage.env, running.env, { GITHUB_BASE_URL: git.url })
    hosted = (await import('../../functions/aws/stage-ports.ts')).awsHosted()
  }, 400_000)
  afterAll(async () => {
    await running?.close()
    await Promise.all([stage?.close(), git?.close(), issuer?.close()])
    rmSync(folder, { recursive: true, force: true })
  })

  const builtAs = (name: string): BuiltLambda => {
    const built = lambdas.find((each) => each.name === name)
    if (!built) throw new Error(`There is no Lambda ${name}.`)
    return built
  }
  /** Runs a command of the operator. */
  async function operate<Answer>(name: string, input: unknown): Promise<Answer> {
    const operation = adminOperations.get(name)
    return operation?.run(hosted, operation.input.parse(input) as never, 'operator') as Promise<Answer>
  }
  const offlineLicense = () =>
    signLicense({ id: 'l', customer: 'Example', kind: 'offline', expiresAt: '2099-01-01T00:00:00.000Z' }, license.privatePem)
  const bundleOf = (name: string) => readFileSync(join(builtAs(name).folder, 'bundle.mjs'), 'utf8')

  test.each(functions)(
    '%s is minified, reads only files that are tested below, and has LanceDB only if it is to read snippets',
    (name) => {
      const text = bundleOf(name)
      const reads = [...text.matchAll(/new URL\(["'`]\.\/([^"'`]+)["'`],import\.meta\.url\)/g)].map(([, path]) => path).sort()
      expect(reads).toEqual(filesOf[name] ?? [])
      expect(/["'`]@lancedb\/lancedb["'`]/.test(text)).toBe(['Api', 'Dashboard', 'Export', 'Bundle', 'Schedule'].includes(name))
      expect(text.length / text.split('\n').length).toBeGreaterThan(200)
    },
  )

  test.each(['Api', 'Dashboard', 'Export'])('%s loads LanceDB before its first event', async (name) => {
    const { pid } = await running.lambda(name)
    expect(readFileSync(`/proc/${pid}/maps`, 'utf8')).toContain('lancedb.linux-')
  })

  test('take a library from its addition to its counters', async () => {
    await git.create('acme/widgets', {
      files: {
        'README.md': '# Widgets\n\nTurn the lever of the widget.\n',
        // A rule with a character that may encode something is judged by the classifier.
        'carrel.json': JSON.stringify({ rules: ['Use a resistor of 10 k\u2126.'] }),
      },
    })
    await operate('createTeamspace', { name: 'acme', plan: 'team' })
    const { key } = await operate<{ key: string }>('createKey', { teamspace: 'acme' })
    const steps = smokeSteps({
      baseUrl: running.url,
      key,
      license: await offlineLicense(),
      repoUrl: `${git.url}/acme/widgets`,
      platform: 'github',
      api: smokeApi(running.url, key),
    })
    const results = await runSmoke(steps, async ({ step }) => {
      if (step === 'search') await operate('own', { library: '/acme/widgets', teamspace: 'acme' })
    })
    expect(results.filter(({ state }) => state !== 'passed')).toEqual([])
  })

  test('name the request of a caller in the logs of the API, the starter and the worker, by the id of its response', async () => {
    await git.commit('acme/widgets', { files: { 'more.md': '# More\n\nPull the rope.\n' } })
    const { key } = await operate<{ key: string }>('createKey', { teamspace: 'acme' })
    const headers = { authorization: `Bearer ${key}`, 'content-type': 'application/json' }
    const body = JSON.stringify({ libraryName: '/acme/widgets' })
    const response = await fetch(`${running.url}/api/v1/refresh`, { method: 'POST', headers, body })
    expect(response.status).toBe(200)
    const id = response.headers.get('x-request-id')
    // The access log of API Gateway has this id.
    expect(id).toBe(response.headers.get('apigw-requestid'))
    const messages = (lines: Record<string, unknown>[]) => lines.filter(({ request }) => request === id).map(({ msg }) => msg)
    await vi.waitFor(() => expect(messages(running.workerLog)).toContain('job'), 60_000)
    const [api, starter] = await Promise.all(['Api', 'StartWorker'].map(async (name) => (await running.lambda(name)).log()))
    expect(messages(api ?? [])).toEqual(['request'])
    expect(messages(starter ?? [])).toEqual(['a worker was started'])
  })

  test.each(['turn the lever', 'wie kann ich den Hebel von Widgets in der Dokumentation benutzen'])(
    'return a snippet for "%s"',
    async (question) => {
      const query = new URLSearchParams({ libraryId: '/acme/widgets', query: question })
      const response = await fetch(`${running.url}/api/v2/context?${query}`)
      expect([response.status, await response.text()]).toEqual([200, expect.stringContaining('Turn the lever of the widget.')])
    },
  )

  test('list the pages of a library, and read one', async () => {
    const pages = `${running.url}/api/v2/libs/acme/widgets/pages`
    const answers = await Promise.all([pages, `${pages}/README.md`].map((url) => fetch(url)))
    expect(await Promise.all(answers.map(async (answer) => [answer.status, await answer.text()]))).toEqual([
      [200, expect.stringContaining('README.md')],
      [200, expect.stringContaining('Turn the lever of the widget.')],
    ])
  })

  test('sign a person in, and out, with the cookies that a browser sends', async () => {
    const { request, signIn } = dashboardBrowser(dashboardUrl, async (event) => (await running.lambda('Dashboard')).invoke(event))
    expect((await request('GET', '/api/session', [])).status).toBe(401)
    const cookies = await signIn('owner')
    const { status, body } = await request('POST', '/api/teamspaces', cookies, { name: 'Built' })
    expect([status, body.role]).toEqual([201, 'owner'])
    expect((await request('GET', '/api/session', cookies)).body).toMatchObject({ teamspaces: [{ name: 'Built' }] })
    await request('POST', '/auth/sign-out', cookies)
    expect((await request('GET', '/api/session', cookies)).status).toBe(401)
  })

  test('send the page of the dashboard, and its files as a browser accepts them', async () => {
    const { invoke } = await running.lambda('Dashboard')
    const ask = (path: string, headers: Record<string, string>) =>
      invoke<APIGatewayProxyStructuredResultV2>(gatewayEvent('GET', path, headers))
    const page = await ask('/', { accept: 'text/html' })
    expect([page.statusCode, page.isBase64Encoded, page.headers]).toMatchObject([
      200,
      false,
      { 'cache-control': 'no-store', 'content-security-policy': expect.stringContaining("default-src 'none'") },
    ])
    const [, script = ''] = /<script[^>]* src="(\/assets\/[^"]+)"/.exec(page.body ?? '') ?? []
    const file = await ask(script, { 'accept-encoding': 'gzip, br' })
    expect([file.statusCode, file.isBase64Encoded, file.headers]).toMatchObject([
      200,
      true,
      {
        'cache-control': expect.stringContaining('immutable'),
        'content-encoding': 'br',
        'content-type': expect.stringContaining('text/javascript'),
      },
    ])
    const text = brotliDecompressSync(Buffer.from(file.body ?? '', 'base64')).toString()
    expect(text).toBe((await ask(script, {})).body)
    expect(await ask('/assets/missing.js', {})).toMatchObject({
      statusCode: 404,
      headers: { 'cache-control': 'private, no-store' },
    })
  })

  test('answer a question of a member with the files next to the dashboard', async () => {
    const { request, signIn } = dashboardBrowser(dashboardUrl, async (event) => (await running.lambda('Dashboard')).invoke(event))
    const cookies = await signIn('admin')
    const { user } = (await request('GET', '/api/session', cookies)).body as unknown as { user: { id: string } }
    const { id = '' } = (await hosted.teamspaces.find('acme')) ?? {}
    await hosted.teamspaces.addMember(id, user.id, 'developer')
    const answer = await request('GET', `/api/teamspaces/${id}/libraries/acme/widgets/ask?query=lever`, cookies)
    expect([answer.status, JSON.stringify(answer.body)]).toEqual([200, expect.stringContaining('Turn the lever')])
  })

  test.each([
    ['br', brotliDecompressSync],
    ['gzip', gunzipSync],
  ])('compress an answer with %s, which API Gateway decodes from Base64', async (encoding, decompress) => {
    const { invoke } = await running.lambda('Api')
    const asked = (headers: Record<string, string>) =>
      invoke<APIGatewayProxyStructuredResultV2>(gatewayEvent('GET', '/api/openapi.json', headers))
    const [plain, packed] = [await asked({}), await asked({ 'accept-encoding': encoding })]
    expect([plain.isBase64Encoded, plain.headers?.['content-encoding']]).toEqual([false, undefined])
    expect([packed.isBase64Encoded, packed.headers?.['content-encoding']]).toEqual([true, encoding])
    expect(decompress(Buffer.from(packed.body ?? '', 'base64')).toString()).toBe(plain.body)
  })

  test('serve the setup of AI clients', async () => {
    const response = await fetch(`${running.url}/cli.mjs`)
    expect([response.status, await response.text()]).toEqual([200, readFileSync(join(root, 'onprem/web/dist/cli.mjs'), 'utf8')])
  })

  test.each([
    ['/', 'text/html', 'Widgets'],
    ['/acme/widgets', 'text/html', 'README.md'],
    ['/acme/widgets?page=README.md', 'text/html', 'Turn the lever of the widget.'],
    ['/acme/widgets?q=lever', 'text/html', 'Turn the lever of the widget.'],
    ['/acme/widgets/llms.txt', 'text/plain', '# Widgets'],
    ['/badge/acme/widgets.svg', 'image/svg+xml', 'Widgets'],
    ['/sitemap.xml', 'application/xml', '/acme/widgets</loc>'],
    ['/terms', 'text/html', '<h1>Terms</h1>'],
    ['/privacy', 'text/html', '<h1>Privacy</h1>'],
    ['/robots.txt', 'text/plain', 'Sitemap: https://docs.example.com/sitemap.xml'],
    ['/assets/pages.css', 'text/css', 'prefers-color-scheme: dark'],
    ['/assets/pages.js', 'text/javascript', 'sendBeacon'],
    ['/assets/icon.svg', 'image/svg+xml', '<svg'],
    ['/assets/inter-basic.woff2', 'font/woff2', 'wOF2'],
    ['/assets/jetbrains-mono-basic.woff2', 'font/woff2', 'wOF2'],
  ])('serve the public page %s', async (path, type, content) => {
    const response = await fetch(running.url + path)
    expect([response.status, response.headers.get('content-type'), await response.text()]).toEqual([
      200,
      expect.stringContaining(type),
      expect.stringContaining(content),
    ])
  })

  test('store a takedown request that a form sends', async () => {
    const form = { library: '/acme/widgets', reason: 'It is mine.', contact: 'ann@example.com' }
    const response = await fetch(`${running.url}/takedown`, { method: 'POST', body: new URLSearchParams(form) })
    expect([response.status, await response.text()]).toEqual([202, expect.stringContaining('The operator decides')])
    expect(await operate('listTakedowns', {})).toMatchObject([{ ...form, state: 'open' }])
  })

  test('build a signed zip that S3 serves', async () => {
    const { id } = await startBundle(hosted, ['/acme/widgets'])
    const url = await vi.waitFor(async () => {
      const status = await bundleStatus(hosted, id)
      if (status.state !== 'built') throw new Error(JSON.stringify(status))
      return status.url
    }, 60_000)
    const zip = await JSZip.loadAsync(await (await fetch(url)).arrayBuffer())
    const manifest = (await zip.file('manifest.json')?.async('string')) ?? ''
    expect(await verifyManifest(manifest, [bundle.publicPem])).toMatchObject({
      signature: 'valid',
      manifest: { libraries: [{ project: '/acme/widgets' }] },
    })
  })

  test('create the salt of the next day, and delete replaced content', async () => {
    const retired = { pk: 'GENERATIONS', sk: 'old', name: 'old', key: '/acme/widgets', retiredAt: '2020-01-01T00:00:00.000Z' }
    await stage.dynamo.db.send(new PutCommand({ TableName: 'carrel', Item: retired }))
    const { invoke } = await running.lambda('Schedule')
    await invoke({})
    const { Items = [] } = await stage.dynamo.db.send(new ScanCommand({ TableName: 'salts' }))
    expect(Items.map(({ pk }) => pk)).toContain(new Date(Date.now() + 86_400_000).toISOString().slice(0, 10))
    const { Item } = await stage.dynamo.db.send(new GetCommand({ TableName: 'carrel', Key: { pk: 'GENERATIONS', sk: 'old' } }))
    expect(Item).toBeUndefined()
  })

  test('publish how long a job has waited for a worker, however new its message is', async () => {
    const [at, due] = [Date.now(), Date.now() - 600_000].map((ms) => new Date(ms).toISOString())
    const job = { pk: 'JOBS', sk: '/acme/waiting', id: 'w', key: '/acme/waiting', project: '/acme/waiting', state: 'queued' }
    const Item = { ...job, request: '{}', progress: '{}', createdAt: due, dueAt: due, sentAt: at }
    await stage.dynamo.db.send(new PutCommand({ TableName: 'carrel', Item }))
    const { invoke, log } = await running.lambda('Schedule')
    await invoke({})
    await stage.dynamo.db.send(new DeleteCommand({ TableName: 'carrel', Key: { pk: 'JOBS', sk: '/acme/waiting' } }))
    const [seconds] = log().flatMap(({ OldestJobWaitSeconds: found }) => found ?? [])
    expect(seconds).toBeGreaterThanOrEqual(600)
  })

  test('compare the libraries whose checks are due with their repositories', async () => {
    const { invoke } = await running.lambda('Checks')
    expect(await invoke({})).toMatchObject({ failed: 0 })
  })

  test('count the events around records that cannot be counted', async () => {
    const event = usageEvent({ library: '/acme/poisoned' })
    const poison = ['', 'broken', '\xff\xfe', '[]', '{"library":"/acme/poisoned"}', '['.repeat(100_000), tooLongKey()]
    const records = [...poison, JSON.stringify(event)].map((data, n) => kinesisRecord(data, n))
    const consumer = await running.lambda('ApplyUsage')
    expect(await consumer.invoke({ Records: records })).toEqual({ batchItemFailures: [] })
    const today = event.at.slice(0, 10)
    const { total } = await hosted.counters.read('/acme/poisoned', today, today)
    expect(total.page + total.txt + total.mcp + total.cli).toBe(1)
  })

  test('count an event that the stream rejected from its line in the log, once, also if a person replays it', async () => {
    const { log } = await running.lambda('Api')
    const missed = () => log().filter(({ msg, uncertain }) => msg === 'usage event not on the stream' && uncertain === false)
    const body = JSON.stringify({ __type: 'ProvisionedThroughputExceededException' })
    stage.doors.kinesis.shut(() => ({ status: 400, type: 'application/x-amz-json-1.1', body }))
    await vi.waitFor(async () => {
      await fetch(`${running.url}/api/v2/context?libraryId=/acme/widgets&query=lever`)
      expect(missed()).not.toEqual([])
    }, 30_000)
    stage.doors.kinesis.open()
    const lines = missed().map((line) => JSON.stringify(line))
    const today = new Date().toISOString().slice(0, 10)
    const counted = async () => (await hosted.counters.read('/acme/widgets', today, today)).total.txt
    const before = await counted()
    const { invoke } = await running.lambda('ReplayUsage')
    expect(await invoke(logsEvent(lines))).toMatchObject({ counted: lines.length, countedBefore: 0, skipped: 0 })
    expect(await invoke(logsEvent(lines))).toMatchObject({ counted: 0, countedBefore: lines.length })
    expect(await replay(hosted, Readable.from(lines), { uncertain: true })).toMatchObject({ counted: 0 })
    expect((await counted()) - before).toBe(lines.length)
  })

  test('reject every request if the origin secret is empty', async () => {
    const { invoke, close } = await startWith('Api', { OriginSecret: { value: '' } })
    for (const sent of ['', 'x'.repeat(40)]) {
      const result = await invoke<{ statusCode: number }>(gatewayEvent('GET', '/api/health', { 'x-origin-secret': sent }))
      expect(result.statusCode).toBe(403)
    }
    await close()
  })

  test.each([
    ['Export', 'OriginSecret', undefined, '"OriginSecret" is not linked'],
    ['Bundle', 'BundleKey', { value: license.publicPem }, 'BundleKey is not an Ed25519 private key in PEM'],
  ])('do not start %s if its %s is missing or the wrong half of a key', async (name, secret, value, message) => {
    await expect(startWith(name, { [secret]: value })).rejects.toThrow(message)
  })

  test('accept no license if LicenseKey is the wrong half of a key', async () => {
    const { stream, close } = await startWith('Export', { LicenseKey: { value: bundle.privatePem } })
    const headers = { authorization: `Bearer ${await offlineLicense()}` }
    const { statusCode, body } = await stream(
      gatewayEvent('POST', '/api/v1/enterprise/export', headers, { library: 'acme/widgets' }),
    )
    expect([statusCode, JSON.parse(body.toString()).error]).toEqual([401, 'invalid_api_key'])
    await close()
  })

  /** Another container, with other values. Those that run have read theirs. */
  async function startWith(name: string, values: Record<string, unknown>) {
    const built = builtAs(name)
    const linked = linkedValues(stage.env)
    writeLinks(built, { ...linked, ...values })
    return running.start(built).finally(() => writeLinks(built, linked))
  }

  test('send their traces, and report no failed delivery', async () => {
    await vi.waitFor(() => expect([...running.traced].sort()).toEqual([...functions].sort()), 10_000)
    expect(running.failures).toEqual([])
  })
})

/** A valid event whose key is longer than DynamoDB allows. */
const tooLongKey = () => JSON.stringify(usageEvent({ library: '字'.repeat(500), version: '字'.repeat(300) }))
