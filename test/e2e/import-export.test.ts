import { readdirSync, readFileSync } from 'node:fs'
import { join } from 'node:path'
import { setTimeout as sleep } from 'node:timers/promises'
import { afterAll, beforeAll, expect, test } from 'vitest'
import { bundleStatus, startBundle } from '../../functions/bundles/bundle-status.ts'
import { developmentPair } from '../../shared/keys/development-pair.ts'
import { signLicense } from '../../shared/keys/license.ts'
import { type TestHosted, testHosted } from '../fixtures/test-hosted.ts'
import { type TestInstall, testInstall } from '../fixtures/test-install.ts'

const root = new URL('../..', import.meta.url).pathname
const packages = ['commander', 'hono', 'lru-cache', 'p-limit', 'pino', 'unified', 'yauzl', 'zod']

/** Real documentation, of packages that this project uses, and a page that shares sections with it. */
function files(): Record<string, string> {
  const readmes = packages.flatMap((name) =>
    readdirSync(join(root, 'node_modules', name))
      .filter((each) => /^readme\.md$/i.test(each))
      .map((each): [string, string] => [`packages/${name}/README.md`, join(root, 'node_modules', name, each)]),
  )
  const pages = readmes.map(([name, path]): [string, string] => [name, readFileSync(path, 'utf8')])
  const parts = pages.flatMap(([, text]) => text.split(/^(?=## )/m).slice(1, 3))
  return Object.fromEntries([...pages, ['shared.md', `# All packages\n\nWhat each is for.\n\n${parts.join('\n')}`]])
}

const questions = [
  'how do I limit the number of promises that run at once',
  'read a zip file entry by entry',
  'what happens when the cache is full',
  'parse a command line option with a default value',
  'validate an object with a schema',
  'write logs as JSON lines',
  'turn a stream of text into a tree',
  'close a file when all entries are read',
  'mount a middleware for a path',
  'encrypted entries',
]

let hosted: TestHosted
let parsed: TestInstall
let piped: TestInstall
let carried: TestInstall

beforeAll(async () => {
  ;[hosted, parsed, piped, carried] = await Promise.all([testHosted(), testInstall(), testInstall(), testInstall()])
  await hosted.git.create('real/docs', { files: files(), tags: ['v1.0.0'] })
  expect((await hosted.add('real/docs')).state).toBe('finalized')
  parsed.app.settings.change({ 'github.baseUrl': hosted.git.url })
  const queued = await parsed.json('/api/parse', {
    method: 'POST',
    key: parsed.keys.admin,
    body: { repoUrl: `${hosted.git.url}/real/docs` },
  })
  const job = await parsed.ended((queued.body as { queueId: number }).queueId)
  expect(job.report?.snippetsAfter).toBeGreaterThan(200)
})
afterAll(() => Promise.all([hosted, parsed, piped, carried].map((each) => each?.close())))

const ask = async (app: TestInstall, query: string, type: string) =>
  (await app.ask(`/api/v2/context?${new URLSearchParams({ libraryId: '/real/docs', query, type })}`)).text()

async function expectSameAnswers(app: TestInstall): Promise<void> {
  await expect.poll(async () => (await app.json('/api/parse-status')).body).toEqual({ activeParses: {} })
  for (const query of questions) {
    for (const type of ['txt', 'json']) {
      const answer = await ask(parsed, query, type)
      expect(answer).toMatch(type === 'txt' ? /^(?:Note: [^\n]+\n\n-{32}\n\n)?### / : /^\{"codeSnippets":\[/)
      if (type === 'json') expect(answer).toMatch(/"version":"main","commitDate":"20\d\d-/)
      expect(await ask(app, query, type)).toBe(answer)
    }
  }
  const [theirs, ours] = await Promise.all(
    [app, parsed].map(async (each) => (await each.json('/api/projects/real/docs')).body as object),
  )
  expect(ours).toHaveProperty('nextCheckAt')
  expect(theirs).toEqual({
    ...ours,
    imported: true,
    source: 'Imported',
    lastReadAt: expect.any(String),
    lastCheckedAt: expect.any(String),
    lastChangedAt: expect.any(String),
    // Imported libraries have no schedule.
    nextCheckAt: undefined,
  })
}

test('the response of the export endpoint can be imported unchanged, and gives the same answers as the parsed library', async () => {
  const { privatePem } = developmentPair(hosted.dataDir, 'license')
  const license = await signLicense(
    { id: 'l1', customer: 'Acme', kind: 'offline', expiresAt: '2099-01-01T00:00:00Z' },
    privatePem,
  )
  const exported = await hosted.post(
    '/api/v1/enterprise/export',
    { library: 'real/docs' },
    { authorization: `Bearer ${license}` },
  )
  expect(exported.status).toBe(200)
  // The request resembles `curl … | curl --data-binary @-`: it has no length and no content type.
  const init = {
    method: 'POST',
    key: piped.keys.member,
    headers: { 'content-type': 'application/x-www-form-urlencoded' },
    body: exported.body,
    duplex: 'half',
  }
  const answer = await piped.ask('/api/import-libraries', init as RequestInit)
  expect([answer.status, await answer.json()]).toEqual([
    202,
    { message: 'Queued 1 library for import.', queued: ['/real/docs'], skipped: [] },
  ])
  await expectSameAnswers(piped)
})

test('a bundle signed by the hosted half is imported if its key is trusted, and gives the same answers as the parsed library', async () => {
  carried.app.settings.change({
    'bundle.trustedKeys': [readFileSync(join(hosted.dataDir, 'dev-bundle.pub.pem'), 'utf8')],
    'import.requireSignature': true,
  })
  const { id } = await startBundle(hosted.hosted, ['real/docs'])
  let state = await bundleStatus(hosted.hosted, id)
  for (; state.state === 'building'; state = await bundleStatus(hosted.hosted, id)) await sleep(20)
  if (state.state !== 'built') throw new Error(JSON.stringify(state))
  const form = new FormData()
  form.append('bundleFile', await (await fetch(state.url)).blob(), 'service-libraries.zip')
  const answer = await carried.ask('/api/import-libraries', { method: 'POST', key: carried.keys.member, body: form })
  expect([answer.status, await answer.json()]).toEqual([
    202,
    { message: 'Queued 1 library for import.', queued: ['/real/docs'], skipped: [] },
  ])
  await expectSameAnswers(carried)
})
