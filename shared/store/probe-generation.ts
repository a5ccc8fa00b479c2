import { type ExecFileException, execFile } from 'node:child_process'
import { fileURLToPath } from 'node:url'
import { AppError } from '../errors.ts'
import { childEnv } from '../system/child-env.ts'
import { isNotDamage } from './is-not-damage.ts'
import { lanceSnippets } from './lance-snippets.ts'
import { loadLance } from './load-lance.ts'
import type { Verdict } from './read-guard.ts'

const maxMs = 300_000
/** An exit code that Node does not use. */
const damagedCode = 65
const crashes = new Set(['SIGABRT', 'SIGSEGV', 'SIGBUS', 'SIGILL'])

/**
 * Reads all of a generation in a separate process, because damaged files can crash it. Returns readable if the generation is gone or its format is
 * not supported, unknown if the process could not start, was killed, timed out, or lacked permissions, memory or file descriptors.
 */
export function probeGeneration(folder: string, generation: string, { timeout = maxMs } = {}): Promise<Verdict> {
  const options = { timeout, killSignal: 'SIGKILL', env: childEnv() } as const
  return new Promise((resolve) => {
    execFile(process.execPath, [fileURLToPath(import.meta.url), folder, generation], options, (error, _, stderr) =>
      resolve(verdictOf(error, stderr)),
    )
  })
}

function verdictOf(error: ExecFileException | null, stderr: string): Verdict {
  if (!error) return 'readable'
  // LanceDB also aborts if it has no file descriptors.
  if (isNotDamage(stderr)) return 'unknown'
  return error.code === damagedCode || crashes.has(error.signal ?? '') ? 'damaged' : 'unknown'
}

async function readAll(folder: string, generation: string): Promise<void> {
  const store = lanceSnippets(folder)
  if (!(await store.statistics(generation))) return
  for await (const [row] of store.read(generation, { vectors: true })) {
    const [term = ''] = row?.terms.split(' ') ?? []
    await store.search(generation, [{ term, weight: 1 }], 1)
    if (row?.vector) await store.searchVector(generation, row.vector, 1)
  }
}

if (import.meta.main) {
  const [, , folder = '', generation = ''] = process.argv
  // If LanceDB cannot be loaded, that says nothing about the content.
  await loadLance()
  const code = await readAll(folder, generation).then(
    () => 0,
    (error: unknown) => {
      if (error instanceof AppError) return 0
      process.stderr.write(`${error}\n`)
      return damagedCode
    },
  )
  process.exit(code)
}
