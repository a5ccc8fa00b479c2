import { readdirSync, rmSync, statfsSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { Readable } from 'node:stream'
import { expect, onTestFinished, test } from 'vitest'
import { snippetsOf } from '../fixtures/imports.ts'
import { prepareDir, type ServerProcess, startServer } from '../fixtures/server-process.ts'
import { mayMount, smallDisk } from '../fixtures/small-disk.ts'
import { tempDir } from '../fixtures/temp-dir.ts'
import { until } from '../fixtures/until.ts'

const words = 'the quick lever turns the lazy wheel and lifts a pulley by some kilograms. '
const nowhere = 'http://127.0.0.1:1'

/** A body of libraries of about 100 KB each, generated while it is sent. */
function* body(libraries: number): Generator<Buffer> {
  yield Buffer.from('{"libraries":[')
  for (let n = 0; n < libraries; n++) {
    const element = {
      project: `/flat/lib${n}`,
      ...snippetsOf(...Array.from({ length: 25 }, (_, i) => `${n}-${i} ${words.repeat(50)}`)),
    }
    yield Buffer.from((n > 0 ? ',' : '') + JSON.stringify(element))
  }
  yield Buffer.from(']}')
}

const post = (server: ServerProcess, key: string, chunks: Iterable<Buffer>) =>
  fetch(`${server.url}/api/import-libraries`, {
    method: 'POST',
    headers: { authorization: `Bearer ${key}`, 'content-type': 'application/json' },
    body: Readable.toWeb(Readable.from(chunks)),
    duplex: 'half',
  } as RequestInit)

test('memory does not grow with the body or the number of libraries', async () => {
  const prepared = prepareDir(nowhere)
  const server = await startServer(prepared)
  const first = await post(server, prepared.key, body(20))
  expect(first.status).toBe(202)
  const isIdle = async () => Object.keys((await server.call('GET', '/api/parse-status')).body.activeParses as object).length === 0
  await until(isIdle, 120)
  const before = server.peakMb()
  const answer = await post(server, prepared.key, body(800))
  const { queued, skipped } = (await answer.json()) as { queued: string[]; skipped: object[] }
  expect([queued.length, skipped.length]).toEqual([780, 20])
  // A body of 80 MB.
  expect(server.peakMb() - before).toBeLessThan(60)
  await server.kill()
})

test.runIf(mayMount())(
  'a disk that fills while a bundle is received rejects the import with one sentence and leaves no files',
  async () => {
    const disk = join(tempDir(), 'disk')
    const unmount = smallDisk(disk, 32)
    onTestFinished(() => unmount?.())
    const prepared = prepareDir(nowhere, join(disk, 'data'), { 'storage.minFreeMb': 0 })
    const server = await startServer(prepared)
    onTestFinished(() => server.kill())
    const waiting = () => readdirSync(join(disk, 'data', 'imports'))
    const full = {
      error: 'disk_full',
      message: 'The disk of DATA_DIR is full. Nothing was imported; make room and try again.',
    }
    const json = await post(server, prepared.key, body(600))
    expect([json.status, await json.json()]).toEqual([507, full])
    await until(() => waiting().length === 0)

    const form = new FormData()
    form.append('bundleFile', new Blob([Buffer.alloc(50 * 2 ** 20)]))
    const headers = { authorization: `Bearer ${prepared.key}` }
    const zip = await fetch(`${server.url}/api/import-libraries`, { method: 'POST', headers, body: form })
    expect([zip.status, await zip.json()]).toEqual([507, full])
    await until(() => waiting().length === 0)
    expect((await server.call('GET', '/api/jobs')).body).toMatchObject({ total: 0 })

    const good = await post(server, prepared.key, body(1))
    expect(await good.json()).toMatchObject({ queued: ['/flat/lib0'] })
    await until(async () => (await server.job(1)).finishedAt)
    expect((await server.job(1)).state).toBe('done')
  },
  120_000,
)

test.runIf(mayMount())(
  'a disk that fills while a job writes fails the job, and a retry with enough space finishes it',
  async () => {
    const disk = join(tempDir(), 'disk')
    const unmount = smallDisk(disk, 40)
    onTestFinished(() => unmount?.())
    const prepared = prepareDir(nowhere, join(disk, 'data'), { 'storage.minFreeMb': 0 })
    const server = await startServer(prepared)
    onTestFinished(() => server.kill())
    const old = { project: '/full/job', ...snippetsOf('The lever is old.') }
    await server.call('POST', '/api/import-libraries', { libraries: [old] })
    await until(async () => (await server.job(1)).finishedAt)
    const contents = Array.from({ length: 3000 }, (_, n) => `The lever is new ${n}. ${words.repeat(10)}`)
    const big = { project: '/full/job', ...snippetsOf(...contents) }
    // Space for the waiting import, but not for its content.
    const ballast = join(disk, 'ballast')
    const { bavail, bsize } = statfsSync(disk)
    writeFileSync(ballast, Buffer.alloc(bavail * bsize - JSON.stringify(big).length - 2 ** 20))
    await server.call('POST', '/api/import-libraries?force=true', { libraries: [big] })
    await until(async () => (await server.job(2)).finishedAt)
    expect(await server.job(2)).toMatchObject({ state: 'failed', error: expect.stringMatching(/disk .* is full/) })
    expect(await server.context('/full/job', 'lever')).toContain('The lever is old.')
    rmSync(ballast)
    const { body: again } = await server.call('POST', '/api/jobs/2/retry')
    await until(async () => (await server.job(Number(again.queueId))).finishedAt)
    expect((await server.job(Number(again.queueId))).report).toMatchObject({ snippetsAfter: 3000 })
    expect(await server.context('/full/job', 'lever')).toContain('The lever is new')
  },
  120_000,
)
