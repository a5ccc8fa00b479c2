import { type ChildProcess, spawn } from 'node:child_process'
import { once } from 'node:events'
import { readFileSync, writeFileSync } from 'node:fs'
import { setTimeout as sleep } from 'node:timers/promises'
import { freePort } from '../../fixtures/free-port.ts'

export type ServerProcess = {
  url: string
  readyMs: number
  rssMb(): number
  /** Peak memory since `forgetPeak`. */
  peakMb(): number
  forgetPeak(): void
  /** CPU time of the server and of its ended children so far. */
  cpuSeconds(): number
  stop(): Promise<void>
}

const root = new URL('../../..', import.meta.url).pathname

/** Runs `npm start` in a child process. Resolves when the server is ready. */
export async function startServerProcess(dataDir: string): Promise<ServerProcess> {
  const port = await freePort()
  const env = { ...process.env, PORT: String(port), DATA_DIR: dataDir }
  const began = performance.now()
  const child = spawn('npm', ['start', '--silent'], { cwd: root, env, stdio: 'ignore', detached: true })
  const url = `http://127.0.0.1:${port}`
  while (!(await isReady(url))) {
    if (child.exitCode !== null) throw new Error('the server did not start')
    await sleep(5)
  }
  const readyMs = performance.now() - began
  const server = serverBelow(Number(child.pid))
  return {
    url,
    readyMs,
    rssMb: () => memory(server, 'VmRSS'),
    peakMb: () => memory(server, 'VmHWM'),
    forgetPeak: () => writeFileSync(`/proc/${server}/clear_refs`, '5'),
    cpuSeconds: () => cpuSeconds(server),
    stop: () => stop(child, server),
  }
}

async function isReady(url: string): Promise<boolean> {
  return fetch(`${url}/api/ready`).then(
    ({ ok }) => ok,
    () => false,
  )
}

async function stop(child: ChildProcess, server: number): Promise<void> {
  process.kill(server, 'SIGTERM')
  if (child.exitCode === null) await once(child, 'exit')
}

/** Finds the server among the descendants of npm, which starts it in a shell. */
function serverBelow(pid: number): number {
  const below = readFileSync(`/proc/${pid}/task/${pid}/children`, 'utf8').trim().split(' ').filter(Boolean).map(Number)
  for (const child of below) {
    const [program = '', ...words] = readFileSync(`/proc/${child}/cmdline`, 'utf8').split('\0')
    if (/node$/.test(program) && words.includes('onprem/main.ts')) return child
  }
  const [only] = below
  if (only === undefined) throw new Error('npm start runs no server')
  return serverBelow(only)
}

const ticksPerSecond = 100

/** User and system time from `/proc/<pid>/stat`. Fields are counted from the end of the program's name. */
export function cpuSeconds(pid: number): number {
  const stat = readFileSync(`/proc/${pid}/stat`, 'utf8')
  const fields = stat.slice(stat.lastIndexOf(')') + 2).split(' ')
  return fields.slice(11, 15).reduce((sum, ticks) => sum + Number(ticks), 0) / ticksPerSecond
}

/** MB of a line of `/proc/<pid>/status`. */
function memory(pid: number, line: 'VmRSS' | 'VmHWM'): number {
  const kb = new RegExp(`${line}:\\s+(\\d+)`).exec(readFileSync(`/proc/${pid}/status`, 'utf8'))?.[1]
  return Number(kb) / 1024
}
