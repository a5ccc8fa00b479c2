import { type ExecFileException, execFile } from 'node:child_process'
import { fileURLToPath } from 'node:url'
import { AppError } from '../errors.ts'
import { childEnv } from '../system/child-env.ts'
import { isNotDamage } from './is-not-damage.ts'
import { lanceSnippets } from './lance-snippets.ts'
import { loadLance } from './load-lance.ts'
import type { Verdict } from './read-guard.ts'

const maxMs = 300_000
/** None that Node ends with by itself. */
const damagedCode = 65
const crashes = new Set(['SIGABRT', 'SIGSEGV', 'SIGBUS', 'SIGILL'])

/**
 * Reads all of a generation in a process of its own, since damaged files can end it. Readable if it is gone, or refused for its format;
 * unknown if the process could not start, was killed, took too long, or lacked rights, memory or file descriptors.
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
  // Without file descriptors LanceDB aborts, too.
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
  // If it cannot be loaded, nothing is known of the content.
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
