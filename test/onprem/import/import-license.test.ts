import { request } from 'node:http'
import { expect, onTestFinished, test } from 'vitest'
import type { License } from '../../../shared/keys/license.ts'
import { testInstall } from '../../fixtures/test-install.ts'

const at = (time: string) => () => new Date(time)
const valid = at('2029-06-01T00:00:00Z')

type Clock = { now(): Date }

/** An install whose license of this kind is valid at its start, and the key of a member. */
async function startedOn(kind: License['kind'], clock: Clock) {
  const cloudUrl = kind === 'online' ? { cloudUrl: 'http://127.0.0.1:1' } : {}
  const license = { kind, expiresAt: '2030-01-01T00:00:00Z', ...cloudUrl }
  const install = await testInstall({ license, now: () => clock.now() })
  onTestFinished(() => install.close())
  return { ...install, key: install.keys.member }
}

/** The response to an import that sends only its headers. */
async function importOn(kind: License['kind'], { now = () => new Date(), sentKey = true } = {}) {
  const clock = { now: valid }
  const install = await startedOn(kind, clock)
  clock.now = now
  const { key } = install
  const headers = {
    'content-type': 'application/json',
    'content-length': 3_000_000_000,
    ...(sentKey && { authorization: `Bearer ${key}` }),
  }
  return new Promise((resolve) => {
    const sent = request(`${install.url}/api/import-libraries?force=maybe`, { method: 'POST', headers }, async (response) => {
      const body = JSON.parse(Buffer.concat(await response.toArray()).toString())
      sent.destroy()
      resolve([response.statusCode, body.error, body.message])
    })
    sent.on('error', () => undefined)
    sent.flushHeaders()
  })
}

test('an import with an online license is rejected before its body is read', async () => {
  expect(await importOn('online', { now: valid })).toEqual([
    403,
    'forbidden',
    'This requires an offline license; this install has an online license.',
  ])
})

test('an import is rejected before its body is read if the license expired after the start', async () => {
  expect(await importOn('offline', { now: at('2030-06-01T00:00:00Z') })).toEqual([
    403,
    'forbidden',
    expect.stringContaining('expired'),
  ])
})

test('a retry of an import requires the same license as an import', async () => {
  const clock = { now: valid }
  const { app, url, key } = await startedOn('offline', clock)
  const request = { staged: 'gone', origin: '' }
  app.jobs.enqueueAll([{ library: { owner: 'a', repo: 'b' }, kind: 'import', request }])
  await app.worker.cancel(1)
  const retry = async () => {
    const init = { method: 'POST', headers: { authorization: `Bearer ${key}` } }
    const response = await fetch(`${url}/api/jobs/1/retry`, init)
    return [response.status, ((await response.json()) as { error: string }).error]
  }
  expect(await retry()).toEqual([400, 'validation_error'])
  clock.now = at('2030-06-01T00:00:00Z')
  expect(await retry()).toEqual([403, 'forbidden'])
})

test('a missing key is reported first, and the size is checked before the query if the license is valid', async () => {
  expect(await importOn('online', { now: valid, sentKey: false })).toEqual([401, 'invalid_api_key', expect.any(String)])
  expect(await importOn('offline', { now: valid })).toEqual([413, 'payload_too_large', expect.any(String)])
})
