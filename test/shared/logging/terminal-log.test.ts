import { expect, test } from 'vitest'
import { lineForPeople, terminalLog } from '../../../shared/logging/terminal-log.ts'

const read = (line: Record<string, unknown>) => JSON.parse(lineForPeople(JSON.stringify(line)) ?? 'null') as unknown

test('a successful request is omitted', () => {
  expect(read({ level: 30, msg: 'request', status: 200 })).toBeNull()
})

test('a rejected request is shown', () => {
  expect(read({ level: 30, msg: 'request', status: 404 })).toEqual({ level: 30, msg: 'request', status: 404 })
})

test('an error without stack frames is its message and its causes', () => {
  const error = { type: 'AppError', code: 'timeout', message: 'The host is slow.', causes: ['connect ETIMEDOUT'] }
  expect(read({ msg: 'a run of a job failed', job: 2, error })).toEqual({
    msg: 'a run of a job failed',
    job: 2,
    error: 'The host is slow. Cause: connect ETIMEDOUT',
  })
})

test('a bug keeps its stack frames', () => {
  const bug = { msg: 'failed', error: { type: 'TypeError', message: 'x is not a function', stack: 'TypeError: x\n at y' } }
  expect(read(bug)).toEqual(bug)
})

test('a line without an error is unchanged', () => {
  expect(lineForPeople('{"msg":"listening"}\n')).toBe('{"msg":"listening"}\n')
})

test('text of others neither moves the cursor nor hides in a line', () => {
  const lines: string[] = []
  const output = { write: (text: string) => void lines.push(text) }
  const { log } = terminalLog({ level: 'info', output, columns: () => 80, colors: false, controls: true })
  const text = 'a\u001b[2J\u009b2J\r\n\u061c\u202eb\u2028'
  log.warn({ project: text, list: [{ [text]: text }] }, 'a run of a job failed')
  expect(lines).toHaveLength(1)
  expect(lines[0]?.trimEnd()).toMatch(/^[\u0020-\u007e]+$/)
})
