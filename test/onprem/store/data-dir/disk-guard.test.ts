import { writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { afterAll, beforeAll, beforeEach, describe, expect, test } from 'vitest'
import { head } from '../../../fixtures/bundle.ts'
import { snippetsOf } from '../../../fixtures/imports.ts'
import { page } from '../../../fixtures/page.ts'
import { runCarrel } from '../../../fixtures/run-carrel.ts'
import { scrape } from '../../../fixtures/scrape.ts'
import { tempDir } from '../../../fixtures/temp-dir.ts'
import { type TestInstall, testInstall } from '../../../fixtures/test-install.ts'
import { until } from '../../../fixtures/until.ts'

const mb = 1_000_000
let free = Number.POSITIVE_INFINITY
let app: TestInstall
beforeAll(async () => {
  app = await testInstall({ diskSpace: () => ({ freeBytes: free, sizeBytes: 8_000 * mb }), limits: { diskCheckMs: 20 } })
  await app.git.create('acme/lever', { files: { 'README.md': page('Lever', 'The lever turns.') } })
  await app.git.create('acme/wheel', { files: { 'README.md': page('Wheel', 'The wheel stands.') } })
  await app.parse('acme/lever')
})
afterAll(() => app.close())
beforeEach(() => {
  free = Number.POSITIVE_INFINITY
})

const shortage = '312 MB free, 1.0 GB wanted'
const waiting = `Waiting for disk space: ${shortage}`
const logged = (text: string) => app.log.lines.filter(({ message }) => message.includes(text)).length
const logs = () => [logged('jobs wait for disk space'), logged('no job waits for disk space')]

describe('an install with less free disk space than the settings require', () => {
  test('lets jobs wait with the reason, serves questions, and runs the jobs when there is space', async () => {
    const before = logs()
    free = 312 * mb
    const first = await app.queue('acme/wheel')
    const second = await app.queue('acme/lever', { force: true })
    await until(() => logs()[0] === (before[0] ?? 0) + 1)
    const { body } = await app.call('GET', '/api/jobs?state=queued')
    expect(body.jobs).toMatchObject([
      { id: second, state: 'queued', stage: waiting },
      { id: first, state: 'queued', stage: waiting },
    ])
    const { activeParses } = (await app.call('GET', '/api/parse-status')).body
    expect(activeParses).toMatchObject({ '/acme/wheel': { status: 'queued', statusMessage: waiting } })
    expect((await runCarrel(['jobs'], { dataDir: app.dataDir })).out).toContain(`\t${waiting}\n`)
    expect((await runCarrel(['jobs', String(first)], { dataDir: app.dataDir })).out).toContain(`\nstage\t${waiting}\n`)
    expect(await app.context('/acme/lever', 'what turns')).toContain('The lever turns.')

    free = 2_000 * mb
    expect([await app.ended(first), await app.ended(second)]).toMatchObject([{ state: 'done' }, { state: 'done' }])
    expect(await app.context('/acme/wheel', 'what stands')).toContain('The wheel stands.')
    expect(logs()).toEqual(before.map((count) => count + 1))
  })

  test('rejects a bundle before it is stored, with the reason', async () => {
    const libraries = [{ ...head({ project: '/acme/imported' }), ...snippetsOf('One') }]
    free = 312 * mb
    const message = `The disk of DATA_DIR has too little space: ${shortage}. Nothing was imported; make room, or lower the setting storage.minFreeMb, and import again.`
    expect(await app.call('POST', '/api/import-libraries', { libraries })).toEqual({
      status: 507,
      body: { error: 'disk_full', message },
    })
    const file = join(tempDir(), 'bundle.json')
    writeFileSync(file, JSON.stringify({ libraries }))
    expect(await runCarrel(['import', file], { dataDir: app.dataDir })).toEqual({
      code: 1,
      out: '',
      err: `carrel: Reading bundle.json\ncarrel: ${message}\n`,
    })
    free = 2_000 * mb
    expect((await app.call('POST', '/api/import-libraries', { libraries })).status).toBe(202)
  })

  test('is healthy and ready, with a warning', async () => {
    const warning = `Jobs and imports wait for disk space: ${shortage}. Make room on the disk of DATA_DIR, or lower the setting storage.minFreeMb.`
    free = 312 * mb
    expect(await app.call('GET', '/api/health')).toMatchObject({
      status: 200,
      body: { warnings: expect.arrayContaining([warning]) },
    })
    expect(await app.call('GET', '/api/ready')).toEqual({ status: 200, body: { ready: true, message: warning } })
    const { value } = await scrape(app)
    expect([value('carrel_disk_free_bytes'), value('carrel_disk_size_bytes')]).toEqual([312 * mb, 8_000 * mb])
    expect(value('carrel_disk_shortage')).toBe(1)
    free = 1_000 * mb
    expect((await app.call('GET', '/api/health')).body.warnings).not.toContain(warning)
    expect((await app.call('GET', '/api/ready')).body).toEqual({ ready: true })
    expect((await scrape(app)).value('carrel_disk_shortage')).toBe(0)
  })

  test('does not show callers without a key how much space is free', async () => {
    free = 312 * mb
    const id = await app.queue('acme/wheel', { force: true })
    for (const path of ['/api/ready', '/api/health', '/api/parse-status']) {
      const text = await (await app.ask(path)).text()
      expect(text).toMatch(/(W|w)ait(ing)? for disk space/)
      // Times may have these digits, too.
      expect(text.replaceAll(/"uptime":[\d.]+|\d{4}-\d\d-\d\dT[\d:.]+Z/g, '')).not.toContain('312')
    }
    await app.call('POST', `/api/jobs/${id}/cancel`)
  })

  test('applies another limit, or none, without a restart', async () => {
    free = 312 * mb
    const id = await app.queue('acme/wheel', { force: true })
    await app.call('PATCH', '/api/settings', { 'storage.minFreeMb': 2_500 })
    expect((await app.call('GET', `/api/jobs/${id}`)).body.stage).toBe('Waiting for disk space: 312 MB free, 2.5 GB wanted')
    await app.call('PATCH', '/api/settings', { 'storage.minFreeMb': 0 })
    expect(await app.ended(id)).toMatchObject({ state: 'done' })
    await app.call('PATCH', '/api/settings', { 'storage.minFreeMb': null })
    expect((await app.call('GET', '/api/settings')).body['storage.minFreeMb']).toBe(1_000)
  })

  test('cancels a waiting job', async () => {
    free = 312 * mb
    const id = await app.queue('acme/wheel', { force: true })
    expect((await app.call('POST', `/api/jobs/${id}/cancel`)).status).toBe(202)
    expect(await app.ended(id)).toMatchObject({ state: 'cancelled' })
  })
})
