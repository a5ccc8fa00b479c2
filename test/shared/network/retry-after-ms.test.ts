import { expect, test } from 'vitest'
import { retryAfterMs } from '../../../shared/network/retry-after-ms.ts'

const now = new Date('2026-01-01T00:00:00Z')

test.each([
  ['0', 0],
  ['120', 120_000],
  ['Thu, 01 Jan 2026 00:01:30 GMT', 90_000],
  ['Thursday, 01-Jan-26 00:01:30 GMT', 90_000],
  ['Wed, 31 Dec 2025 23:59:00 GMT', 0],
  ['', undefined],
  ['-5', undefined],
  ['1.5', undefined],
  ['soon', undefined],
  ['soon GMT', undefined],
  ['9'.repeat(400), undefined],
  [undefined, undefined],
])('the header Retry-After: %s means a pause of %s milliseconds', (header, ms) => {
  expect(retryAfterMs(header, now)).toBe(ms)
})
