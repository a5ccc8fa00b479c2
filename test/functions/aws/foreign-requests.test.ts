import { expect, test } from 'vitest'
import { foreignRequestCounter } from '../../../functions/aws/foreign-requests.ts'

test('the number of foreign requests is published at most once a second, and none is lost', () => {
  let nowMs = 0
  const foreign = foreignRequestCounter(() => nowMs)
  const published: number[] = []
  for (; nowMs < 10_000; nowMs += 1) {
    foreign.add()
    published.push(foreign.take())
  }
  nowMs += 1_000
  published.push(foreign.take())
  const lines = published.filter((each) => each > 0)
  expect(lines.length).toBeLessThanOrEqual(11)
  expect(lines.reduce((sum, each) => sum + each, 0)).toBe(10_000)
})

test('only the latest request is foreign, not the next one', () => {
  const foreign = foreignRequestCounter(() => 0)
  foreign.add()
  expect([foreign.wasLatest(), foreign.wasLatest()]).toEqual([true, false])
})
