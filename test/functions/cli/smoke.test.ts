import type { ServerResponse } from 'node:http'
import { expect, onTestFinished, test } from 'vitest'
import { LeftOut, runSmoke, type SmokeStep } from '../../../functions/cli/smoke/run-smoke.ts'
import { AppError } from '../../../shared/errors.ts'
import { carrel } from '../../fixtures/hosted-process.ts'
import { recordingServer } from '../../fixtures/recording-server.ts'

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
