import { expect, test } from 'vitest'
import { AppError } from '../../../shared/errors.ts'
import { mcpErrorResponse } from '../../../shared/http/error-response.ts'
import { waitOf } from '../../fixtures/wait-of.ts'

test('a caller without a key gets JSON-RPC -32001 and the scheme to use', async () => {
  const response = mcpErrorResponse(new AppError('invalid_api_key', 'Send a key.'))
  expect(response.status).toBe(401)
  expect(response.headers.get('www-authenticate')).toBe('Bearer realm="carrel"')
  expect(await response.json()).toEqual({
    jsonrpc: '2.0',
    error: { code: -32001, message: 'Send a key.' },
    id: null,
  })
})

test.each([
  [new AppError('forbidden', 'Wrong host.'), 403, -32000, 'Wrong host.'],
  [new AppError('rate_limit_exceeded', 'Wait a minute.'), 429, -32000, 'Wait a minute.'],
  [new Error('password=hunter2'), 500, -32603, 'Something went wrong on our side. The log of the server has the details.'],
])('the error "%s" is returned as JSON-RPC with its own status', async (thrown, status, code, message) => {
  const response = mcpErrorResponse(thrown)
  expect(response.status).toBe(status)
  expect(response.headers.get('www-authenticate')).toBeNull()
  expect(await response.json()).toEqual({ jsonrpc: '2.0', error: { code, message }, id: null })
})

test('a 429 has a Retry-After header, even if its error names no pause', () => {
  const { headers } = mcpErrorResponse(new AppError('rate_limit_exceeded', 'Slow down.'))
  expect(waitOf(headers)).toMatchObject({ retryAfter: 30, remaining: 0, resets: true })
})
