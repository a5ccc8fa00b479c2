import { expect, test } from 'vitest'
import { isPlain, PublicUrl } from '../../../shared/schemas/public-url.ts'

test.each([
  ['https://carrel.example.com', 'https://carrel.example.com', ''],
  ['https://carrel.example.com/', 'https://carrel.example.com', ''],
  [' HTTPS://Carrel.Example.com:443/docs/ ', 'https://carrel.example.com/docs', '/docs'],
  ['http://10.0.0.5:8080/team/Carrel_2.0', 'http://10.0.0.5:8080/team/Carrel_2.0', '/team/Carrel_2.0'],
  ['https://[fd00::1]/apis', 'https://[fd00::1]/apis', '/apis'],
])('the public address "%s" is read as %s with the path "%s"', (text, url, path) => {
  expect(PublicUrl.parse(text)).toMatchObject({ url, path, origin: new URL(url).origin, hostname: new URL(url).hostname })
})

const example = 'such as https://carrel.example.com or https://example.com/carrel'
const plainPath = `must have a plain path, without "..", "//", escapes and spaces, ${example}`

test.each([
  ['foo', `must be an http or https address ${example}`],
  ['carrel.example.com', `must be an http or https address ${example}`],
  ['ftp://carrel.example.com', `must be an http or https address ${example}`],
  ['https:carrel.example.com', `must be an http or https address ${example}`],
  ['https://', `must be an http or https address ${example}`],
  ['https://ada:secret@carrel.example.com', 'must not contain a user name or password'],
  ['https://carrel.example.com/?a=1', 'must not contain a query or fragment'],
  ['https://carrel.example.com/#docs', 'must not contain a query or fragment'],
  ['https://carrel.example.com./docs', 'must not have a dot at the end of the host'],
  ['https://carrel.example.com/docs/..', plainPath],
  ['https://carrel.example.com/../docs', plainPath],
  ['https://carrel.example.com/docs/%2e%2e/x', plainPath],
  ['https://carrel.example.com//docs', plainPath],
  ['https://carrel.example.com/docs//', plainPath],
  ['https://carrel.example.com\\docs', plainPath],
  ['https://carrel.example.com/a b', plainPath],
  [
    'https://carrel.example.com/api',
    `must not have a path that begins with /api, which is a path of the server itself; choose another, ${example}`,
  ],
  [
    'https://carrel.example.com/mcp/',
    `must not have a path that begins with /mcp, which is a path of the server itself; choose another, ${example}`,
  ],
  [
    'https://carrel.example.com/metrics',
    `must not have a path that begins with /metrics, which is a path of the server itself; choose another, ${example}`,
  ],
  [
    'https://carrel.example.com/.well-known/x',
    `must not have a path that begins with /.well-known, which is a path of the server itself; choose another, ${example}`,
  ],
])('the public address "%s" is rejected because it %s', (text, message) => {
  expect(PublicUrl.safeParse(text).error?.issues.map((issue) => issue.message)).toEqual([message])
})

test.each([
  ['http://carrel.example.com', true],
  ['http://10.0.0.5', true],
  ['http://localhost:3000', false],
  ['https://carrel.example.com', false],
])('the public address %s is unencrypted: %s', (url, plain) => {
  expect(isPlain(PublicUrl.parse(url))).toBe(plain)
})
