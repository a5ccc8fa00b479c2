import { execFile } from 'node:child_process'
import { fileURLToPath } from 'node:url'
import { lanceSnippets } from './lance-snippets.ts'

const maxMs = 300_000

/** Whether all of a generation can be read, in a process of its own that may die of it. True if it is gone. */
export function probeGeneration(folder: string, generation: string): Promise<boolean> {
  const options = { timeout: maxMs, killSignal: 'SIGKILL', env: {} } as const
  return new Promise((resolve) => {
    execFile(process.execPath, [fileURLToPath(import.meta.url), folder, generation], options, (error) => resolve(error === null))
  })
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
  await readAll(folder, generation)
  process.exit(0)
}
