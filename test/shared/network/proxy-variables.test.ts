import { expect, test } from 'vitest'
import { isDirect, proxiesOf } from '../../../shared/network/connections.ts'

test('proxy variables of a file with the line ends of Windows are read without them', () => {
  const env = { HTTPS_PROXY: 'http://proxy.example:3128\r', NO_PROXY: 'other.example,internal.example\r' }
  expect(proxiesOf({ env })).toMatchObject({ httpsProxy: 'http://proxy.example:3128' })
  expect(isDirect({ env }, 'https://internal.example/')).toBe(true)
})

test('a proxy variable of spaces is unset', () => {
  expect(proxiesOf({ env: { HTTPS_PROXY: ' \r\n', ALL_PROXY: 'http://all.example' } }).httpsProxy).toBe('http://all.example')
})
