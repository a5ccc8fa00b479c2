import { readdirSync, readFileSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { expect, onTestFinished, test } from 'vitest'
import { downloadBundle } from '../../../functions/cli/api/download-bundle.ts'
import type { AppError } from '../../../shared/errors.ts'
import { startConnectProxy } from '../../fixtures/connect-proxy.ts'
import { type RecordingServer, recordingServer } from '../../fixtures/recording-server.ts'
import { tempDir } from '../../fixtures/temp-dir.ts'

const limits = { headMs: 20_000, windowMs: 20_000, windowBytes: 1_000 }
/** Those of the tests in which time runs out. */
const shortLimits = { headMs: 1_000, windowMs: 1_000, windowBytes: 1_000 }
const zip = Buffer.alloc(200_000, 'zip ')

type Answer = Parameters<typeof recordingServer>[0]

async function serve(answer: Answer): Promise<RecordingServer> {
  const server = await recordingServer(answer)
  onTestFinished(() => server.close())
  return server
}

const linkOf = (origin: string) => `${origin}/bundles/a.zip?signature=secret`

async function failure(answer: Answer, out: string, within = limits): Promise<AppError> {
  const server = await serve(answer)
  const bundle = { url: linkOf(server.url), bytes: zip.length }
  return downloadBundle({ env: {} }, bundle, out, within).then(
    () => Promise.reject(new Error('The download succeeded.')),
    (error: AppError) => error,
  )
}

test('a bundle that takes longer than every limit arrives, because it never stops for long', async () => {
  const server = await serve((_request, response) => {
    let sent = 0
    response.writeHead(200, { 'content-length': zip.length })
    const writing = setInterval(() => {
      response.write(zip.subarray(sent, sent + 10_000))
      sent += 10_000
      if (sent < zip.length) return
      clearInterval(writing)
      response.end()
    }, 120)
  })
  const out = join(tempDir(), 'out.zip')
  await downloadBundle({ env: {} }, { url: linkOf(server.url), bytes: zip.length }, out, shortLimits)
  expect(readFileSync(out).equals(zip)).toBe(true)
})

const interrupted: Answer = (_, response) => {
  response.writeHead(200, { 'content-length': zip.length }).write(zip.subarray(0, 5_000))
  setTimeout(() => response.destroy(), 50)
}

test.each<[what: string, answer: Answer, code: string, reason: RegExp]>([
  ['is silent', () => undefined, 'timeout', /^127\.0\.0\.1:\d+ did not respond within 1 s\.$/],
  [
    'stalls',
    (_, response) => response.writeHead(200, { 'content-length': zip.length }).write(zip.subarray(0, 5_000)),
    'timeout',
    /^127\.0\.0\.1:\d+ sent less than 1 kB of the bundle in 1 s\. Run the command again\.$/,
  ],
  ['breaks the connection', interrupted, 'provider_unavailable', /ended the bundle after 5000 of 200000 bytes\./],
  [
    'sends less than was built',
    (_, response) => response.end(zip.subarray(0, 5_000)),
    'provider_unavailable',
    /ended the bundle after 5000 of 200000 bytes\./,
  ],
  [
    'sends more than was built',
    (_, response) => response.end(Buffer.concat([zip, zip])),
    'provider_unavailable',
    /sends more than 200000 bytes as the bundle/,
  ],
  [
    'answers that the link has expired',
    (_, response) => response.writeHead(403).end('<Error/>'),
    'command_failed',
    /^The bundle cannot be downloaded: 127\.0\.0\.1:\d+ returned the status 403\.$/,
  ],
])('a download from a host that %s leaves the file as it was, and names the host', async (_what, answer, code, reason) => {
  const folder = tempDir()
  const out = join(folder, 'out.zip')
  writeFileSync(out, 'of yesterday')
  const error = await failure(answer, out, code === 'timeout' ? shortLimits : limits)
  expect([error.code, error.message]).toEqual([code, expect.stringMatching(reason)])
  expect([readdirSync(folder), readFileSync(out, 'utf8')]).toEqual([['out.zip'], 'of yesterday'])
})

test.each([301, 302, 303, 307, 308])(
  'a redirect with the status %i to another host is an error that names it',
  async (status) => {
    const foreign = await serve((_, response) => response.end(zip))
    const location = linkOf(foreign.url)
    const error = await failure((_, response) => response.writeHead(status, { location }).end(), join(tempDir(), 'out.zip'))
    expect(error.message).toMatch(new RegExp(`redirects to ${new URL(foreign.url).host}\\.$`))
    expect(error.message).not.toContain('secret')
    expect(foreign.connections).toBe(0)
  },
)

test('a bundle is downloaded through the proxy of the environment', async () => {
  const server = await serve((_, response) => response.end(zip))
  const proxy = await startConnectProxy(server.url)
  onTestFinished(() => proxy.close())
  const out = join(tempDir(), 'out.zip')
  await downloadBundle({ env: { HTTP_PROXY: proxy.url } }, { url: linkOf('http://bucket.internal') }, out, limits)
  expect(proxy.tunnels).toEqual(['bucket.internal:80'])
  expect(readFileSync(out)).toHaveLength(zip.length)
})

test('a folder that does not exist is reported as the file that cannot be written', async () => {
  const error = await failure((_, response) => response.end(zip), join(tempDir(), 'none/out.zip'))
  expect([error.code, error.message]).toEqual(['validation_error', expect.stringMatching(/none\/out\.zip cannot be written/)])
})
