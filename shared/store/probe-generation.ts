import { type ExecFileException, execFile } from 'node:child_process'
import { fileURLToPath } from 'node:url'
import { childEnv } from '../system/child-env.ts'
import { isNotDamage } from './is-not-damage.ts'
import type { Verdict } from './read-guard.ts'

const maxMs = 300_000
/** An exit code that Node does not use. */
export const damagedCode = 65
const crashes = new Set(['SIGABRT', 'SIGSEGV', 'SIGBUS', 'SIGILL'])

/**
 * Reads all of a generation in a separate process, because damaged files can crash it. Returns readable if the generation is gone or its format is
 * not supported, unknown if the process could not start, was killed, timed out, or lacked permissions, memory or file descriptors.
 */
export function probeGeneration(folder: string, generation: string, { timeout = maxMs } = {}): Promise<Verdict> {
  const program = fileURLToPath(new URL('./probe-generation-process.ts', import.meta.url))
  const options = { timeout, killSignal: 'SIGKILL', env: childEnv() } as const
  return new Promise((resolve) => {
    execFile(process.execPath, [program, folder, generation], options, (error, _, stderr) => resolve(verdictOf(error, stderr)))
  })
}

function verdictOf(error: ExecFileException | null, stderr: string): Verdict {
  if (!error) return 'readable'
  // LanceDB also aborts if it has no file descriptors.
  if (isNotDamage(stderr)) return 'unknown'
  return error.code === damagedCode || crashes.has(error.signal ?? '') ? 'damaged' : 'unknown'
}
