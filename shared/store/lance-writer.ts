import type { Connection, Table } from '@lancedb/lancedb'
import type { RecordBatch } from 'apache-arrow'
import { packRows, sizeOfRows } from '../search/rows/pack-rows.ts'
import type { GenerationWriter, PackedRows } from '../search/rows/snippet-store.ts'
import { formatMetadata, statisticsSuffix } from './generation-format.ts'
import { columnsOf, rowSchema, toArrow } from './lance-rows.ts'
import { loadArrow, loadLance } from './load-lance.ts'

/** Rows that are packed in one step. More would delay other requests. */
const packedAtOnce = 500
/**
 * Each write costs LanceDB a file, a version, and more work when the files are merged. A write has as many rows as all before it, at most this
 * many, so that an interrupted writer of any size has stored half of its rows.
 */
const maxWrittenRows = 1000
const maxWrittenBytes = 8 * 1024 * 1024
/** The number of training vectors per partition. The default of 256 would read all of a library into memory. */
const sampleRate = 64

/** `begun` is the table that an interrupted writer has left. `drop` deletes the generation. */
export async function lanceWriter(
  db: Connection,
  { generation, format, indexedNumbers }: { generation: string; format: number; indexedNumbers: number },
  begun: Table | undefined,
  drop: () => Promise<void>,
): Promise<GenerationWriter> {
  const written = (await begun?.countRows()) ?? 0
  let dimensions = begun && (await columnsOf(begun)).dimensions
  let table = begun
  let rows = written
  let files = begun ? 2 : 0
  let converted: RecordBatch[] = []
  let [convertedRows, convertedBytes] = [0, 0]
  const convert = async (more: PackedRows) => {
    if (more.length === 0) return
    await loadLance()
    if (!begun && rows === 0) dimensions = more.vectors?.[0]?.length
    converted.push(toArrow(more, rowSchema(dimensions, format), dimensions))
    rows += more.length
    convertedRows += more.length
    convertedBytes += sizeOfRows(more)
    if (convertedRows >= Math.min(rows / 2, maxWrittenRows) || convertedBytes >= maxWrittenBytes) await flush()
  }
  const flush = async () => {
    if (converted.length === 0) return
    const { Table: ArrowTable } = loadArrow()
    const batch = new ArrowTable(rowSchema(dimensions, format), converted)
    converted = []
    convertedRows = convertedBytes = 0
    if (table) await table.add(batch)
    else table = await db.createTable(generation, batch)
    files += 1
  }
  return {
    written,
    async add(more) {
      if (!Array.isArray(more)) return convert(more)
      for (let at = 0; at < more.length; at += packedAtOnce) await convert(packRows(more.slice(at, at + packedAtOnce)))
    },
    async finish(statistics, origins) {
      await flush()
      const { Index } = await loadLance()
      table ??= await db.createEmptyTable(generation, rowSchema(undefined, format))
      // The files are merged before the index is built, because it would otherwise have to be rewritten too.
      if (files > 1) await table.optimize({ cleanupOlderThan: new Date() })
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
      if (rows * (dimensions ?? 0) > indexedNumbers && (await canTrain(table, rows)))
        await table.createIndex('vector', { config: Index.ivfRq({ distanceType: 'cosine', sampleRate }) })
      const statisticsTable = await db.createTable(
        generation + statisticsSuffix,
        await statisticsBatch({ bytes: statistics, ...(origins && { origins }) }, format),
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

/** An index is trained with a sample of the rows, without their zero vectors, and fails if few are left. Looks at ten places of the table. */
async function canTrain(table: Table, rows: number): Promise<boolean> {
  let [read, zeros] = [0, 0]
  for (let place = 0; place < 10; place++) {
    const some = table
      .query()
      .select(['vector'])
      .limit(100)
      .offset(Math.floor((place * rows) / 10))
    const vectors = (await some.toArrow()).getChild('vector')
    for (const vector of vectors ?? []) {
      read += 1
      if (vector.toArray().every((each: number) => each === 0)) zeros += 1
    }
  }
  return zeros * 2 < read
}

async function statisticsBatch(columns: { bytes: Uint8Array; origins?: Uint8Array }, format: number) {
  await loadLance()
  const { Binary, Field, makeData, RecordBatch, Schema, Struct, Table } = loadArrow()
  const fields = Object.keys(columns).map((name) => new Field(name, new Binary(), false))
  const schema = new Schema(fields, formatMetadata(format))
  const shape = { length: 1, nullCount: 0 }
  const children = Object.values(columns).map((data) =>
    makeData({ type: new Binary(), ...shape, valueOffsets: Int32Array.of(0, data.length), data }),
  )
  return new Table(schema, [new RecordBatch(schema, makeData({ type: new Struct(schema.fields), ...shape, children }))])
}
