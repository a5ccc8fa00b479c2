import { expect, test } from 'vitest'
import { localWorker } from '../../../functions/worker/local-worker.ts'
import { testWorker } from '../../fixtures/hosted-worker.ts'
import { page } from '../../fixtures/page.ts'
import { until } from '../../fixtures/until.ts'

const files = (words: string) => ({ 'README.md': page('Guide', words) })

test('the local worker runs queued and interrupted jobs, and runs others while one pauses', async () => {
  const local = await testWorker()
  try {
    const { git, ports } = local
    await git.create('local/interrupted', { files: files('The lever turns.') })
    await git.create('local/pauses', { files: files('The wheel turns.') })
    await git.create('local/behind', { files: files('The crank turns.') })
    git.misbehave('local/pauses', { kind: 'status', status: 503, times: 1 })
    const interrupted = await local.queue('local/interrupted')
    await ports.jobs.claim(interrupted, 'the process before')
    await local.queue('local/pauses')
    const looping = localWorker({ ...ports, limits: { ...ports.limits, retryPausesMs: [700] } })
    looping.start()
    await until(async () => (await local.record('local/interrupted')).library.state === 'finalized')
    await local.queue('local/behind')
    looping.wake()
    const isDone = async (repo: string) => (await local.record(repo)).library.state === 'finalized'
    await until(() => isDone('local/behind'))
    expect(await isDone('local/pauses')).toBe(false)
    await until(() => isDone('local/pauses'))
    await looping.stop()
    expect(local.troubles.filter(({ message }) => message !== 'a run of a job failed')).toEqual([
      { message: 'interrupted jobs start over', fields: { jobs: 1 } },
    ])
  } finally {
    await local.close()
  }
})

test('a local worker that stops queues its job again', async () => {
  const local = await testWorker()
  try {
    await local.git.create('local/stops', { files: files('The lever turns.') })
    local.git.misbehave('local/stops', { kind: 'stall', at: 'pack' })
    const key = await local.queue('local/stops')
    const looping = localWorker(local.ports)
    looping.start()
    await until(async () => (await local.ports.jobs.find(key))?.state === 'running')
    await looping.stop()
    expect(await local.ports.jobs.find(key)).toMatchObject({ state: 'queued', interruptions: 0 })
  } finally {
    await local.close()
  }
})
