import type { Documentation } from '../documentation.ts'
import { questionsFor, slices } from '../libraries.ts'
import type { Report } from '../report.ts'
import { ask } from './ask.ts'
import { fill } from './fill.ts'
import { linkCopies } from './link-copies.ts'
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
  const ids = linkCopies(dataDir, libraries, { snippets })
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
