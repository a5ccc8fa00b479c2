import { expect, test } from 'vitest'
import { wordNumbers } from '../../../../shared/search/statistics/word-numbers.ts'
import { hashByte } from '../../../../shared/search/words/byte-table.ts'

test('words have the numbers that a map would assign, in lists of any length', () => {
  const numbers = wordNumbers(1_000_000)
  const expected = new Map<string, number>()
  const lists = [
    ['lever', 'größer', '漢字', 'lever', '🙂', 'leve', 'levers'],
    Array.from({ length: 20_000 }, (_, i) => `${i % 15_000}`),
    ['levers', 'x'.repeat(50_000), '漢', '1'],
  ]
  for (const list of lists) {
    const found: [number, number][] = []
    numbers.each(list.join(' '), (position, number) => found.push([position, number]))
    for (const word of list) expected.set(word, expected.get(word) ?? expected.size)
    expect(found).toEqual(list.map((word, i) => [i, expected.get(word)]))
  }
  numbers.each('', () => expect.unreachable())
  expect(numbers.size).toBe(expected.size)
  expect(numbers.joined()).toBe([...expected.keys()].join(' '))
})

test('words beyond the limit have no number', () => {
  const numbers = wordNumbers(2)
  const found: [number, number][] = []
  numbers.each('a b c a d b', (position, number) => found.push([position, number]))
  expect(found).toEqual([
    [0, 0],
    [1, 1],
    [3, 0],
    [5, 1],
  ])
  expect([numbers.size, numbers.joined()]).toEqual([2, 'a b'])
})

test('words with equal hashes from one start are all counted before the limit of a test', () => {
  // Equal hashes would compare each word with all before it: 34 thousand million comparisons.
  const colliding = equalHashes(publishedStart, 18)
  const numbers = wordNumbers(1_000_000)
  numbers.each(colliding.join(' '), () => {})
  expect(numbers.size).toBe(colliding.length)
})

test.each([8, 16, 24])('words with equal hashes from one start have others from a start with the same %i low bits', (bits) => {
  const colliding = equalHashes(publishedStart, 10)
  expect(new Set(colliding.map((word) => hashOf(publishedStart, word))).size).toBe(1)
  const hashes = new Set(colliding.map((word) => hashOf(publishedStart ^ (1 << bits), word)))
  expect(hashes.size).toBeGreaterThan(0.99 * colliding.length)
})

/** That of FNV-1a. */
const publishedStart = 0x811c9dc5

const hashOf = (start: number, word: string): number => Buffer.from(word).reduce(hashByte, start)

/** 2 ** `steps` words with the same hash: each step finds two parts that lead from one hash to the same next one. */
function equalHashes(start: number, steps: number): string[] {
  let [hash, words] = [start, ['']]
  for (let step = 0; step < steps; step++) {
    const seen = new Map<number, string>()
    for (let i = 0; ; i++) {
      const part = String(Math.imul(i, 0x9e3779b1) >>> 0).padStart(10, 'x')
      const next = hashOf(hash, part)
      const other = seen.get(next)
      seen.set(next, part)
      if (other === undefined) continue
      words = words.flatMap((word) => [word + other, word + part])
      hash = next
      break
    }
  }
  return words
}
