import { expect, test } from 'vitest'
import { shortLived } from '../../../onprem/second-factor/short-lived.ts'

test('a value is found for ten minutes, by a token that nobody guesses', () => {
  let nowMs = 0
  const values = shortLived<{ name: string }>(() => nowMs)
  const [first, second] = [values.add({ name: 'first' }), values.add({ name: 'second' })]
  expect(first).toMatch(/^[\w-]{43}$/)
  expect(second).not.toBe(first)
  nowMs = 599_999
  expect(values.find(first)).toEqual({ name: 'first' })
  nowMs = 600_000
  expect(values.find(first)).toBeUndefined()
  expect(values.take(second)).toBeUndefined()
})

test('a value is taken once, and not after its end', () => {
  const values = shortLived<{ name: string }>(() => 0)
  const [taken, ended] = [values.add({ name: 'taken' }), values.add({ name: 'ended' })]
  expect([values.take(taken), values.take(taken)]).toEqual([{ name: 'taken' }, undefined])
  values.end(ended)
  expect(values.find(ended)).toBeUndefined()
})
