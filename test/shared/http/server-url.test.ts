import { expect, test } from 'vitest'
import { localServerUrl } from '../../../shared/http/server-url.ts'

test.each([
  ['127.0.0.1', 'http://127.0.0.1:3000'],
  ['localhost', 'http://localhost:3000'],
  ['192.0.2.1', 'http://192.0.2.1:3000'],
  ['0.0.0.0', 'http://127.0.0.1:3000'],
  ['::', 'http://[::1]:3000'],
  ['0:0:0:0:0:0:0:0', 'http://[::1]:3000'],
  ['::1', 'http://[::1]:3000'],
  ['2001:db8::1', 'http://[2001:db8::1]:3000'],
])('a server with HOST %s is reached at %s from its own machine', (host, url) => {
  expect(localServerUrl(host, 3000)).toBe(url)
})
