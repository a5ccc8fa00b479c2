import { expect, test } from 'vitest'
import { textsBuilder } from '../../../shared/search/rows/texts.ts'
import { loadArrow, loadLance } from '../../../shared/store/load-lance.ts'
import { listColumn, numberColumn, textColumn } from '../../../shared/store/text-column.ts'

function textsOf(texts: string[]) {
  const builder = textsBuilder()
  for (const text of texts) builder.add(text)
  return builder.take()
}

test('packed texts, numbers and lists become Arrow columns', async () => {
  await loadLance()
  const { Field, List, makeVector, Utf8 } = loadArrow()
  const texts = ['', 'plain', 'größer 漢字 🙂', '', 'half \ud83d', 'x'.repeat(100_000)]
  const read = texts.with(4, 'half �')
  expect([...makeVector(textColumn(textsOf(texts), 6))]).toEqual(read)
  expect([...makeVector(textColumn(textsOf([]), 0))]).toEqual([])
  expect([...makeVector(numberColumn(Int32Array.of(0, -1, 2 ** 31 - 1)))]).toEqual([0, -1, 2 ** 31 - 1])
  const type = new List(new Field('item', new Utf8(), false))
  const lists = [...makeVector(listColumn(type, Int32Array.of(0, 0, 2, 6), textsOf(texts), 3))]
  expect(lists.map((each) => [...each])).toEqual([[], read.slice(0, 2), read.slice(2)])
})
