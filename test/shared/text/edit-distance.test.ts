import fc from 'fast-check'
import { describe, expect, test } from 'vitest'
import { editDistance } from '../../../shared/text/edit-distance.ts'

describe('the edit distance of two words', () => {
  test.each([
    ['react', 'react', 0],
    ['', '', 0],
    ['', 'ab', 2],
    ['reat', 'react', 1],
    ['reactt', 'react', 1],
    ['djagno', 'django', 1],
    ['kubernets', 'kubernetes', 1],
    ['kitten', 'sitting', 3],
    ['ca', 'abc', 3],
  ])('is $2 for "$0" and "$1"', (from, to, distance) => {
    expect(editDistance(from, to, 5)).toBe(distance)
  })

  test('is cut off at one above the limit', () => {
    expect(editDistance('kitten', 'sitting', 2)).toBe(3)
    expect(editDistance('a', 'abcdefgh', 2)).toBe(3)
    expect(editDistance('a', 'b', 0)).toBe(1)
  })

  test('equals the textbook table for every pair and limit', () => {
    const word = fc.string({ unit: fc.constantFrom('a', 'b', 'c'), maxLength: 9 })
    fc.assert(
      fc.property(word, word, fc.integer({ min: 0, max: 6 }), (a, b, limit) => {
        expect(editDistance(a, b, limit)).toBe(Math.min(textbook(a, b), limit + 1))
      }),
      { numRuns: 2000 },
    )
  })
})

/** The whole table, without the band and the cut-off. */
function textbook(a: string, b: string): number {
  const table = Array.from({ length: a.length + 1 }, (_, row) =>
    Array.from({ length: b.length + 1 }, (_, column) => row + column),
  )
  const cell = (row: number, column: number) => table[row]?.[column] ?? 0
  for (let row = 1; row <= a.length; row++) {
    for (let column = 1; column <= b.length; column++) {
      const ways = [
        cell(row - 1, column) + 1,
        cell(row, column - 1) + 1,
        cell(row - 1, column - 1) + Number(a[row - 1] !== b[column - 1]),
      ]
      if (row > 1 && column > 1 && a[row - 1] === b[column - 2] && a[row - 2] === b[column - 1])
        ways.push(cell(row - 2, column - 2) + 1)
      table[row]?.splice(column, 1, Math.min(...ways))
    }
  }
  return cell(a.length, b.length)
}
