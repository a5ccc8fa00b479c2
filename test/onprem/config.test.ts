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

test.each(['abc', '65536', '-1', '3000.5', '0x50', '1e3'])('the PORT "%s" is rejected with the valid range', (PORT) => {
  expect(() => readConfig({ PORT })).toThrow(`PORT is "${PORT}" and must be a whole number from 0 to 65535.`)
})

test.each(['two words', 'a/b', 'h'.repeat(254)])('the HOST "%s" is rejected', (HOST) => {
  expect(() => readConfig({ HOST })).toThrow('and must be a host name or an address.')
})

test('a HOST in brackets is rejected with the address to write', () => {
  expect(() => readConfig({ HOST: '[::1]' })).toThrow(
    'HOST is "[::1]" and must be an address without brackets: write ::1 for [::1].',
  )
})

test('spaces and line breaks around a value are ignored, as a file with the lines of Windows has them', () => {
  const env = {
    PORT: ' 5310 ',
    HOST: '127.0.0.1\r',
    DATA_DIR: './data\r\n',
    LOG_LEVEL: 'info\r',
    NODE_EXTRA_CA_CERTS: ' /ca.pem',
  }
  expect(readConfig({ ...env, LICENSE_KEY: 'x.y.z\r', VENDOR_LICENSE_KEY_FILE: '\t' })).toEqual({
    PORT: 5310,
    HOST: '127.0.0.1',
    DATA_DIR: './data',
    LOG_LEVEL: 'info',
    NODE_EXTRA_CA_CERTS: '/ca.pem',
    LICENSE_KEY: 'x.y.z',
    TRUSTED_PROXIES: expect.anything(),
  })
})

test('a password may end in a space, but not in the line break of its file', () => {
  expect(readConfig({ INITIAL_ADMIN_PASSWORD: ' pass word \r\n' }).INITIAL_ADMIN_PASSWORD).toBe(' pass word ')
})

test.each([
  ['DATA_DIR', 'a\tb', 'DATA_DIR is "a\\tb" and must be one line of plain text.'],
  ['DATA_DIR', 'a\0b', 'DATA_DIR is "a\\u0000b" and must be one line of plain text.'],
  ['DATA_DIR', 'a\u009bb', 'DATA_DIR is "a\\u009bb" and must be one line of plain text.'],
  ['DATA_DIR', '"./data"', String.raw`DATA_DIR is "\"./data\"" and must not be in quotes, which only a shell removes.`],
  ['DATA_DIR', "'/data'", `DATA_DIR is "'/data'" and must not be in quotes`],
  ['DATA_DIR', '~/data', 'DATA_DIR is "~/data" and must not begin with ~, which only a shell replaces: write the whole path.'],
  ['DATA_DIR', '$HOME/data', 'DATA_DIR is "$HOME/data" and must not contain a variable'],
  ['DATA_DIR', `$${'{HOME}'}/data`, 'and must not contain a variable'],
  ['DATA_DIR', 'd'.repeat(10_000), `DATA_DIR is "${'d'.repeat(80)}…" and must have at most 1000 bytes.`],
  ['VENDOR_LICENSE_KEY_FILE', '~/key.pem', 'VENDOR_LICENSE_KEY_FILE is "~/key.pem" and must not begin with ~'],
  ['NODE_EXTRA_CA_CERTS', "'/ca.pem'", 'NODE_EXTRA_CA_CERTS is "\'/ca.pem\'" and must not be in quotes'],
  ['PUBLIC_URL', 'https://a\nb', 'PUBLIC_URL is "https://a\\nb" and must be one line of plain text.'],
])('the value of %s that only a shell or a mistake can mean is rejected and shown: %j', (name, value, message) => {
  expect(() => readConfig({ [name]: value })).toThrow(message)
})

test.each([
  ['LICENSE_KEY', 'hidden\tvalue', 'LICENSE_KEY must be one line of plain text.'],
  ['INITIAL_ADMIN_PASSWORD', 'hidden\tvalue', 'INITIAL_ADMIN_PASSWORD must be one line of plain text.'],
  [
    'PUBLIC_URL',
    'https://ada:hidden@a.example',
    'PUBLIC_URL is "https://…@a.example" and must not contain a user name or password.',
  ],
])('the secret in a rejected %s is not shown', (name, value, message) => {
  expect(() => readConfig({ [name]: value })).toThrow(expect.objectContaining({ message }))
})

test.each(['~user', 'a~b', 'price$', "it's", './Data Folder', 'データ'])('the DATA_DIR "%s" is a plain path', (DATA_DIR) => {
  expect(readConfig({ DATA_DIR }).DATA_DIR).toBe(DATA_DIR)
})

test.each(['loud', '30', 'silent'])('the LOG_LEVEL "%s" is rejected with the valid levels', (LOG_LEVEL) => {
  expect(() => readConfig({ LOG_LEVEL })).toThrow(`LOG_LEVEL is "${LOG_LEVEL}" and must be error, warn, info or debug.`)
})
