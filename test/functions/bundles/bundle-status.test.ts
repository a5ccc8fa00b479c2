import { expect, test } from 'vitest'
import { buildBundle, bundleStatus } from '../../../functions/bundles/bundle-status.ts'
import { zipLimits } from '../../../functions/bundles/plan-zip.ts'
import { dynamoBundles } from '../../../functions/dynamo/jobs/dynamo-bundles.ts'
import { testDynamo } from '../../fixtures/dynamo.ts'
import { silentLog } from '../../fixtures/silent-log.ts'
import { until } from '../../fixtures/until.ts'

const minute = 60_000

async function testBundles() {
  const clock = { ms: Date.parse('2026-11-21T12:00:00.000Z') }
  const now = () => new Date(clock.ms)
  const bundles = dynamoBundles({ table: await testDynamo(), now })
  const objects = { downloadUrl: async (key: string) => `link to ${key}` }
  return { clock, now, bundles, status: () => bundleStatus({ bundles, objects, now }, 'zip') }
}

test('a bundle whose builder has died is failed after five minutes, and one that is built stays built', async () => {
  const { bundles, clock, status } = await testBundles()
  await bundles.write('zip', { state: 'building', done: 3, total: 9 })
  clock.ms += 4 * minute
  expect(await status()).toEqual({ state: 'building', done: 3, total: 9 })
  clock.ms += 2 * minute
  expect(await status()).toMatchObject({
    state: 'failed',
    code: 'temporarily_unavailable',
    message: expect.stringContaining('again'),
  })
  await bundles.write('zip', { state: 'built', key: 'bundles/zip.zip' })
  clock.ms += 60 * minute
  expect(await status()).toEqual({ state: 'built', url: 'link to bundles/zip.zip' })
})

test('a builder that lives without progress writes its status again', async () => {
  const { bundles, clock, now, status } = await testBundles()
  const waiting = Promise.withResolvers<never>()
  const ports = {
    bundles,
    now,
    log: silentLog,
    limits: zipLimits,
    signingPem: undefined,
    heartbeatMs: 5,
    catalog: { exportable: () => waiting.promise },
    snippets: { scan: () => (async function* () {})() },
    objects: { put: async () => undefined },
  }
  await bundles.write('zip', { state: 'building', done: 0, total: 0 })
  const built = buildBundle(ports, { id: 'zip', libraries: ['/acme/docs'] })
  clock.ms += 10 * minute
  await until(async () => (await status()).state === 'building')
  waiting.reject(new Error('the table is gone'))
  await built
  expect(await status()).toMatchObject({ state: 'failed', code: 'internal_error' })
})

test('a build is claimed once while its builder is alive, and again if it is dead, failed or built', async () => {
  const { bundles, clock } = await testBundles()
  expect(await Promise.all([bundles.claim('zip'), bundles.claim('zip')]).then((claims) => claims.sort())).toEqual([false, true])
  clock.ms += 4 * minute
  expect(await bundles.claim('zip')).toBe(false)
  clock.ms += 2 * minute
  expect(await bundles.claim('zip')).toBe(true)
  await bundles.write('zip', { state: 'failed', code: 'search_failed', message: 'It broke.' })
  expect(await bundles.claim('zip')).toBe(true)
  await bundles.write('zip', { state: 'built', key: 'exports/a.json' })
  expect(await bundles.claim('zip')).toBe(true)
})
