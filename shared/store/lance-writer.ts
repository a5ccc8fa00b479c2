import type { Connection, Table } from '@lancedb/lancedb'
import type { GenerationWriter, SnippetRow } from '../search/snippet-store.ts'
import { formatMetadata } from './generation-format.ts'
import { rowSchema, toArrow } from './lance-rows.ts'
import { loadArrow, loadLance } from './load-lance.ts'

const batchRows = 500
const batchBytes = 4 * 1024 * 1024
/** With more numbers, an index is faster than a full scan. */
const indexedNumbers = 10_000_000
/** Training vectors per partition. The default of 256 would read all of a library into memory. */
const sampleRate = 64

export const statisticsSuffix = '.statistics'

/** `begun` is the table that an interrupted writer has left. `drop` deletes the generation. */
export async function lanceWriter(
  db: Connection,
  { generation, format }: { generation: string; format: number },
  begun: Table | undefined,
  drop: () => Promise<void>,
): Promise<GenerationWriter> {
  const written = (await begun?.countRows()) ?? 0
  let dimensions = begun && (await dimensionsOf(begun))
  let table = begun
  let rows = written
  let batches = begun ? 2 : 0
  let waiting: SnippetRow[] = []
  let waitingBytes = 0
  const flush = async () => {
    if (waiting.length === 0) return
    await loadLance()
    if (!table) dimensions = waiting[0]?.vector?.length
    const batch = toArrow(waiting, rowSchema(dimensions, format), dimensions)
    rows += waiting.length
    waiting = []
    waitingBytes = 0
    if (table) await table.add(batch)
    else table = await db.createTable(generation, batch)
    batches += 1
  }
  return {
    written,
    async add(more) {
      for (const row of more) {
        waiting.push(row)
        waitingBytes += row.content.length + row.terms.length
        if (waiting.length >= batchRows || waitingBytes >= batchBytes) await flush()
      }
    },
    async finish(statistics) {
      await flush()
      const { Index } = await loadLance()
      table ??= await db.createEmptyTable(generation, rowSchema(undefined, format))
      await table.createIndex('terms', {
        config: Index.fts({
          baseTokenizer: 'whitespace',
          withPosition: false,
          stem: false,
          removeStopWords: false,
          lowercase: false,
          asciiFolding: false,
          maxTokenLength: 1000,
        }),
      })
      if (rows * (dimensions ?? 0) > indexedNumbers)
        await table.createIndex('vector', { config: Index.ivfRq({ distanceType: 'cosine', sampleRate }) })
      if (batches > 1) await table.optimize({ cleanupOlderThan: new Date() })
      const statisticsTable = await db.createTable(
        generation + statisticsSuffix,
        await statisticsBatch(statistics, format),
        // An interrupted writer may have written it already.
        { mode: 'overwrite' },
      )
      statisticsTable.close()
      table.close()
    },
    async abort() {
      table?.close()
      await drop()
    },
  }
}

/** Of the vectors of a table; undefined where it has none. */
export async function dimensionsOf(table: Table): Promise<number | undefined> {
  const field = (await table.schema()).fields.find(({ name }) => name === 'vector')
  return field?.type.listSize
}

async function statisticsBatch(bytes: Uint8Array, format: number) {
  const { makeArrowTable } = await loadLance()
  const { Binary, Field, Schema } = loadArrow()
  return makeArrowTable([{ bytes }], {
    schema: new Schema([new Field('bytes', new Binary(), false)], formatMetadata(format)),
  })
}
