import { expect, test } from 'vitest'
import { readConfig } from '../../onprem/config.ts'

test('the default is port 3000 of this machine only, with the data in ./data', () => {
  const { TRUSTED_PROXIES, ...others } = readConfig({})
  expect(others).toEqual({ PORT: 3000, HOST: '127.0.0.1', DATA_DIR: './data', LOG_LEVEL: 'info' })
  expect(TRUSTED_PROXIES.check('127.0.0.1')).toBe(true)
})

test('an empty variable is unset', () => {
  expect(readConfig({ PORT: '', HOST: '', DATA_DIR: '', LICENSE_KEY: '' })).toEqual({
    ...readConfig({}),
    TRUSTED_PROXIES: expect.anything(),
  })
})

test('set variables are applied, and unknown variables are ignored', () => {
  const env = { PORT: '0', HOST: '::', DATA_DIR: '/data', LICENSE_KEY: 'x.y.z', NODE_EXTRA_CA_CERTS: '/ca.pem' }
  expect(readConfig({ ...env, LOG_LEVEL: 'DEBUG', HOME: '/root' })).toEqual({
    ...env,
    PORT: 0,
    LOG_LEVEL: 'debug',
    TRUSTED_PROXIES: expect.anything(),
  })
})

test.each(['abc', '65536', '-1', '3000.5', ' ', '0x50', '1e3'])('the PORT "%s" is rejected with the valid range', (PORT) => {
  expect(() => readConfig({ PORT })).toThrow('PORT must be a whole number from 0 to 65535.')
})

test('a HOST of spaces is rejected', () => {
  expect(() => readConfig({ HOST: '  ' })).toThrow('HOST must be a host name or an address.')
})

test.each(['loud', '30', 'silent'])('the LOG_LEVEL "%s" is rejected with the valid levels', (LOG_LEVEL) => {
  expect(() => readConfig({ LOG_LEVEL })).toThrow('LOG_LEVEL must be error, warn, info or debug.')
})
