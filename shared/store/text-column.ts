import type { Data, DataType } from 'apache-arrow'
import type { Texts } from '../search/rows/texts.ts'
import { loadArrow } from './load-lance.ts'

/** Columns that share the memory of their sources. Arrow's own builders append value by value. */
export function textColumn({ starts, bytes }: Texts, length: number): Data {
  const { makeData, Utf8 } = loadArrow()
  return makeData({ type: new Utf8(), length, nullCount: 0, valueOffsets: starts, data: bytes })
}

export function numberColumn(numbers: Int32Array): Data {
  const { Int32, makeData } = loadArrow()
  return makeData({ type: new Int32(), length: numbers.length, nullCount: 0, data: numbers })
}

/** Lists of `items`; list `i` begins at item `starts[i]`. */
export function listColumn(type: DataType, starts: Int32Array, items: Texts, length: number): Data {
  const { makeData } = loadArrow()
  const child = textColumn(items, items.starts.length - 1)
  return makeData({ type: type as never, length, nullCount: 0, valueOffsets: starts, child: child as never })
}
