import { expect, test } from 'vitest'
import { maskSecrets } from '../../../shared/screening/secrets.ts'

const body = 'k3Jd9sLq0Zx7Vb2Nm5Tr8Wy1Pc4Hf6Ga2Ue9Bi7Ko3Ml5Nj8Rx1Qs4Tv6Yw0Zc2Xd5Fg8Hk1Lp3'

test.each([
  ['GitHub token', 'ghp_', body.slice(0, 36)],
  ['GitLab token', 'glpat-', body.slice(0, 20)],
  ['AWS access key', 'AKIA', 'IQ4RT7KZ2MWXPL5V'],
  ['Stripe key', 'sk_live_', body.slice(0, 24)],
  ['Google API key', 'AIza', body.slice(0, 35)],
  ['npm token', 'npm_', body.slice(0, 36)],
])('masks a %s behind its prefix', (name, prefix, rest) => {
  expect(maskSecrets(`The key ${prefix}${rest} is in use.`)).toEqual({
    text: `The key ${prefix}[masked] is in use.`,
    masked: [name],
  })
})

test.each([
  'AKIAIOSFODNN7EXAMPLE',
  'ghp_xxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxx',
  'sk-xxxx',
  'glpat-your-token-goes-here-1',
  `sk_test_${body.slice(0, 24)}`,
  'npm_000000000000000000000000000000000000',
  'AIzaSyExampleExampleExampleExampleExamp',
])('leaves the placeholder or test key %s', (text) => {
  expect(maskSecrets(text)).toEqual({ text, masked: [] })
})
