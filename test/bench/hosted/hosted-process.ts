import { spawn } from 'node:child_process'
import { once } from 'node:events'
import { readFileSync, writeFileSync } from 'node:fs'
import { dirname, join } from 'node:path'
import { setTimeout as sleep } from 'node:timers/promises'
import { readAdminAddress } from '../../../functions/local/admin-address.ts'
import { listening } from '../../fixtures/listening.ts'

/** `npm run hosted` in a child process. */
export type HostedProcess = {
  url: string
  rssMb(): number
  /** Peak memory since `forgetPeak`. */
  peakMb(): number
  forgetPeak(): void
  /** Sends a request to its admin port. */
  admin<Answer>(path: string, body?: unknown): Promise<Answer>
  stop(): Promise<void>
}

const idleMs = 1500
const root = new URL('../../..', import.meta.url).pathname
const { scripts } = JSON.parse(readFileSync(join(root, 'package.json'), 'utf8')) as { scripts: { hosted: string } }

export async function startHosted(dataDir: string, more: Record<string, string> = {}): Promise<HostedProcess> {
  const path = `${dirname(process.execPath)}:${process.env.PATH}`
  const child = spawn('sh', ['-c', scripts.hosted], {
    cwd: root,
    env: { ...process.env, PATH: path, PORT: '0', HOST: '127.0.0.1', DATA_DIR: dataDir, ...more },
    stdio: ['ignore', 'pipe', 'inherit'],
  })
  const url = await listening(child)
  const memory = (line: 'VmRSS' | 'VmHWM') =>
    Number(new RegExp(`${line}:\\s+(\\d+)`).exec(readFileSync(`/proc/${child.pid}/status`, 'utf8'))?.[1]) / 1024
  return {
    url,
    rssMb: () => memory('VmRSS'),
    peakMb: () => memory('VmHWM'),
    forgetPeak: () => writeFileSync(`/proc/${child.pid}/clear_refs`, '5'),
    async admin(path, body) {
      const address = readAdminAddress(dataDir)
      if (address === undefined) throw new Error('the hosted half has announced no port for its command line')
      const headers = { authorization: `Bearer ${address.secret}`, 'content-type': 'application/json' }
      const init = body === undefined ? { headers } : { headers, method: 'POST', body: JSON.stringify(body) }
      const answer = await fetch(`${address.url}/${path}`, init)
      if (!answer.ok) throw new Error(await answer.text())
      return ((await answer.json()) as { answer: never }).answer
    },
    async stop() {
      child.kill('SIGTERM')
      if (child.exitCode === null && child.signalCode === null) await once(child, 'exit')
    },
  }
}

/** Runs `work` with a new process and its idle memory. */
export async function onFreshHosted(
  dataDir: string,
  work: (server: HostedProcess, idleMb: number) => Promise<unknown>,
): Promise<void> {
  const server = await startHosted(dataDir)
  try {
    await fetch(`${server.url}/api/health`)
    await sleep(idleMs)
    const idleMb = server.rssMb()
    server.forgetPeak()
    await work(server, idleMb)
  } finally {
    await server.stop()
  }
}
