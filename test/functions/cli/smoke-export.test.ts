import { buffer } from 'node:stream/consumers'
import { expect, onTestFinished, test } from 'vitest'
import { exportAddress } from '../../../functions/cli/smoke/export-address.ts'
import { smokeApi } from '../../../functions/cli/smoke/smoke-api.ts'
import { recordingServer } from '../../fixtures/recording-server.ts'

const stage = 'https://docs.example.com'

test.each([
  'https://exports.s3.us-east-1.amazonaws.com/exports/a.json?X-Amz-Signature=1',
  'https://exports.s3.amazonaws.com/exports/a.json',
  'https://s3.eu-west-1.amazonaws.com/exports/a.json',
  `${stage}/downloads/a.json`,
])('an export is downloaded from %s', (location) => {
  expect(exportAddress(stage, location).href).toBe(location)
})

test.each([
  'http://exports.s3.us-east-1.amazonaws.com/a.json',
  'https://exports.s3.us-east-1.amazonaws.com.example.com/a.json',
  'https://exports.s3.us-east-1.amazonaws.com:8443/a.json',
  'https://ec2.us-east-1.amazonaws.com/a.json',
  'http://docs.example.com/a.json',
  'http://127.0.0.1:9000/a.json',
  'http://169.254.169.254/latest/meta-data/',
  'https://10.0.0.5/a.json',
  'file:///etc/passwd',
  'https://',
  null,
])('an export is not downloaded from %s', (location) => {
  expect(() => exportAddress(stage, location)).toThrow(/redirects the export to/)
})

type Answer = Parameters<typeof recordingServer>[0]

async function download(answer: Answer) {
  const file = await recordingServer(answer)
  const location = `${file.url}/a.json?signature=secret`
  const server = await recordingServer((_request, response) => response.writeHead(303, { location }).end())
  onTestFinished(async () => void (await Promise.all([file.close(), server.close()])))
  const request = { signal: AbortSignal.timeout(20_000), key: 'license', body: { library: 'acme/docs' } }
  const downloaded = smokeApi(server.url, 'key')
    .download('/api/v1/enterprise/export', request)
    .then(async (chunks) => (await buffer(chunks)).toString())
  return { file, downloaded }
}

test('the host of a large export gets a GET without the license', async () => {
  const { file, downloaded } = await download((_request, response) => response.end('{}'))
  expect(await downloaded).toBe('{}')
  const [{ method, headers } = { method: '', headers: {} }] = file.requests
  expect([method, headers.authorization, headers['content-type']]).toEqual(['GET', undefined, undefined])
})

test.each<[what: string, answer: Answer, message: RegExp]>([
  ['has expired', (_, response) => response.writeHead(403).end('<Error/>'), /^127\.0\.0\.1:\d+ returned the status 403/],
  ['redirects again', (_, response) => response.writeHead(302, { location: '/a.json' }).end(), /unexpected redirect/],
  [
    'ends early',
    (_, response) => response.writeHead(200, { 'content-length': '9' }).end('{', () => response.destroy()),
    /terminated/,
  ],
])('a download whose address %s fails without showing it', async (_what, answer, message) => {
  const { downloaded } = await download(answer)
  const error = await downloaded.catch((thrown: Error) => thrown)
  expect(String((error as Error).message)).toMatch(message)
  expect(String((error as Error).message)).not.toContain('secret')
})
