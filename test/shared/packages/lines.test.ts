import { expect, test } from 'vitest'
import { linesOf } from '../../../shared/packages/manifests/lines.ts'

test('lines without characters cost a reader of manifests nothing', () => {
  expect(linesOf('\n'.repeat(10 * 2 ** 20)).next().done).toBe(true)
  expect([...linesOf('\n\na\n \n\nb')]).toEqual(['a', ' ', 'b'])
  expect([...linesOf('a\n')]).toEqual(['a'])
})
