import { expect, test } from 'vitest'
import { progressLine } from '../../../shared/logging/progress-line.ts'

const figures = { stage: 'Reading files', filesDone: 120, filesTotal: 266, snippets: 800 }
const line = (columns: number, more = {}, libraryId = '/honojs/website') =>
  progressLine(libraryId, { ...figures, ...more }, 12, columns)

test('a running job has a bar, its percentage and its figures', () => {
  expect(line(100)).toBe('/honojs/website [=========>          ] 45 % Reading files (120 of 266), 12 s')
  expect(line(100, { filesDone: 266 })).toContain('[====================] 100 %')
})

test('a job whose files are not yet counted has no bar', () => {
  expect(line(100, { filesTotal: 0, stage: 'Receiving objects: 40 %' })).toBe('/honojs/website Receiving objects: 40 %, 12 s')
})

test.each([79, 60, 40, 20, 5, 1])('a line is at most %i columns wide', (columns) => {
  expect(line(columns).length).toBeLessThanOrEqual(columns)
  expect([...line(columns, {}, `/${'漢'.repeat(60)}/字`)].length).toBeLessThanOrEqual(columns)
})

test('control characters of a library or a stage do not reach the terminal', () => {
  expect(line(200, { stage: 'a\u001B[2Jb\nc' }, '/x/\u0007y')).toMatch(/^[ -~]+$/)
})
