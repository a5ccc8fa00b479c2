import { type ChildProcess, spawn } from 'node:child_process'
import { once } from 'node:events'
import { globSync, readFileSync } from 'node:fs'
import { until } from '../fixtures/until.ts'
import { type Ended, runToEnd } from './run.ts'

const runtime = ['--runtime', 'runc', '--log-level', 'fatal']

export type ContainerOptions = {
  image: string
  name: string
  env?: Record<string, string>
  /** Further options of `podman run`, such as `--user`. */
  options?: string[]
  /** The words after the image. */
  command?: string[]
  /** The beginning of the names of files that get every connection attempt of the container's processes. */
  trace?: string
}

/** It shares the network of this process, which has only loopback. */
const words = ({ image, name, env = {}, options = [], command = [] }: ContainerOptions): string[] => [
  ...runtime,
  'run',
  '--rm',
  '--name',
  name,
  '--network=host',
  // podman has no timer for checks without systemd. The test runs the check itself.
  '--health-interval=disable',
  // Podman's defaults need the right to raise limits.
  '--ulimit=nofile=4096:4096',
  '--ulimit=nproc=4096:4096',
  ...Object.entries(env).flatMap(([key, value]) => ['--env', `${key}=${value}`]),
  ...options,
  image,
  ...command,
]

/** Runs a container until it ends. */
export const runContainer = (options: ContainerOptions): Promise<Ended> => runToEnd(120, 'podman', ...words(options))

export type Container = Awaited<ReturnType<typeof startContainer>>

/** Starts a container without waiting for its server. */
export function startContainer({ trace, ...options }: ContainerOptions) {
  let traces = 0
  const podmanTraced = (...more: string[]): [string, ...string[]] => {
    if (trace === undefined) return ['podman', ...more]
    // libuv sends UDP packets with the last two.
    const calls = 'trace=connect,sendto,sendmsg,sendmmsg'
    return ['strace', '-f', '-qq', '-e', calls, '-o', `${trace}-${traces++}`, 'podman', ...more]
  }
  const [program, ...args] = podmanTraced(...words(options))
  const child: ChildProcess = spawn(program, args, { stdio: ['ignore', 'pipe', 'pipe'] })
  const pieces: Buffer[] = []
  for (const stream of [child.stdout, child.stderr]) stream?.on('data', (piece: Buffer) => pieces.push(piece))
  const ended = once(child, 'close').then(([code]) => code as number | null)
  const podman = (...more: string[]) => runToEnd(60, 'podman', ...runtime, ...more)
  return {
    ended,
    output: () => Buffer.concat(pieces).toString(),
    /** Runs a program in the container, like `docker exec`. */
    exec: (...command: string[]) => runToEnd(60, ...podmanTraced(...runtime, 'exec', options.name, ...command)),
    checkHealth: () => podman('healthcheck', 'run', options.name),
    /** Sends a signal and returns the exit code and how long the container took. */
    async end(signal: 'TERM' | 'KILL'): Promise<{ code: number | null; seconds: number }> {
      const begin = performance.now()
      const { code, output } = await podman('kill', '--signal', signal, options.name)
      if (code !== 0) throw new Error(output)
      return { code: await ended, seconds: (performance.now() - begin) / 1000 }
    },
  }
}

/** Waits until the server answers and returns the seconds. Throws what the container wrote if it ends before. */
export async function answers(container: Container, url: string): Promise<number> {
  const begin = performance.now()
  let code: number | null | undefined
  void container.ended.then((ended) => {
    code = ended
  })
  await until(async () => {
    if (code !== undefined) throw new Error(`the container ended with ${code}:\n${container.output()}`)
    return fetch(`${url}/api/ready`).then(
      ({ ok }) => ok,
      () => false,
    )
  }, 120)
  return (performance.now() - begin) / 1000
}

/** The addresses beyond loopback in the traces of a container. */
export function foreignAddresses(trace: string): { attempts: number; foreign: string[] } {
  const files = globSync(`${trace}-*`)
  if (files.length === 0) throw new Error(`${trace} was not written`)
  const lines = files.flatMap((file) => readFileSync(file, 'utf8').split('\n'))
  const inet = lines.filter((line) => /sa_family=AF_INET6?\b/.test(line))
  const local = /inet_addr\("127\.|"::1"|"::ffff:127\./
  return { attempts: inet.length, foreign: inet.filter((line) => !local.test(line)) }
}

/** A folder of the host as the data directory. */
export const dataVolume = (folder: string, options = 'rw') => `--volume=${folder}:/data:${options}`
