import fc from 'fast-check'
import { expect, test } from 'vitest'
import { sortWords } from '../../../../shared/search/statistics/word-list.ts'

const letters = fc.constantFrom('a', 'b', 'ab', 'é', 'ﬀ', '漢', '😀', '\ud800')
const word = fc.array(letters, { minLength: 1, maxLength: 8 }).map((each) => each.join(''))

test('words are sorted by their bytes, with the previous position of each', () => {
  fc.assert(
    fc.property(fc.uniqueArray(word, { selector: (each) => Buffer.from(each).toString() }), (words) => {
      const { bytes, starts, order } = sortWords(words.join(' '))
      const sorted = words.map((each) => Buffer.from(each)).sort(Buffer.compare)
      expect([...order].map((at) => Buffer.from(words[at] as string))).toEqual(sorted)
      expect(sorted.map((_, at) => Buffer.from(bytes.subarray(starts[at], starts[at + 1])))).toEqual(sorted)
      expect(starts).toHaveLength(words.length + 1)
    }),
  )
})
