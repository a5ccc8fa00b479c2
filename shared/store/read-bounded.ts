import type { Query, Table, VectorQuery } from '@lancedb/lancedb'
import type { Table as ArrowTable } from 'apache-arrow'
import type { SnippetRow } from '../search/snippet-store.ts'
import { isLancePanic } from './is-lance-panic.ts'
import { columnsOf, type Purpose, rowsOf } from './lance-rows.ts'

/** More than any unit of a parse or import has. Imports of earlier versions stored snippets of megabytes. */
const maxUnitTokens = 2_000
/** UTF-8 characters have up to four bytes, and JSON escapes them. */
const maxCodeBytes = 64 * 1024
const maxUnitBytes = 2 * maxCodeBytes
/** For tables that formats 1 and 2 wrote. */
const isLongSeparate = `tokens > ${maxUnitTokens} OR lengths[5] > ${maxUnitTokens} OR octet_length(code) > ${maxCodeBytes}`
/** Several times the size of a unit, so that only overlong rows reach it. */
const rowBytes = 16 * 1024

const known = new WeakMap<Table, Promise<boolean>>()

/** True if a table has rows that are too long to limit reads by number only. One scan of a column of numbers per opened table. */
export function hasLongRows(table: Table): Promise<boolean> {
  const asked = known.get(table) ?? findLongRow(table)
  known.set(table, asked)
  asked.catch(() => known.delete(table))
  return asked
}

const findLongRow = async (table: Table): Promise<boolean> => {
  const { isPacked } = await columnsOf(table)
  const found: ArrowTable | undefined = await table
    .query()
    .where(isPacked ? `bytes > ${maxUnitBytes}` : isLongSeparate)
    .select(['tokens'])
    .limit(1)
    .toArrow()
    .catch((error: unknown) => {
      // A panic may have corrupted memory. The following read reports any other failure.
      if (isLancePanic(error)) throw error
      return undefined
    })
  return (found?.numRows ?? 0) > 0
}

/**
 * The rows that a search finds, best first. From a table with overlong rows, it reads the best one, and those of the others that fit into the bytes
 * of `limit` units, so that the cost of reading and ranking does not grow with their length.
 */
export async function readBounded(
  table: Table,
  found: Query | VectorQuery,
  { purpose, score, limit }: { purpose: Purpose; score: '_score' | '_distance'; limit: number },
): Promise<SnippetRow[]> {
  const { [purpose]: stored, isPacked } = await columnsOf(table)
  if (!(await hasLongRows(table)))
    return rowsOf(
      await found
        .select([...stored, score])
        .limit(limit)
        .toArrow(),
    )
  const sizes: ArrowTable = await found
    .select({ ...(isPacked ? { bytes: 'bytes' } : separateSizes), [score]: score })
    .withRowId()
    .limit(limit)
    .toArrow()
  const wanted = withinBytes(sizes, limit * rowBytes)
  if (wanted.length === 0) return []
  const answer: ArrowTable = await table.takeRowIds(wanted).select(stored).withRowId().toArrow()
  const ids = answer.getChild('_rowid')
  const rows = new Map(rowsOf(answer).map((row, i) => [ids?.get(i), row]))
  return wanted.flatMap((id) => rows.get(id) ?? [])
}

const separateSizes = { tokens: 'tokens', lengths: 'lengths', codeBytes: 'octet_length(code)' }

function bytesOf(sizes: ArrowTable): (i: number) => number {
  const [bytes, tokens, lengths, codeBytes] = ['bytes', 'tokens', 'lengths', 'codeBytes'].map((name) => sizes.getChild(name))
  if (bytes) return (i) => Number(bytes.get(i))
  return (i) => {
    const terms = [...(lengths?.get(i) ?? [])].reduce((sum: number, each: number) => sum + each, 0)
    // Content in UTF-8, code and terms; a term has about six characters.
    return 8 * Number(tokens?.get(i)) + Number(codeBytes?.get(i)) + 6 * terms
  }
}

function withinBytes(sizes: ArrowTable, budget: number): bigint[] {
  const [ids, sizeOf] = [sizes.getChild('_rowid'), bytesOf(sizes)]
  const wanted: bigint[] = []
  let room = budget
  for (let i = 0; i < sizes.numRows; i++) {
    const bytes = sizeOf(i)
    if (wanted.length > 0) {
      if (bytes > room) continue
      room -= bytes
    }
    wanted.push(ids?.get(i))
  }
  return wanted
}
