import { type ChildProcess, spawn } from 'node:child_process'
import { once } from 'node:events'
import { readdir } from 'node:fs/promises'
import { join } from 'node:path'
import { setTimeout as sleep } from 'node:timers/promises'
import { expect, onTestFinished, test } from 'vitest'
import type { HostedJob } from '../../../functions/jobs/hosted-jobs.ts'
import { sweepJobs } from '../../../functions/jobs/schedule.ts'
import { workLibrary } from '../../../functions/worker/work-library.ts'
import { sweeper } from '../../../shared/indexing/sweeper.ts'
import { testWorker } from '../../fixtures/hosted-worker.ts'
import { page } from '../../fixtures/page.ts'
import { until } from '../../fixtures/until.ts'

const program = new URL('../../fixtures/work-one.ts', import.meta.url).pathname
const pages = 300
const edition = (word: string) =>
  Object.fromEntries(
    Array.from({ length: pages }, (_, n) => [`docs/${n}.md`, page(`Page ${n}`, `The ${word} lever ${n} turns.`)]),
  )

test('the job of a killed worker is done once by another after its lease has expired, and the old content is served meanwhile', async () => {
  const worker = await testWorker()
  onTestFinished(() => worker.close())
  const { catalog, jobs, snippets, log, now } = worker.ports
  await worker.git.create('kill/nine', { files: edition('old') })
  await workLibrary(worker.ports, await worker.queue('kill/nine'), new AbortController().signal)
  await worker.git.commit('kill/nine', { files: edition('new') })
  const key = await worker.queue('kill/nine')
  const { hostname, port } = (await worker.table.db.config.endpoint?.()) ?? {}
  const start = () => {
    const child = spawn(process.execPath, [program, `http://${hostname}:${port}`, worker.folder, worker.git.url, key], {
      stdio: ['ignore', 'pipe', 'inherit'],
    })
    onTestFinished(() => void child.kill('SIGKILL'))
    return child
  }
  const moments = [
    () => true,
    ({ progress }: HostedJob) => progress.filesTotal === pages,
    ({ progress }: HostedJob) => progress.filesDone > pages / 3,
  ]
  for (const [kills, reached] of moments.entries()) {
    const child = start()
    await until(async () => {
      const job = await jobs.find(key)
      return job?.state === 'running' && job.interruptions === kills && reached(job)
    })
    await kill(child)
    expect(await worker.ask('/kill/nine', 'which lever turns')).toContain('The old lever')
    const sent: string[] = []
    await until(async () => {
      await sleep(50)
      return sweepJobs({ jobs, now, queue: { send: async (each) => void sent.push(each) } })
    })
    expect(sent).toEqual([key])
    expect(await jobs.find(key)).toMatchObject({ state: 'running', interruptions: kills })
  }
  const last = start()
  const [out = []] = await Promise.all([last.stdout?.toArray(), once(last, 'exit')])
  expect(Buffer.concat(out).toString()).toBe('finalized')
  const answer = await worker.ask('/kill/nine', 'which lever turns')
  expect([answer.includes('The new lever'), answer.includes('The old lever')]).toEqual([true, false])
  const { library, versions } = await worker.record('kill/nine')
  expect([library.state, library.totalSnippets]).toEqual(['finalized', pages])
  expect(await jobs.active()).toEqual([])

  await sweeper({ catalog, snippets, log, now }, 0)()
  const { generation } = versions.get('') ?? {}
  const tables = (await readdir(join(worker.folder, 'snippets'))).filter((name) => name.endsWith('.lance'))
  expect(tables.sort()).toEqual([`${generation}.lance`, `${generation}.statistics.lance`])
})

async function kill(child: ChildProcess): Promise<void> {
  const gone = once(child, 'exit')
  child.kill('SIGKILL')
  await gone
}
