import type { Connection, Table } from '@lancedb/lancedb'
import { type Table as ArrowTable, Binary, Field, Int32, List, Schema, Utf8 } from 'apache-arrow'
import { LRUCache } from 'lru-cache'
import pLimit from 'p-limit'
import { AppError } from '../errors.ts'
import type { GenerationWriter, SnippetRow, SnippetStore, StoredSnippet, WeightedTerm } from '../search/snippet-store.ts'
import { type LibraryStatistics, readStatistics } from '../search/statistics.ts'
import { loadLance } from './lance.ts'
import { openTables } from './open-tables.ts'

const mostTables = 300
const statisticsBytes = 128 * 1024 * 1024
const batchRows = 500
const batchBytes = 4 * 1024 * 1024
const scannedRows = 500
/** More at once do not answer sooner, and some of a crowd would wait for seconds: LanceDB takes none in turn. */
const searchesAtOnce = 4
const statisticsSuffix = '.statistics'

const text = (name: string) => new Field(name, new Utf8(), false)
const number = (name: string) => new Field(name, new Int32(), false)
const rowSchema = new Schema([
  text('id'),
  new Field('breadcrumb', new List(new Field('item', new Utf8(), false)), false),
  text('content'),
  text('code'),
  text('path'),
  text('url'),
  text('topic'),
  number('tokens'),
  text('hash'),
  text('terms'),
  new Field('lengths', new List(new Field('item', new Int32(), false)), false),
  number('page'),
  number('section'),
])
const scannedColumns = rowSchema.names.filter((name) => name !== 'terms' && name !== 'lengths').map(String)
const statisticsSchema = new Schema([new Field('bytes', new Binary(), false)])

/** Snippets in LanceDB, one table a generation, on a folder or `s3://…`, with LanceDB's options for what holds the tables. */
export function lanceSnippets(
  address: string,
  { openAtOnce = mostTables, storageOptions = {} }: { openAtOnce?: number; storageOptions?: Record<string, string> } = {},
): SnippetStore {
  let connection: Promise<Connection> | undefined
  const connect = () => {
    connection ??= loadLance()
      .then((lance) => lance.connect(address, { storageOptions }))
      .catch((error: unknown) => {
        connection = undefined
        throw error
      })
    return connection
  }
  const tables = openTables(async (name) => (await connect()).openTable(name), openAtOnce)
  const statistics = new LRUCache<string, LibraryStatistics>({
    maxSize: statisticsBytes,
    sizeCalculation: (each) => each.sizeBytes + 1,
  })
  const underWay = new Map<string, Promise<LibraryStatistics>>()
  const forget = (generation: string) => {
    tables.forget(generation)
    tables.forget(generation + statisticsSuffix)
    statistics.delete(generation)
    underWay.delete(generation)
  }
  /** Read once however many ask, and kept unless the generation was dropped meanwhile. */
  const readOnce = (generation: string): Promise<LibraryStatistics> => {
    const reading =
      underWay.get(generation) ??
      tables.use(generation + statisticsSuffix, bytesOf).then((bytes) => {
        const read = readStatistics(bytes)
        if (underWay.delete(generation)) statistics.set(generation, read)
        tables.forget(generation + statisticsSuffix)
        return read
      })
    underWay.set(generation, reading)
    return reading
  }
  const inTurn = pLimit(searchesAtOnce)
  const exists = async (name: string) =>
    (await (await connect()).tableNames({ startAfter: before(name), limit: 1 })).includes(name)
  /** Undefined where the generation is gone, also from under an open table. */
  const unlessGone = async <T>(generation: string, read: () => Promise<T>): Promise<T | undefined> => {
    try {
      return await read()
    } catch (error) {
      forget(generation)
      if (await exists(generation + statisticsSuffix)) throw error
      return undefined
    }
  }
  const drop = async (generation: string) => {
    forget(generation)
    const db = await connect()
    for (const name of [generation + statisticsSuffix, generation]) if (await exists(name)) await db.dropTable(name)
  }

  return {
    async write(generation) {
      const db = await connect()
      const begun = (await exists(generation)) ? await db.openTable(generation) : undefined
      return writer(db, generation, begun, (await begun?.countRows()) ?? 0, () => drop(generation))
    },
    search: (generation, terms, limit) =>
      inTurn(() => unlessGone(generation, () => tables.use(generation, (table) => searchTable(table, terms, limit)))),
    statistics: (generation) => unlessGone(generation, async () => statistics.get(generation) ?? readOnce(generation)),
    scan: (generation) =>
      scanTable(async (offset) => {
        const rows = await inTurn(() => unlessGone(generation, () => tables.use(generation, (table) => rowsFrom(table, offset))))
        if (rows === undefined) throw new AppError('not_found', 'This content was replaced or removed while it was being read.')
        return rows
      }),
    drop,
    async generations() {
      const names = new Set<string>()
      const db = await connect()
      for (let startAfter: string | undefined; ; ) {
        const page = await db.tableNames({ ...(startAfter === undefined ? {} : { startAfter }), limit: 1000 })
        for (const name of page) names.add(name.endsWith(statisticsSuffix) ? name.slice(0, -statisticsSuffix.length) : name)
        startAfter = page.at(-1)
        if (page.length < 1000) return [...names]
      }
    },
    close() {
      tables.clear()
      statistics.clear()
      const closing = connection
      connection = undefined
      void closing?.then(
        (db) => db.close(),
        () => undefined,
      )
    },
  }
}

