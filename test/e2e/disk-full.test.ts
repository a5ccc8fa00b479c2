import { rmSync, statSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { afterAll, beforeAll, expect, onTestFinished, test } from 'vitest'
import { finishAfter } from '../fixtures/finish-after.ts'
import { type GitServer, startGitServer } from '../fixtures/git-server.ts'
import { page } from '../fixtures/page.ts'
import { prepareDir, type ServerProcess, startServer } from '../fixtures/server-process.ts'
import { mayMount, smallDisk } from '../fixtures/small-disk.ts'
import { tempDir } from '../fixtures/temp-dir.ts'
import { testInstall } from '../fixtures/test-install.ts'
import { until } from '../fixtures/until.ts'

let git: GitServer

beforeAll(async () => {
  git = await startGitServer()
})
afterAll(() => git.close())

const full = 'disk_full: The disk of DATA_DIR is full. The old content stays; make room and retry the job.'
const guide = (word: string) => ({ 'README.md': page('Guide', `The ${word} turns.`, `Another ${word} waits.`) })
/** The disks of these tests are smaller than the space that jobs wait for. */
const anySpace = { 'storage.minFreeMb': 0 }
const mountable = mayMount()

test.runIf(mountable)(
  'a disk that fills during a parse fails the job with one sentence, and the server stays up with the old content',
  async () => {
    const disk = join(tempDir(), 'disk')
    const unmount = smallDisk(disk, 25)
    onTestFinished(() => unmount?.())
    await git.create('disk/full', { files: guide('lever') })
    const server = await startServer(prepareDir(git.url, join(disk, 'data'), anySpace))
    onTestFinished(() => server.kill())
    const parse = async () => {
      const { body } = await server.call('POST', '/api/parse', { repoUrl: `${git.url}/disk/full` })
      await until(async () => (await server.job(Number(body.queueId))).finishedAt, 120)
      return server.job(Number(body.queueId))
    }
    expect((await parse()).state).toBe('done')

    const noise = Object.fromEntries(
      Array.from({ length: 500 }, (_, n) => [`docs/${n}.md`, page(`Page ${n}`, 'word '.repeat(400))]),
    )
    await git.commit('disk/full', { files: { ...guide('pulley'), ...noise } })
    writeFileSync(join(disk, 'ballast'), Buffer.alloc(18 * 2 ** 20))
    const failed = await parse()
    expect(failed.state).toBe('failed')
    expect(failed.error).toMatch(/disk .* is full/)
    expect(await server.context('/disk/full', 'what turns')).toContain('The lever turns.')
    expect((await server.call('GET', '/api/health')).status).toBe(200)

    rmSync(join(disk, 'ballast'))
    expect((await parse()).state).toBe('done')
    expect(await server.context('/disk/full', 'what turns')).toContain('The pulley turns.')
  },
  240_000,
)

test.runIf(mountable)('a parse or deletion without disk space gets an error about the full disk', async () => {
  const disk = join(tempDir(), 'disk')
  const unmount = smallDisk(disk, 24)
  onTestFinished(() => unmount?.())
  await git.create('no/space', { files: guide('lever') })
  const server = await startServer(prepareDir(git.url, join(disk, 'data'), anySpace))
  onTestFinished(() => server.kill())
  const parse = () => server.call('POST', '/api/parse', { repoUrl: `${git.url}/no/space`, force: true })
  await parse()
  await until(async () => (await server.job(1)).finishedAt)
  expect(() => writeFileSync(join(disk, 'ballast'), Buffer.alloc(32 * 2 ** 20))).toThrow('ENOSPC')
  const refused = {
    status: 507,
    body: { error: 'disk_full', message: 'The disk of DATA_DIR is full. Nothing was changed; make room and try again.' },
  }
  expect(await server.call('DELETE', '/api/projects/no/space')).toEqual(refused)
  await until(async () => (await parse()).body.message === refused.body.message)
  expect(await server.context('/no/space', 'what turns')).toContain('The lever turns.')
})

test.runIf(mountable)(
  'the first question after a start is served when the disk is full',
  async () => {
    const disk = join(tempDir(), 'disk')
    const unmount = smallDisk(disk, 24)
    onTestFinished(() => unmount?.())
    await git.create('full/start', { files: guide('lever') })
    const prepared = prepareDir(git.url, join(disk, 'data'), anySpace)
    const first = await startServer(prepared)
    await first.call('POST', '/api/parse', { repoUrl: `${git.url}/full/start` })
    await until(async () => (await first.job(1)).finishedAt)
    expect(await first.context('/full/start', 'what turns')).toContain('The lever turns.')
    expect(await first.end()).toBe(0)
    const second = await startServer(prepared)
    onTestFinished(() => second.kill())
    expect(() => writeFileSync(join(disk, 'ballast'), Buffer.alloc(32 * 2 ** 20))).toThrow('ENOSPC')
    expect(await second.context('/full/start', 'what turns')).toContain('The lever turns.')
  },
  240_000,
)

/** Takes the whole disk, in small pieces at the end. */
const fill = (disk: string) => {
  for (const bytes of [2 ** 20, 2 ** 12]) {
    const write = () => {
      for (;;) writeFileSync(join(disk, `ballast-${bytes}`), Buffer.alloc(bytes), { flag: 'a' })
    }
    expect(write).toThrow('ENOSPC')
  }
}
const empty = (disk: string) => {
  for (const bytes of [2 ** 20, 2 ** 12]) rmSync(join(disk, `ballast-${bytes}`))
}
const signIn = async ({ url }: ServerProcess) => {
  const headers = { 'content-type': 'application/json', origin: url }
  const body = JSON.stringify({ username: 'admin', password: 'admin' })
  return (await fetch(`${url}/api/auth/session/sign-in/username`, { method: 'POST', headers, body })).status
}

test.runIf(mountable)(
  'a server on a full disk starts after a kill during a job, serves questions and sign-ins, and continues when there is space',
  async () => {
    const disk = join(tempDir(), 'disk')
    const unmount = smallDisk(disk, 48)
    onTestFinished(() => unmount?.())
    await git.create('full/kill', { files: guide('lever') })
    // The amount is larger than the reserve, so that the job does not use the space that it frees.
    const prepared = prepareDir(git.url, join(disk, 'data'), { 'storage.minFreeMb': 8 })
    const reserve = join(disk, 'data', 'reserve')
    const first = await startServer(prepared)
    const parse = () => first.call('POST', '/api/parse', { repoUrl: `${git.url}/full/kill` })
    await parse()
    await until(async () => (await first.job(1)).finishedAt)
    expect(statSync(reserve).size).toBe(4 * 2 ** 20)
    git.misbehave('full/kill', { kind: 'stall', at: 'refs' })
    await parse()
    await until(async () => (await first.job(2)).state === 'parsing')
    await first.kill()
    fill(disk)
    git.misbehave('full/kill', undefined)

    const second = await startServer(prepared)
    onTestFinished(() => second.kill())
    expect(await second.context('/full/kill', 'what turns')).toContain('The lever turns.')
    fill(disk)
    expect((await second.call('GET', '/api/health')).status).toBe(200)
    await until(async () => (await second.call('GET', '/api/ready')).status === 200)
    expect(await signIn(second)).toBe(200)

    empty(disk)
    await until(async () => (await second.job(2)).finishedAt)
    expect((await second.job(2)).state).toBe('done')
    await until(() => statSync(reserve, { throwIfNoEntry: false })?.size === 4 * 2 ** 20)
  },
  240_000,
)

test.runIf(mountable)('the end of a job is recorded on a full disk', async () => {
  const disk = join(tempDir(), 'disk')
  const unmount = smallDisk(disk, 48)
  onTestFinished(() => unmount?.())
  await git.create('full/end', { files: guide('lever') })
  const server = await startServer(prepareDir(git.url, join(disk, 'data'), anySpace))
  onTestFinished(() => server.kill())
  git.misbehave('full/end', { kind: 'stall', at: 'refs' })
  await server.call('POST', '/api/parse', { repoUrl: `${git.url}/full/end` })
  await until(async () => (await server.job(1)).state === 'parsing')
  fill(disk)
  expect((await server.call('POST', '/api/jobs/1/cancel')).status).toBe(202)
  expect(await server.job(1)).toMatchObject({ state: 'cancelled' })
})

test.runIf(mountable)('a parse waits below the wanted space, and runs when there is space', async () => {
  const disk = join(tempDir(), 'disk')
  const unmount = smallDisk(disk, 48)
  onTestFinished(() => unmount?.())
  await git.create('wait/space', { files: guide('lever') })
  const server = await startServer(prepareDir(git.url, join(disk, 'data'), { 'storage.minFreeMb': 20 }))
  onTestFinished(() => server.kill())
  writeFileSync(join(disk, 'ballast'), Buffer.alloc(40 * 2 ** 20))
  await server.call('POST', '/api/parse', { repoUrl: `${git.url}/wait/space` })
  const { body } = await server.call('GET', '/api/jobs')
  const stage = expect.stringMatching(/^Waiting for disk space: \d MB free, 20 MB wanted$/)
  expect(body.jobs).toMatchObject([{ state: 'queued', stage }])
  expect((await server.call('GET', '/api/ready')).status).toBe(200)
  rmSync(join(disk, 'ballast'))
  await until(async () => (await server.job(1)).finishedAt)
  expect((await server.job(1)).state).toBe('done')
  expect(await server.context('/wait/space', 'what turns')).toContain('The lever turns.')
})

test('a store that runs out of space fails the job with one sentence, and the old content is served', async () => {
  let room = true
  const install = await testInstall({
    openSnippets: finishAfter(async () => {
      if (!room) throw new Error('LanceError(IO): No space left on device (os error 28)')
    }),
  })
  onTestFinished(() => install.close())
  await install.git.create('no/room', { files: guide('lever') })
  await install.parse('no/room')
  room = false
  await install.git.commit('no/room', { files: guide('pulley') })
  expect(await install.parse('no/room')).toMatchObject({ state: 'failed', error: full })
  expect(await install.context('/no/room', 'what turns')).toContain('The lever turns.')
  await until(async () => (await install.tables()).length === 2)
})
