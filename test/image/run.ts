import { execFileSync, spawn } from 'node:child_process'
import { once } from 'node:events'

/** Runs a program and returns its standard output. Its standard error is shown if it fails. */
export function run(program: string, ...args: string[]): string {
  return execFileSync(program, args, { encoding: 'utf8', maxBuffer: 2 ** 28, stdio: ['ignore', 'pipe', 'pipe'] })
}

export type Ended = { code: number | null; output: string }

/** Runs a program to its end, with any exit code. `output` is the text of both of its outputs. It is killed after `seconds`. */
export async function runToEnd(seconds: number, program: string, ...args: string[]): Promise<Ended> {
  const child = spawn(program, args, { stdio: ['ignore', 'pipe', 'pipe'], timeout: seconds * 1000, killSignal: 'SIGKILL' })
  const pieces: Buffer[] = []
  for (const stream of [child.stdout, child.stderr]) stream.on('data', (piece: Buffer) => pieces.push(piece))
  const [code] = await once(child, 'close')
  return { code, output: Buffer.concat(pieces).toString() }
}
