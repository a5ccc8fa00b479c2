import { expect, test } from 'vitest'
import { packRows, rowBuffers, rowsBuilder, sliceRows, unpackRows } from '../../../../shared/search/rows/pack-rows.ts'
import { chunkBuffers, packChunks, unpackChunks } from '../../../../shared/search/rows/packed-chunks.ts'
import type { SnippetRow } from '../../../../shared/search/rows/snippet-store.ts'
import { row } from '../../../contracts/snippet-row.ts'

const rows: SnippetRow[] = [
  row('3-0', 'lever größer', { page: 3, content: 'Größer 漢字 🙂', breadcrumb: [], wordVector: Int8Array.of(-128, 0, 127) }),
  row('3-1', '', { page: 3, path: 'docs/other.md', code: [], toCode: -1, breadcrumb: ['Page', 'A > B', ''] }),
  row('4-0', 'wheel', { page: 4, tokens: 7, section: 2 }),
]
const chunks = rows.map(({ id: _, page: __, ...chunk }) => chunk)

test('chunks become rows after they were packed, passed to another thread and given a page and a place', () => {
  const packed = packChunks(chunks)
  const passed = structuredClone(packed, { transfer: chunkBuffers(packed) })
  expect(unpackChunks(passed)).toEqual(chunks)
  const builder = rowsBuilder()
  builder.add(passed, 2, 3)
  builder.add(passed, 0, 3, true)
  const first = builder.take()
  builder.add(passed, 1, 3)
  const placed = [
    { ...rows[2], id: '3-2', page: 3 },
    { ...rows[0], copy: true },
  ]
  expect(unpackRows(first)).toEqual(placed)
  expect(unpackRows(structuredClone(first, { transfer: rowBuffers(first) }))).toEqual(placed)
  expect(unpackRows(builder.take())).toEqual([rows[1]])
})

test('a part of rows keeps its vectors', () => {
  const withVectors = rows.map((each, i) => ({ ...each, vector: Float32Array.of(i, 1) }))
  expect(unpackRows(sliceRows(packRows(withVectors), 1))).toEqual(withVectors.slice(1))
  expect(unpackRows(sliceRows(packRows(rows), 0, 2))).toEqual(rows.slice(0, 2))
})
