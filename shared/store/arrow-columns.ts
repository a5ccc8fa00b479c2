import type { Data, DataType } from 'apache-arrow'
import { loadArrow } from './load-lance.ts'

/**
 * Values as a column. Arrow's own builders append value by value, which takes ten times as long for the types of snippets.
 */
export function arrowColumn(values: unknown[], type: DataType): Data {
  const { DataType, makeData, vectorFromArray } = loadArrow()
  const shape = { length: values.length, nullCount: 0 }
  if (DataType.isUtf8(type)) return makeData({ type, ...shape, ...utf8(values as string[]) })
  if (DataType.isBinary(type)) return makeData({ type, ...shape, ...binary(values as Uint8Array[]) })
  if (DataType.isInt(type) && type.bitWidth === 32) return makeData({ type, ...shape, data: Int32Array.from(values as number[]) })
  if (DataType.isList(type)) {
    const lists = values as unknown[][]
    const child = arrowColumn(lists.flat(), type.children[0]?.type as DataType)
    return makeData({ type, ...shape, valueOffsets: offsets(lists, (list) => list.length), child })
  }
  return vectorFromArray(values, type).data[0] as Data
}

function utf8(texts: string[]): { valueOffsets: Int32Array; data: Uint8Array } {
  const valueOffsets = offsets(texts, (text) => Buffer.byteLength(text))
  const data = Buffer.allocUnsafeSlow(valueOffsets.at(-1) ?? 0)
  for (const [i, text] of texts.entries()) data.write(text, valueOffsets[i] as number)
  return { valueOffsets, data }
}

function binary(values: Uint8Array[]): { valueOffsets: Int32Array; data: Uint8Array } {
  return { valueOffsets: offsets(values, ({ length }) => length), data: Buffer.concat(values) }
}

function offsets<T>(values: T[], sizeOf: (value: T) => number): Int32Array {
  const starts = new Int32Array(values.length + 1)
  for (const [i, value] of values.entries()) starts[i + 1] = (starts[i] as number) + sizeOf(value)
  return starts
}
