import { expect, test } from 'vitest'
import { stepOfCode } from '../../../onprem/second-factor/totp.ts'
import { codeAt } from '../../fixtures/totp.ts'

/** `12345678901234567890` in base32, the secret in RFC 6238. */
const secret = 'GEZDGNBVGY3TQOJQGEZDGNBVGY3TQOJQ'

// The last six digits of the codes in appendix B.
test.each([
  [59, '287082'],
  [1_111_111_109, '081804'],
  [1_111_111_111, '050471'],
  [1_234_567_890, '005924'],
  [2_000_000_000, '279037'],
  [20_000_000_000, '353130'],
])('the code of RFC 6238 at %d s is %s', (seconds, code) => {
  const time = new Date(seconds * 1000)
  expect(codeAt(secret, time)).toBe(code)
  expect(stepOfCode(secret, code, time)).toBe(Math.floor(seconds / 30))
})