function writer(
  db: Connection,
  generation: string,
  begun: Table | undefined,
  written: number,
  drop: () => Promise<void>,
): GenerationWriter {
  let table = begun
  let batches = begun ? 2 : 0
  let waiting: SnippetRow[] = []
  let waitingBytes = 0
  const flush = async () => {
    if (waiting.length === 0) return
    const { makeArrowTable } = await loadLance()
    const batch = makeArrowTable(
      waiting.map((row) => ({ ...row, code: JSON.stringify(row.code) })),
      { schema: rowSchema },
    )
    waiting = []
    waitingBytes = 0
    if (table) await table.add(batch)
    else table = await db.createTable(generation, batch)
    batches += 1
  }
  return {
    written,
    async add(rows) {
      for (const row of rows) {
        waiting.push(row)
        waitingBytes += row.content.length + row.terms.length
        if (waiting.length >= batchRows || waitingBytes >= batchBytes) await flush()
      }
    },
    async finish(statistics) {
      await flush()
      const { Index, makeArrowTable } = await loadLance()
      table ??= await db.createEmptyTable(generation, rowSchema)
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
      if (batches > 1) await table.optimize({ cleanupOlderThan: new Date() })
      const statisticsTable = await db.createTable(
        generation + statisticsSuffix,
        makeArrowTable([{ bytes: statistics }], { schema: statisticsSchema }),
        // An interrupted writer may have come as far as this.
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

async function searchTable(table: Table, terms: WeightedTerm[], limit: number): Promise<SnippetRow[]> {
  if (terms.length === 0) return []
  const { BooleanQuery, MatchQuery, Occur } = await loadLance()
  const byWeight = Map.groupBy(terms, ({ weight }) => weight)
  const groups = [...byWeight].map(
    ([boost, group]) => new MatchQuery(group.map(({ term }) => term).join(' '), 'terms', { boost }),
  )
  const [first, ...others] = groups
  const any = first && others.length === 0 ? first : new BooleanQuery(groups.map((group) => [Occur.Should, group]))
  const answer: ArrowTable = await table.query().fullTextSearch(any).limit(limit).toArrow()
  return rowsOf(answer)
}

/** Range by range, the next one on its way: a stream of LanceDB's own reads as far ahead as memory reaches. */
async function* scanTable(read: (offset: number) => Promise<StoredSnippet[]>): AsyncGenerator<StoredSnippet[]> {
  let next: Promise<StoredSnippet[]> | undefined = read(0)
  for (let offset = scannedRows; next; offset += scannedRows) {
    const rows: StoredSnippet[] = await next
    next = rows.length === scannedRows ? read(offset) : undefined
    next?.catch(() => undefined)
    if (rows.length > 0) yield rows
  }
}

const rowsFrom = async (table: Table, offset: number): Promise<StoredSnippet[]> =>
  snippetsOf(await table.query().select(scannedColumns).limit(scannedRows).offset(offset).toArrow())

async function bytesOf(table: Table): Promise<Uint8Array> {
  const answer: ArrowTable = await table.query().toArrow()
  return answer.get(0)?.bytes
}

function rowsOf(answer: ArrowTable): SnippetRow[] {
  const [terms, lengths] = [column(answer, 'terms'), column(answer, 'lengths')]
  return snippetsOf(answer).map((snippet, i) => ({ ...snippet, terms: terms(i), lengths: [...lengths(i)] }))
}

/** Column by column: half a millisecond less a question than row by row. */
function snippetsOf(answer: ArrowTable): StoredSnippet[] {
  const [id, breadcrumb, content] = [column(answer, 'id'), column(answer, 'breadcrumb'), column(answer, 'content')]
  const [code, path, url] = [column(answer, 'code'), column(answer, 'path'), column(answer, 'url')]
  const [topic, tokens, hash] = [column(answer, 'topic'), column(answer, 'tokens'), column(answer, 'hash')]
  const [page, section] = [column(answer, 'page'), column(answer, 'section')]
  return Array.from({ length: answer.numRows }, (_, i) => ({
    id: id(i),
    breadcrumb: [...breadcrumb(i)],
    content: content(i),
    code: JSON.parse(code(i)),
    path: path(i),
    url: url(i),
    topic: topic(i),
    tokens: tokens(i),
    hash: hash(i),
    page: page(i),
    section: section(i),
  }))
}

function column(answer: ArrowTable, name: keyof SnippetRow) {
  const vector = answer.getChild(name)
  return (i: number) => vector?.get(i)
}

/** The greatest name below `name` that no table has, to list from `name` on. */
const before = (name: string) => `${name.slice(0, -1)}${String.fromCharCode(name.charCodeAt(name.length - 1) - 1)}~`
