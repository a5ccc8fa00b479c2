import type { ServerResponse } from 'node:http'
import { expect, onTestFinished, test } from 'vitest'
import { hostedProgram } from '../../../functions/cli/hosted-program.ts'
import { LeftOut, runSmoke, type SmokeResult, type SmokeStep } from '../../../functions/cli/smoke/run-smoke.ts'
import type { SmokeApi } from '../../../functions/cli/smoke/smoke-api.ts'
import { smokeSteps } from '../../../functions/cli/smoke/smoke-steps.ts'
import { AppError } from '../../../shared/errors.ts'
import { carrel } from '../../fixtures/hosted-process.ts'
import { recordingServer } from '../../fixtures/recording-server.ts'
import { runHere } from '../../fixtures/run-here.ts'

const step = (name: string, run: SmokeStep['run'], more: Partial<SmokeStep> = {}): SmokeStep => ({
  step: name,
  timeoutMs: 60_000,
  advice: `Check ${name}.`,
  run,
  ...more,
})

test('a failure of a required step skips the steps after it; any other one does not', async () => {
  const fails = () => Promise.reject(new Error('It broke.'))
  const passes = async () => 'It works.'
  const reported: string[] = []
  const steps = [step('a', fails), step('b', passes), step('c', fails, { required: true }), step('d', passes)]
  const results = await runSmoke(steps, (result) => reported.push(result.step))
  expect(results.map(({ state, message, advice }) => [state, message, advice])).toEqual([
    ['failed', 'It broke.', 'Check a.'],
    ['passed', 'It works.', undefined],
    ['failed', 'It broke.', 'Check c.'],
    ['skipped', 'Not run, because c failed.', undefined],
  ])
  expect(reported).toEqual(['a', 'b', 'c', 'd'])
})

test('a step that hangs ends with its time limit', async () => {
  const hangs = (signal: AbortSignal) =>
    new Promise<string>((_, reject) => signal.addEventListener('abort', () => reject(signal.reason)))
  const [result] = await runSmoke([step('hang', hangs, { timeoutMs: 10 })], () => undefined)
  expect(result).toMatchObject({ state: 'failed', message: 'It did not succeed within 0.01 seconds.', advice: 'Check hang.' })
})

test('a step that the options leave out is skipped, and an error of the API brings its own advice', async () => {
  const leftOut = () => Promise.reject(new LeftOut('Not run: --license is missing.'))
  const unknown = () => Promise.reject(new AppError('invalid_api_key', 'The key is unknown.'))
  const results = await runSmoke([step('a', leftOut), step('b', unknown)], () => undefined)
  expect(results).toMatchObject([
    { state: 'skipped', message: 'Not run: --license is missing.' },
    { state: 'failed', message: 'The key is unknown.', advice: expect.stringContaining('hosted key create') },
  ])
})

const notAsked = () => Promise.reject(new Error('No export is tried.'))

type Answers = Record<string, (nth: number) => unknown>

/** The results of the steps at a stage whose answers are those of functions, by path. Errors are thrown. */
async function smokeAt(answers: Answers, only: string[]): Promise<SmokeResult[]> {
  const asked = new Map<string, number>()
  const answerOf = (path: string) => {
    const [route = ''] = path.split('?')
    const nth = asked.get(route) ?? 0
    asked.set(route, nth + 1)
    const answer = answers[route]?.(nth)
    if (answer instanceof Error) throw answer
    return answer
  }
  const api: SmokeApi = {
    ask: async (path) => String(answerOf(path)),
    read: async (path) => answerOf(path) as never,
    download: notAsked,
  }
  const stage = { baseUrl: 'https://stage.example', key: 'k', license: undefined, platform: 'github' as const, api }
  const steps = smokeSteps({ ...stage, repoUrl: 'https://git.example/lab/acme/widgets' })
  return runSmoke(
    steps.filter(({ step }) => only.includes(step)),
    () => undefined,
  )
}

const exists = () => new AppError('duplicate_repo', '/acme/widgets already exists. Refresh it instead.')
const active = () => new AppError('job_active', 'A job runs.')

test('a library that exists is refreshed, and its worker has ended when it can be refreshed again', async () => {
  const refresh = (nth: number) => (nth === 1 ? active() : 'accepted')
  const results = await smokeAt({ '/api/v2/add/repo/github': exists, '/api/v1/refresh': refresh }, ['add', 'worker'])
  expect(results.map(({ message }) => message)).toEqual([
    '/acme/widgets existed; it is being refreshed.',
    'The job of /acme/widgets has ended.',
  ])
})

