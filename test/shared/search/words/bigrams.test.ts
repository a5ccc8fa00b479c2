import fc from 'fast-check'
import { expect, test } from 'vitest'
import { areNearDuplicates, bigramSketch, bigramsOf, mayBeNearDuplicates } from '../../../../shared/search/words/bigrams.ts'

const text = fc.array(fc.integer({ min: 0, max: 500 }), { minLength: 8, maxLength: 120 })
const change = fc.record({ at: fc.nat(120), word: fc.integer({ min: 500, max: 600 }) })

test('texts of which 85 % of the bigrams are common are near-duplicates, also by their sketches', () => {
  let found = 0
  fc.assert(
    fc.property(text, fc.array(change, { maxLength: 6 }), (words, changes) => {
      const changed = [...words]
      for (const { at, word } of changes) changed[at % words.length] = word
      const [a, b] = [bigramsOf(words.join(' ')), bigramsOf(changed.join(' '))]
      const common = a.filter((bigram) => b.includes(bigram)).length
      const isNear = common / (a.length + b.length - common) > 0.85
      expect(areNearDuplicates(a, b)).toBe(isNear)
      if (!isNear) return
      found += 1
      expect(mayBeNearDuplicates(bigramSketch(words.join(' ')), bigramSketch(changed.join(' ')))).toBe(true)
    }),
    { numRuns: 1_000 },
  )
  expect(found).toBeGreaterThan(100)
})

test('sketches tell texts with other words apart', () => {
  const sketches = Array.from({ length: 100 }, (_, n) =>
    bigramSketch(Array.from({ length: 200 }, (_, i) => `word${n * 1_000 + i}`).join(' ')),
  )
  const similar = sketches.flatMap((a, i) => sketches.slice(i + 1).filter((b) => mayBeNearDuplicates(a, b)))
  expect(similar).toEqual([])
})
