import fc from 'fast-check'
import { expect, test } from 'vitest'
import type { BundleEvent } from '../../../shared/bundle/bundle-structure.ts'
import { readBundle } from '../../../shared/bundle/read-bundle.ts'
import { snippetsOf } from '../../fixtures/imports.ts'

const text = JSON.stringify({
  unknown: [[{ libraries: [{ project: '/not/this' }] }], 'Größe 漢字 "quoted" \\ 😀'],
  libraries: [
    {
      infoSnippets: [],
      codeSnippets: [{ title: 'Größe 😀 }] "{[" \\', codeList: [{ code: 'a()\u2028 \\"' }] }],
      project: '/a/b',
      title: null,
    },
    { project: '/wrong/one', codeSnippets: [{ codeList: 1 }], infoSnippets: [], libraries: [{ project: '/nor/this' }] },
    7,
    { project: '/c/d', ...snippetsOf('one', 'two'), constructor: { force: 'yes' } },
  ],
  force: true,
})

async function eventsOf(bytes: Uint8Array, cuts: number[], limits?: Parameters<typeof readBundle>[2]): Promise<BundleEvent[]> {
  const ends = [...cuts.sort((a, b) => a - b), bytes.length]
  async function* chunks() {
    for (const [i, end] of ends.entries()) yield bytes.subarray(ends[i - 1] ?? 0, end)
  }
  return (await Array.fromAsync(readBundle(chunks(), 'The body', limits))).flat()
}

test('a body is read the same way however it is cut into chunks', async () => {
  const bytes = Buffer.from(text)
  const whole = await eventsOf(bytes, [])
  expect(whole.map((event) => ('project' in event ? event.project : 'head' in event ? event.head.project : event.kind))).toEqual([
    'unknown',
    'snippet',
    '/a/b',
    '/wrong/one',
    'libraries[2]',
    'snippet',
    'snippet',
    '/c/d',
    'force',
  ])
  await fc.assert(
    fc.asyncProperty(fc.array(fc.nat(bytes.length), { maxLength: 40 }), async (cuts) => {
      expect(await eventsOf(bytes, cuts)).toEqual(whole)
    }),
    { numRuns: 50 },
  )
})

test('a body that ends too early is rejected at any position', async () => {
  const bytes = Buffer.from(text)
  await fc.assert(
    fc.asyncProperty(fc.nat(bytes.length - 1), async (end) => {
      await expect(eventsOf(bytes.subarray(0, end), [])).rejects.toMatchObject({ code: 'validation_error' })
    }),
    { numRuns: 50 },
  )
})

const inSnippet = (text: string) =>
  `{"libraries":[{"project":"/a/b","infoSnippets":[{"content":"x"},${text}],"codeSnippets":[]}]}`
test.each([
  ['with an error', '{"content":}', 'is not valid JSON in UTF-8'],
  ['after another without a comma', '{"content":"x"} {"content":"y"}', 'is not valid JSON in UTF-8'],
  ['after two commas', ',{"content":"x"}', 'is not valid JSON in UTF-8'],
  ['before a last comma', '{"content":"x"},', 'is not valid JSON in UTF-8'],
  ['with a control character', '{"content":"\n"}', 'is not valid JSON in UTF-8'],
  ['in another encoding', '{"content":"\u00ff"}', 'is not valid JSON in UTF-8'],
  ['nested without end', `{"content":${'['.repeat(5000)}`, 'is nested more than 100 levels deep'],
  ['without end', `{"content":"${'x'.repeat(11_000)}`, 'holds a single value of more than 10000 bytes'],
])('a body with a snippet %s is rejected', async (_, snippet, message) => {
  const events = eventsOf(Buffer.from(inSnippet(snippet), 'latin1'), [], limits)
  await expect(events).rejects.toMatchObject({ code: 'validation_error', message: `The body ${message}.` })
})

const limits = { elements: 10, elementBytes: 1000, elementSnippets: 3, valueBytes: 10_000, depth: 100 }
const reason = expect.stringMatching(/^library_too_large: at most 3 snippets and 1000 bytes/)
test.each([
  ['too many snippets', snippetsOf('1', '2', '3', '4')],
  ['too many bytes', snippetsOf('x'.repeat(900))],
  ['too many bytes of what is not known', { ...snippetsOf('1'), unknown: Array.from({ length: 300 }, () => 'x') }],
])('a library with %s is rejected alone', async (_, content) => {
  const body = {
    libraries: [
      { project: '/too/large', ...content },
      { project: '/small/one', ...snippetsOf('1') },
    ],
  }
  const events = await eventsOf(Buffer.from(JSON.stringify(body)), [], limits)
  expect(events.filter(({ kind }) => kind !== 'snippet')).toMatchObject([
    { kind: 'refused', project: '/too/large', reason },
    { kind: 'end', head: { project: '/small/one', totalSnippets: 1 } },
  ])
})

test('a body with too many libraries is rejected', async () => {
  const libraries = Array.from({ length: 11 }, () => 0)
  await expect(eventsOf(Buffer.from(JSON.stringify({ libraries })), [], limits)).rejects.toMatchObject({
    code: 'payload_too_large',
  })
})
