import { join } from 'node:path'
import { titleOf } from '../../../shared/snippet.ts'
import { lanceSnippets } from '../../../shared/store/lance-snippets.ts'
import { measured, median, quantile, type Report } from '../report.ts'
import { generationOf } from './fill.ts'
import { type TextTable, textTable } from './floor.ts'

/** A question to a library, by its position. */
export type Asked = { library: number; question: string }

/** The same questions on the same rows in SQLite, in this process, without HTTP. */
export async function askFloor(
  { note }: Pick<Report, 'note'>,
  dataDir: string,
  libraries: number,
  asked: Asked[],
): Promise<void> {
  const store = lanceSnippets(join(dataDir, 'snippets'))
  const tables: TextTable[] = []
  for (let number = 0; number < libraries; number++) {
    const table = textTable(join(dataDir, `floor-${number}.db`))
    for await (const rows of store.scan(generationOf(number)))
      table.add(rows.map((row) => ({ title: titleOf(row), text: row.content })))
    tables.push(table)
  }
  store.close()
  const times: number[] = []
  const { cpuSeconds } = await measured(() => {
    for (const { library, question } of asked) {
      const began = performance.now()
      tables[library]?.find(question)
      times.push(performance.now() - began)
    }
  })
  for (const table of tables) table.close()
  const more = `p95 ${quantile(times, 0.95).toFixed(1)}`
  note({ figure: '  floor: SQLite FTS5, BM25, in process, p50', measured: median(times), unit: 'ms', cpuSeconds, more })
}
