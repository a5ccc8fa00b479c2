import { mkdtemp, rm } from 'node:fs/promises'
import { createServer } from 'node:net'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { setTimeout as sleep } from 'node:timers/promises'
import { readConfig } from '../../onprem/config.ts'
import { type Install, startInstall } from '../../onprem/install.ts'
import type { Job } from '../../onprem/jobs/job.ts'
import type { Log } from '../../shared/log.ts'

export type TempInstall = Install & {
  key: string
  dataDir: string
  parse(repoUrl: string, more?: Record<string, unknown>): Promise<Job>
  close(): Promise<void>
}

const silent: Log = { info: () => undefined, warn: () => undefined, error: (fields, message) => console.error(message, fields) }

/** A whole install on a folder of its own, whose GitHub is the given server. */
export async function tempInstall(gitUrl: string): Promise<TempInstall> {
  const dataDir = await mkdtemp(join(tmpdir(), 'carrel-bench-'))
  const install = await startInstall(readConfig({ PORT: '0', DATA_DIR: dataDir }), process.env, silent)
  install.app.settings.change({ 'github.baseUrl': gitUrl })
  const { key } = install.app.keys.create({ name: 'bench', role: 'admin' })
  return {
    ...install,
    key,
    dataDir,
    async parse(repoUrl, more = {}) {
      const headers = { authorization: `Bearer ${key}`, 'content-type': 'application/json' }
      const answer = await fetch(`${install.url}/api/parse`, {
        method: 'POST',
        headers,
        body: JSON.stringify({ repoUrl, ...more }),
      })
      const queued = (await answer.json()) as { queueId: number; message: string }
      if (!answer.ok) throw new Error(queued.message)
      for (;;) {
        const job = install.app.jobs.get(queued.queueId)
        if (job?.state === 'done') return job
        if (job?.state === 'failed' || job?.state === 'cancelled') throw new Error(`${repoUrl}: ${job.error}`)
        await sleep(5)
      }
    },
    async close() {
      await install.stop()
      await rm(dataDir, { recursive: true, force: true })
    },
  }
}

export async function freePort(): Promise<number> {
  const server = createServer()
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve))
  const address = server.address()
  await new Promise((resolve) => server.close(resolve))
  if (address === null || typeof address === 'string') throw new Error('no free port')
  return address.port
}
