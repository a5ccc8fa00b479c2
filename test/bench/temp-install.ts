import { mkdtemp, rm } from 'node:fs/promises'
import { createServer } from 'node:net'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { setTimeout as sleep } from 'node:timers/promises'
import { readConfig } from '../../onprem/config.ts'
import { type Install, startInstall } from '../../onprem/install.ts'
import type { Job } from '../../onprem/store/job.ts'
import type { Log } from '../../shared/log.ts'

export type TempInstall = Install & {
  key: string
  dataDir: string
  parse(repoUrl: string, more?: Record<string, unknown>): Promise<Job>
  /** Imports a body and answers its ended jobs. */
  import(body: FormData | string, force: boolean): Promise<Job[]>
  close(): Promise<void>
}

const silent: Log = { info: () => undefined, warn: () => undefined, error: (fields, message) => console.error(message, fields) }

/** A whole install on a folder of its own, whose GitHub is the given server. */
export async function tempInstall(gitUrl: string): Promise<TempInstall> {
  const dataDir = await mkdtemp(join(tmpdir(), 'carrel-bench-'))
  const install = await startInstall(readConfig({ PORT: '0', DATA_DIR: dataDir }), process.env, silent)
  install.app.settings.change({ 'github.baseUrl': gitUrl })
  const { key } = install.app.keys.create({ name: 'bench', role: 'admin' })
  const ended = async (id: number) => {
    for (;;) {
      const job = install.app.jobs.get(id)
      if (job?.state === 'done') return job
      if (job?.state === 'failed' || job?.state === 'cancelled') throw new Error(`${job.project}: ${job.error}`)
      await sleep(5)
    }
  }
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
      return ended(queued.queueId)
    },
    async import(body, force) {
      const headers = {
        authorization: `Bearer ${key}`,
        ...(typeof body === 'string' ? { 'content-type': 'application/json' } : {}),
      }
      const answer = await fetch(`${install.url}/api/import-libraries?force=${force}`, { method: 'POST', headers, body })
      const { queued, skipped, message } = (await answer.json()) as { queued: string[]; skipped: unknown[]; message: string }
      if (!answer.ok || skipped.length > 0) throw new Error(`${message} ${JSON.stringify(skipped)}`)
      const jobs = install.app.jobs.list(1, 200).jobs.filter(({ kind, project }) => kind === 'import' && queued.includes(project))
      return Promise.all(jobs.map(({ id }) => ended(id)))
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
