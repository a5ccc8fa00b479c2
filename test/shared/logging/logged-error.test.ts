import { expect, test } from 'vitest'
import { redactError } from '../../../onprem/support/redact-error.ts'
import { AppError } from '../../../shared/errors.ts'
import { loggedError } from '../../../shared/logging/logged-error.ts'

const refused = Object.assign(new Error('connect ECONNREFUSED 127.0.0.1:1'), { code: 'ECONNREFUSED', syscall: 'connect' })
const unreachable = new AppError('timeout', 'github.com did not respond.', {
  retry: 'limited',
  cause: new TypeError('fetch failed', { cause: refused }),
})

test('an AppError is its code, its message and the messages of its causes, without stack frames', () => {
  expect(loggedError(unreachable)).toEqual({
    type: 'AppError',
    code: 'timeout',
    message: 'github.com did not respond.',
    causes: ['fetch failed', 'connect ECONNREFUSED 127.0.0.1:1'],
  })
})

test('a cause that the message quotes is not repeated', () => {
  const error = new AppError('timeout', `The host failed: ${refused.message}.`, { cause: refused })
  expect(loggedError(error)).not.toHaveProperty('causes')
})

test('an error of the operating system has no frames', () => {
  expect(loggedError(refused)).toEqual({ type: 'Error', code: 'ECONNREFUSED', message: refused.message })
})

test('a bug has its frames and those of its causes', () => {
  const logged = loggedError(new Error('lost', { cause: new RangeError('too far') })) as { stack: string; causes: string[] }
  expect(logged.causes).toEqual(['too far'])
  expect(logged.stack.match(/logged-error\.test\.ts/g)?.length).toBeGreaterThanOrEqual(2)
  expect(logged.stack).toMatch(/\ncaused by: RangeError: too far\n/)
})

test('a chain of causes that forms a circle ends', () => {
  const [one, two] = [new Error('one'), new Error('two')]
  one.cause = two
  two.cause = one
  expect(loggedError(one)).toMatchObject({ message: 'one', causes: ['two'] })
})

test('each reason of a connection that failed to all addresses of a host is logged', () => {
  const errors = [refused, Object.assign(new Error('connect ENETUNREACH ::1:1'), { code: 'ENETUNREACH', syscall: 'connect' })]
  expect(loggedError(new AppError('timeout', 'No answer.', { cause: new AggregateError(errors) }))).toMatchObject({
    causes: ['connect ECONNREFUSED 127.0.0.1:1', 'connect ENETUNREACH ::1:1'],
  })
})

test('a redacted error has frames only if it is a bug', () => {
  expect(redactError(unreachable)).toEqual({
    name: 'AppError',
    code: 'timeout',
    message: 'github.com did not respond.',
    cause: { name: 'TypeError', cause: { name: 'Error', code: 'ECONNREFUSED', message: refused.message } },
  })
  expect(redactError(new Error('lost')).frames?.length).toBeGreaterThan(0)
})
