import { describe, expect, test } from 'vitest'
import { isLoopbackHost } from '../../../shared/network/private-address.ts'
import { BaseUrl, ModelUrl } from '../../../shared/schemas/base-url.ts'

describe('the address of a service', () => {
  test.each([
    ['https://ghe.example.com/', 'https://ghe.example.com'],
    [' https://GHE.example.com:8443/git/ ', 'https://ghe.example.com:8443/git'],
    ['https://api.example.com/v1', 'https://api.example.com/v1'],
    ['http://127.0.0.1:11434/v1', 'http://127.0.0.1:11434/v1'],
    ['http://localhost:3000', 'http://localhost:3000'],
    ['http://[::1]:3000', 'http://[::1]:3000'],
    ['http://127.1:3000', 'http://127.0.0.1:3000'],
    ['http://0x7f.0.0.1', 'http://127.0.0.1'],
    ['https://git.example.com:443', 'https://git.example.com'],
    ['https://git.example.com/a/../b', 'https://git.example.com/b'],
    ['https://git.example.com/gitlab//', 'https://git.example.com/gitlab'],
  ])('is normalized from %s to %s', (text, kept) => {
    expect(BaseUrl.parse(text)).toBe(kept)
  })

  test.each([
    ['ghe.example.com', 'must be an address such as https://example.com'],
    ['', 'must be an address such as https://example.com'],
    ['http://ghe.example.com', 'must start with https:// (http:// is allowed only for 127.0.0.1 and localhost)'],
    ['http://127.0.0.1.example.com', 'must start with https:// (http:// is allowed only for 127.0.0.1 and localhost)'],
    ['http://localhost.example.com', 'must start with https:// (http:// is allowed only for 127.0.0.1 and localhost)'],
    ['file:///etc/passwd', 'must start with https:// (http:// is allowed only for 127.0.0.1 and localhost)'],
    ['ssh://git@example.com', 'must not contain a user name or password'],
    ['https://user:secret@example.com', 'must not contain a user name or password'],
    ['https://example.com?x=1', 'must not contain a query or fragment'],
    ['https://example.com#', 'must not contain a query or fragment'],
    ['https://example.com./', 'must not have a dot at the end of the host'],
    [`https://example.com/${'a'.repeat(500)}`, 'must not be longer than 500 characters'],
  ])('is rejected if it is %s, because it %s', (text, message) => {
    expect(BaseUrl.safeParse(text).error?.issues.map((issue) => issue.message)).toEqual([message])
  })
})

describe('the address of a model', () => {
  test.each([
    'https://api.example.com/v1',
    'http://127.0.0.1:11434/v1',
    'http://ollama:11434/v1',
    'http://10.1.2.3/v1',
    'http://172.31.0.9:8000',
    'http://192.168.0.2',
    'http://[fd00::1]:8000',
    'http://models.ai.svc.cluster.local',
    'http://vllm.internal',
  ])('may be %s', (text) => {
    expect(ModelUrl.parse(text)).toBe(text)
  })

  test.each([
    ['https://api.example.com/v1/embeddings', 'https://api.example.com/v1'],
    ['http://ollama:11434/v1/embeddings/', 'http://ollama:11434/v1'],
    ['https://api.example.com/v1beta/openai/embeddings', 'https://api.example.com/v1beta/openai'],
    ['https://api.example.com/v1/chat/completions', 'https://api.example.com/v1'],
    ['https://api.anthropic.com/v1/messages', 'https://api.anthropic.com/v1'],
    // A route of another API, whose answers have another form.
    ['http://ollama:11434/api/embeddings', 'http://ollama:11434/api/embeddings'],
    ['https://example.com/embeddings', 'https://example.com/embeddings'],
  ])('is read from the address of a route, %s, as %s', (text, meant) => {
    expect(ModelUrl.parse(text)).toBe(meant)
  })

  test.each([
    [
      'https://acme.openai.azure.com/openai/deployments/small/embeddings?api-version=2024-10-21',
      'must not contain a query or fragment; for Azure OpenAI use https://acme.openai.azure.com/openai/v1 and the name of the deployment as the model',
    ],
    ['https://api.example.com/v1?key=secret', 'must not contain a query or fragment'],
  ])('is rejected with an alternative if it is %s', (text, message) => {
    expect(ModelUrl.safeParse(text).error?.issues.map((issue) => issue.message)).toEqual([message])
  })

  test.each([
    'http://api.example.com/v1',
    'http://8.8.8.8',
    'http://172.32.0.1',
    'http://169.254.169.254',
    'http://2852039166',
    'http://0xa9fea9fe',
    'http://0251.0376.0251.0376',
    'http://169.254.43518',
    'http://[::ffff:169.254.169.254]',
    'http://[fe80::1]',
    'http://[fd00:ec2::254]',
    'http://[fd00:0ec2:0::0254]',
    'http://[fd20:ce::254]',
    'http://100.100.100.200',
    'http://100.64.0.1',
    'http://metadata',
    'http://metadata.google.internal',
    'http://METADATA.google.internal',
    'http://instance-data',
    'http://instance-data.ec2.internal',
    'http://[fe80::1]',
    'http://10.0.0.1.example.com',
    'http://internal.example.com',
    'ftp://ollama',
  ])('is rejected if it is %s', (text) => {
    expect(ModelUrl.safeParse(text).error?.issues.map((issue) => issue.message)).toEqual([
      'must start with https:// (http:// is allowed only for private addresses and names such as 10.0.0.5, ollama or models.internal)',
    ])
  })
})

test.each([
  ['127.0.0.1', true],
  ['127.8.0.1', true],
  ['localhost', true],
  ['LOCALHOST', true],
  ['::1', true],
  ['[::1]', true],
  ['0.0.0.0', false],
  ['::', false],
  ['10.0.0.1', false],
  ['127.0.0.1.example.com', false],
  ['localhost.example.com', false],
  ['', false],
])('the host %s is a loopback host: %s', (host, loopback) => {
  expect(isLoopbackHost(host)).toBe(loopback)
})