test('a first parse that fails ends the wait for the worker with its reason', async () => {
  const added = () => ({ libraryName: '/acme/widgets' })
  const context = (nth: number) =>
    new AppError('library_not_found', nth === 0 ? 'It is waiting.' : '/acme/widgets has no content: it could not be added.')
  const results = await smokeAt({ '/api/v2/add/repo/github': added, '/api/v2/context': context }, ['add', 'worker', 'search'])
  expect(results.map(({ state, message }) => [state, message])).toEqual([
    ['passed', '/acme/widgets was added.'],
    ['failed', '/acme/widgets has no content: it could not be added.'],
    ['skipped', 'Not run, because worker failed.'],
  ])
})

test('the counters of a library without the right owner fail with the command that changes it', async () => {
  const denied = () => new AppError('access_denied', 'Only the owner sees its metrics.')
  const results = await smokeAt(
    { '/api/v2/add/repo/github': exists, '/api/v1/refresh': active, '/api/v2/libs/metrics': denied },
    ['add', 'metrics'],
  )
  expect(results.at(-1)).toMatchObject({ state: 'failed', message: expect.stringContaining('Run "hosted own /acme/widgets') })
})

test('a library is asked for the title of a page, because its own title may be in none', async () => {
  const asked: string[] = []
  const api: SmokeApi = {
    ask: async (path) => String(asked.push(path)),
    read: async (path) =>
      (path.startsWith('/api/v2/libs/metrics') ? {} : { libraryName: '/acme/widgets', pages: [{ title: 'Levers' }] }) as never,
    download: notAsked,
  }
  const stage = { baseUrl: 'https://stage.example', key: 'k', license: undefined, platform: 'github' as const, api }
  const steps = smokeSteps({ ...stage, repoUrl: 'acme/widgets' }).filter(({ step }) => ['add', 'context'].includes(step))
  expect((await runSmoke(steps, () => undefined)).map(({ state }) => state)).toEqual(['passed', 'passed'])
  expect(asked).toEqual(['/api/v2/context?libraryId=/acme/widgets&query=Levers'])
})

async function smoke(baseUrl: string, ...more: string[]) {
  const { stdout, stderr, code } = await carrel('/nonexistent', 'hosted', 'smoke', '--base-url', baseUrl, '--key', 'k', ...more)
  return { stdout, stderr, code }
}

test.each<[what: string, answer: (response: ServerResponse) => unknown, message: string]>([
  ['a web site', (response) => response.end('<h1>Parked</h1>'), 'The response is not one of Carrel: <h1>Parked</h1>'],
  ['a proxy', (response) => response.writeHead(502).end(), 'The response has the status 502: it is empty'],
  [
    'a redirect',
    (response) => response.writeHead(302, { location: 'https://example.com' }).end(),
    'cannot be reached (unexpected redirect)',
  ],
])('an address of %s fails with what it returned', async (_what, answer, message) => {
  const server = await recordingServer((_request, response) => void answer(response))
  onTestFinished(server.close)
  const { stdout, stderr, code } = await smoke(server.url)
  expect([code, stdout.split('\n')[0]]).toEqual([1, expect.stringContaining(message)])
  expect(stderr).toMatch(/^carrel: http:\/\/127\.0\.0\.1:\d+ fails: ready\.$/)
})

test('an address that cannot be reached fails with the reason, as one JSON document', async () => {
  const { stdout, code } = await smoke('http://127.0.0.1:1', '--json')
  const { passed, steps } = JSON.parse(stdout)
  expect([code, passed]).toEqual([1, false])
  expect(steps[0]).toMatchObject({ step: 'ready', state: 'failed', message: expect.stringContaining('cannot be reached') })
  expect(steps.slice(1).every(({ state }: { state: string }) => state === 'skipped')).toBe(true)
})

test('an address that is none is a wrong use of the command', async () => {
  expect(await smoke('example.com')).toMatchObject({ code: 2, stderr: expect.stringContaining('--base-url must be an address') })
})

test('a key with a line break inside is rejected without showing it', async () => {
  const { code, stderr } = await carrel(
    '/nonexistent',
    'hosted',
    'smoke',
    '--base-url',
    'http://127.0.0.1:1',
    '--key',
    'secret\nkey',
  )
  expect([code, stderr]).toEqual([2, 'carrel: --key must be one word of ASCII characters.'])
})

test('the key may come from the environment, which no list of processes shows, and an empty license is none', async () => {
  const keys: (string | undefined)[] = []
  const server = await recordingServer((request, response) => {
    keys.push(request.headers.authorization)
    response.end('{}')
  })
  onTestFinished(server.close)
  const env = { PATH: process.env.PATH, CARREL_API_KEY: 'from-the-environment', SMOKE_LICENSE: '' }
  const { err } = await runHere(hostedProgram, { words: ['smoke', '--base-url', server.url], env })
  expect([keys, err.trim()]).toEqual([['Bearer from-the-environment'], `carrel: ${server.url} fails: ready.`])
})
