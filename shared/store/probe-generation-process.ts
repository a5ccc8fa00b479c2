import { AppError } from '../errors.ts'
import { lanceSnippets } from './lance-snippets.ts'
import { loadLance } from './load-lance.ts'
import { damagedCode } from './probe-generation.ts'

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

async function readAll(folder: string, generation: string): Promise<void> {
  const store = lanceSnippets(folder)
  if (!(await store.statistics(generation))) return
  for await (const [row] of store.read(generation, { vectors: true })) {
    const [term = ''] = row?.terms.split(' ') ?? []
    await store.search(generation, [{ term, weight: 1 }], 1)
    if (row?.vector) await store.searchVector(generation, row.vector, 1)
  }
}
