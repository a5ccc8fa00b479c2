import type { APIGatewayProxyEventV2, Context } from 'aws-lambda'
import { afterAll, afterEach, beforeAll, expect, test } from 'vitest'
import { makeKeyPair } from '../../shared/keys/key-pair.ts'
import { signLicense } from '../../shared/keys/license.ts'
import type { Refusal } from '../fixtures/door.ts'
import { type GitServer, startGitServer } from '../fixtures/git-server.ts'
import { exportEntry, gatewayEvent, lambdaContext, type StreamedAnswer } from '../fixtures/lambda-events.ts'
import { startStage, type TestStage } from '../fixtures/stage.ts'

const pair = makeKeyPair()
let stage: TestStage
let git: GitServer
let api: (event: APIGatewayProxyEventV2, context: Context) => Promise<{ statusCode: number; body: string }>
let exported: (library: string) => Promise<StreamedAnswer>

beforeAll(async () => {
  ;[stage, git] = await Promise.all([startStage({ licenseKey: pair.publicPem }), startGitServer()])
  Object.assign(process.env, stage.env, { GITHUB_BASE_URL: git.url })
  api = (await import('../../functions/entries/api.ts')).handler as never
  const license = await signLicense(
    { id: 'l', customer: 'Example', kind: 'offline', expiresAt: '2099-01-01T00:00:00.000Z' },
    pair.privatePem,
  )
  const ask = await exportEntry()
  exported = (library) => ask({ authorization: `Bearer ${license}` }, library)
})
afterEach(() => stage.doors.s3.open())
afterAll(async () => {
  await stage.close()
  await git.close()
})

async function ask(path: string) {
  const { statusCode, body } = await api(gatewayEvent('GET', path), lambdaContext)
  return { status: statusCode, body }
}
const search = (name: string) => ask(`/api/v2/libs/search?libraryName=${name}`)
const context = (id: string, query = 'lever') => ask(`/api/v2/context?libraryId=${id}&query=${query}`)

async function parsed(repo: string, more: Record<string, string> = {}): Promise<string> {
  const { awsHosted } = await import('../../functions/aws/stage-ports.ts')
  const { addLibrary } = await import('../../functions/jobs/add-library.ts')
  await git.create(repo, { files: { 'README.md': `# ${repo}\n\nTurn the lever of ${repo}.\n`, ...more } })
  await addLibrary(awsHosted(), { repoUrl: `${git.url}/${repo}`, isPrivate: false })
  await worked(`/${repo}`)
  return `/${repo}`
}

async function worked(id: string): Promise<void> {
  const { awsWorker } = await import('../../functions/aws/stage-ports.ts')
  const { workLibrary } = await import('../../functions/worker/work-library.ts')
  expect(await workLibrary(awsWorker(), id, new AbortController().signal)).toBe('finalized')
}

test('a worker on a stage parses a library into S3, and the API serves it from there', async () => {
  const id = await parsed('acme/widgets')
  expect((await search('widgets')).body).toContain(id)
  expect((await context(id)).body).toContain('Turn the lever')
})

test('a worker on a stage keeps the unchanged pages of S3 after a commit', async () => {
  const id = await parsed('acme/kept', { 'docs/wheel.md': '# Wheel\n\nThe wheel lifts the bucket.\n' })
  const commit = await git.commit('acme/kept', { files: { 'README.md': '# Kept\n\nTurn the crank, not the lever.\n' } })
  const { awsHosted } = await import('../../functions/aws/stage-ports.ts')
  const { refreshLibrary } = await import('../../functions/jobs/refresh-library.ts')
  const library = { owner: 'acme', repo: 'kept' }
  await refreshLibrary(awsHosted(), library)
  await worked(id)
  expect((await awsHosted().catalog.whole(library))?.report).toMatchObject({ filesRead: 1, filesKept: 1, snippetsAfter: 2 })
  expect((await context(id)).body).toContain('Turn the crank, not the lever.')
  expect((await context(id, 'wheel')).body).toContain(`/blob/${commit}/docs/wheel.md`)
})

const slowDown: Refusal = {
  status: 503,
  type: 'application/xml',
  body: '<?xml version="1.0" encoding="UTF-8"?><Error><Code>SlowDown</Code><Message>Please reduce your request rate.</Message></Error>',
}

test('searches and libraries on the disk work while S3 is down, other content is an error with a sentence, and everything works again afterwards', async () => {
  const [queried, unread] = [await parsed('down/queried'), await parsed('down/unread')]
  expect((await search('widgets')).status).toBe(200)
  expect((await context(queried)).status).toBe(200)
  stage.doors.s3.shut((nth) => (nth % 2 === 0 ? slowDown : 'cut'))
  const contents = Promise.all([queried, unread].map((id) => context(id)))
  const exporting = exported('down/queried')
  const found = await search('widgets')
  expect([found.status, JSON.parse(found.body).results[0].id]).toEqual([200, '/acme/widgets'])
  const [copied, absent] = await contents
  expect([copied?.status, copied?.body]).toEqual([200, expect.stringContaining('Turn the lever of down/queried.')])
  const { error, message } = JSON.parse(absent?.body ?? '')
  expect([absent?.status, error]).toEqual([503, 'search_failed'])
  expect(message).toMatch(/^The content of \/down\/unread cannot be read\b.*\.$/)
  const { status, body } = await exporting
  expect([status, body.error, body.message]).toEqual([503, 'search_failed', expect.stringContaining('Try again in a moment')])
  stage.doors.s3.open()
  for (const id of [queried, unread]) expect((await context(id)).body).toContain(`Turn the lever of ${id.slice(1)}.`)
  expect((await exported('down/queried')).status).toBe(200)
})
