import { expect, test } from 'vitest'
import { arrowColumn } from '../../../shared/store/arrow-columns.ts'
import { loadArrow, loadLance } from '../../../shared/store/load-lance.ts'

test('values become the column that the builders of Arrow make', async () => {
  await loadLance()
  const { Binary, Bool, Field, Int32, List, makeVector, Utf8 } = loadArrow()
  const list = (type: InstanceType<typeof Utf8> | InstanceType<typeof Int32>) => new List(new Field('item', type, false))
  const columns = [
    {
      type: new Utf8(),
      values: ['', 'plain', 'größer 漢字 🙂', '', 'half \ud83d'],
      read: ['', 'plain', 'größer 漢字 🙂', '', 'half �'],
    },
    { type: new Int32(), values: [0, -1, 2 ** 31 - 1] },
    { type: new Binary(), values: [Uint8Array.of(1, 2), Uint8Array.of(), Uint8Array.of(255)], read: [[1, 2], [], [255]] },
    { type: new Bool(), values: [true, false] },
    { type: list(new Utf8()), values: [[], ['a', 'ü'], ['', 'b']] },
    { type: list(new Int32()), values: [[1, 2], [], [3]] },
    { type: new Utf8(), values: [] },
  ]
  for (const { type, values, read = values } of columns) {
    const found = [...makeVector(arrowColumn(values, type))]
    expect(found.map((each) => (Symbol.iterator in Object(each) && typeof each !== 'string' ? [...each] : each))).toEqual(read)
  }
})
