import { afterAll, beforeAll, expect, test } from 'vitest'
import { dynamoJobs } from '../../../functions/dynamo/jobs/dynamo-jobs.ts'
import { workLibrary } from '../../../functions/worker/work-library.ts'
import { type TestWorker, testWorker } from '../../fixtures/hosted-worker.ts'
import { page } from '../../fixtures/page.ts'

let worker: TestWorker
const never = new AbortController().signal
const work = (key: string) => workLibrary(worker.ports, key, never)
const files = (words: string) => ({ 'README.md': page('Guide', words) })

beforeAll(async () => {
  worker = await testWorker()
})
afterAll(() => worker.close())

test('a worker that lost its lease publishes nothing, and its generation is deleted', async () => {
  await worker.git.create('flow/lost', { files: files('The old lever turns.') })
  await work(await worker.queue('flow/lost'))
  await worker.git.commit('flow/lost', { files: files('The new lever turns.') })
  const key = await worker.queue('flow/lost')
  // Its renewals are not sent, so that only the rejected publish tells it that the lease is lost.
  const asleep = { ...worker.ports.jobs, renew: async () => true }
  const reached = Promise.withResolvers<void>()
  const goOn = Promise.withResolvers<void>()
  const snippets = {
    ...worker.ports.snippets,
    async write(generation: string) {
      reached.resolve()
      await goOn.promise
      return worker.ports.snippets.write(generation)
    },
  }
  const first = workLibrary({ ...worker.ports, jobs: asleep, snippets }, key, never)
  await reached.promise
  const later = dynamoJobs({ table: worker.table, now: () => new Date(Date.now() + 3_000) })
  const second = { ...worker.ports, jobs: { ...worker.ports.jobs, claim: later.claim } }
  expect(await workLibrary(second, key, never)).toBe('finalized')
  const { generation } = (await worker.record('flow/lost')).versions.get('') ?? {}
  const job = generation?.split('-')[0] ?? 'none'
  goOn.resolve()
  expect(await first).toBe('lost')
  expect((await worker.record('flow/lost')).versions.get('')?.generation).toBe(generation)
  const swept = await worker.ports.catalog.unowned([], new Date())
  expect(swept.filter((each) => each.startsWith(job))).toHaveLength(1)
  expect(swept).not.toContain(generation)
  expect(await worker.ask('/flow/lost', 'lever')).toContain('The new lever turns.')
})

test('a worker that cannot renew its lease aborts before the lease expires, and the next worker does the job', async () => {
  await worker.git.create('flow/mute', { files: files('The lever turns.') })
  worker.git.misbehave('flow/mute', { kind: 'stall', at: 'refs' })
  const key = await worker.queue('flow/mute')
  const jobs = { ...worker.ports.jobs, renew: () => Promise.reject(new Error('throttled')) }
  expect(await workLibrary({ ...worker.ports, jobs }, key, never)).toBe('lost')
  worker.git.misbehave('flow/mute')
  expect(await work(key)).toBe('finalized')
})

test('a library whose workers keep dying fails after a limit', async () => {
  await worker.git.create('flow/deadly', { files: files('The lever turns.') })
  const key = await worker.queue('flow/deadly')
  for (let deaths = 0; deaths < 4; deaths++) {
    await worker.ports.jobs.claim(key, `worker ${deaths}`)
    await worker.ports.jobs.recover()
  }
  expect(await work(key)).toBe('failed')
  expect((await worker.record('flow/deadly')).lastError).toContain('4 workers died')
})
