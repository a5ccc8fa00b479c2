import { join } from 'node:path'
import { sqliteCatalog } from '../../../onprem/store/catalog/sqlite-catalog.ts'
import { openDatabase } from '../../../shared/store/database.ts'
import { generationFormat } from '../../../shared/store/generation-format.ts'
import { hardLink } from '../../fixtures/hard-link.ts'
import type { Documentation } from '../documentation.ts'
import { questionsFor, slices } from '../libraries.ts'
import type { Report } from '../report.ts'
import { ask } from './ask.ts'
import { fill, generationOf } from './fill.ts'
import { prepare } from './prepare.ts'
import { startServerProcess } from './server-process.ts'

/** Half of them fill all caches. */
const libraries = 600
/** The text per library, about 5,000 snippets. */
const bytes = 3e6
const questionsPerLibrary = 2

/** Memory after questions to many libraries in turn: hard links of one library. */
export async function benchMemory({ note }: Report, dataDir: string, texts: Documentation): Promise<void> {
  const [library] = slices(texts, 1, bytes)
  if (!library) return
  await prepare(dataDir, {})
  const { snippets } = await fill(dataDir, [library])
  const ids = link(dataDir, snippets)
  const questions = questionsFor(library, questionsPerLibrary * libraries, 1).values()
  const server = await startServerProcess(dataDir)
  const [before, idleMb] = [server.cpuSeconds(), server.rssMb()]
  let halfMb = 0
  for (const [i, id] of ids.entries()) {
    if (i === libraries / 2) halfMb = server.rssMb()
    for (let n = 0; n < questionsPerLibrary; n++) await ask(server, id, questions.next().value ?? '')
  }
  const [endMb, cpuSeconds] = [server.rssMb(), server.cpuSeconds() - before]
  await server.stop()
  const figure = `memory after questions to ${libraries} libraries of ${snippets} snippets`
  note({ figure, wanted: { max: 400 }, measured: endMb, unit: 'MB', cpuSeconds })
  note({ figure: '  floor: the server before the first question', measured: idleMb, unit: 'MB' })
  note({ figure: '  growth with the second half', wanted: { max: 40 }, measured: endMb - halfMb, unit: 'MB' })
}

function link(dataDir: string, snippets: number): string[] {
  const db = openDatabase(dataDir)
  const catalog = sqliteCatalog(db, () => new Date())
  const table = (generation: string, suffix: string) => join(dataDir, 'snippets', `${generation}${suffix}.lance`)
  const ids: string[] = []
  for (let number = 1; number <= libraries; number++) {
    const generation = generationOf(number)
    for (const suffix of ['', '.statistics']) hardLink(table(generationOf(0), suffix), table(generation, suffix))
    const id = `/bench/copy-${number}`
    const facts = { title: id, description: '', branch: 'main', private: false, aliases: [], settings: {} }
    const content = { rules: [], format: generationFormat, tokens: snippets, snippets, codeSnippets: 0 }
    catalog.reserve(generation, 0)
    catalog.publish({ id, sourceUrl: `https://github.com${id}`, ...facts }, [
      { version: '', ref: 'main', generation, commit: 'bench', ...content },
    ])
    ids.push(id)
  }
  db.close()
  return ids
}
