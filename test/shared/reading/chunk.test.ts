import fc from 'fast-check'
import { describe, expect, test } from 'vitest'
import { chunkPage } from '../../../shared/reading/chunk.ts'
import type { Block } from '../../../shared/reading/page/page.ts'
import { proseOf } from '../../../shared/snippet.ts'
import { countTokens } from '../../../shared/text/count-tokens.ts'
import { fence } from '../../../shared/text/fence.ts'

const prose = (text: string, line = 1): Block => ({ kind: 'prose', text, line })
const code = (text: string, more: Partial<Extract<Block, { kind: 'code' }>> = {}): Block => ({
  kind: 'code',
  code: text,
  language: 'ts',
  line: 1,
  ...more,
})
const cutBlocks = (...blocks: Block[]) =>
  chunkPage({ title: 'Page', sections: [{ headings: ['Section'], line: 3, blocks }] }, 'file')
const words = (count: number) => Array.from({ length: count }, (_, i) => `word${i}`).join(' ')

describe('cutting', () => {
  test('a short section stays one chunk, with its prose and code in order', () => {
    const [chunk, ...more] = cutBlocks(prose('Before.'), code('a()'), prose('After.'))
    expect(more).toEqual([])
    expect(chunk).toMatchObject({
      breadcrumb: ['Page', 'Section'],
      line: 3,
      content: 'Before.\n\n```ts\na()\n```\n\nAfter.',
      code: [{ language: 'ts', code: 'a()' }],
    })
  })

  test('a page without a title takes the name of its file', () => {
    expect(
      chunkPage({ sections: [{ headings: [], line: 1, blocks: [prose('Text.')] }] }, 'Getting started')[0]?.breadcrumb,
    ).toEqual(['Getting started'])
  })

  test('a long section becomes windows of at most 400 tokens that start at its blocks', () => {
    const chunks = cutBlocks(...Array.from({ length: 12 }, (_, i) => prose(words(60), i * 10 + 4)))
    expect(chunks.length).toBeGreaterThan(2)
    expect(Math.max(...chunks.map((chunk) => countTokens(chunk.content)))).toBeLessThanOrEqual(400)
    expect(chunks[1]?.line).toBeGreaterThan(4)
    expect(new Set(chunks.map((chunk) => chunk.section))).toEqual(new Set([0]))
  })

  test('variants of one example stay in one window', () => {
    const tabs = ['npm', 'yarn', 'pnpm'].map((label) => code(words(30), { label, group: 1 }))
    const chunks = cutBlocks(prose(words(200)), ...tabs, prose(words(200)))
    expect(chunks.map((chunk) => chunk.code.length).filter((count) => count > 0)).toEqual([3])
  })

  test('code longer than a window is split at line ends, and each piece has its own fence', () => {
    const lines = Array.from({ length: 400 }, (_, i) => `line ${i}`)
    const chunks = cutBlocks(code(lines.join('\n')))
    expect(chunks.flatMap((chunk) => chunk.code.flatMap((each) => each.code.split('\n')))).toEqual(lines)
  })

  test('one line without a space is split to fit a window', () => {
    const chunks = cutBlocks(prose('x'.repeat(10_000)))
    expect(Math.max(...chunks.map((chunk) => countTokens(chunk.content)))).toBeLessThanOrEqual(400)
    expect(chunks.map((chunk) => chunk.content).join('')).toBe('x'.repeat(10_000))
  })

  test('a heading without text makes no chunk', () => {
    expect(cutBlocks(prose('  '))).toEqual([])
  })

  test('a fence is longer than any run of backticks inside it', () => {
    expect(fence('````\ncode\n````', 'md')).toBe('`````md\n````\ncode\n````\n`````')
  })
})

test('a section loses no text, and every fence is closed', () => {
  const line = fc.stringMatching(/^[a-zA-Z0-9`{}(). ]{0,60}$/)
  const block = fc.record({ kind: fc.constantFrom('prose', 'code'), lines: fc.array(line, { minLength: 1, maxLength: 60 }) })
  fc.assert(
    fc.property(fc.array(block, { maxLength: 12 }), (drawn) => {
      const blocks = drawn.map(({ kind, lines }) =>
        kind === 'code' ? code(lines.join('\n')) : prose(lines.join('\n').replace(/`{3,}/g, '``')),
      )
      const chunks = cutBlocks(...blocks)
      const squeezed = (text: string) => text.replace(/\s+/g, '')
      const kept = squeezed(chunks.map((chunk) => chunk.prose + chunk.code.map((each) => each.code).join('')).join(''))
      const given = squeezed(blocks.map((each) => (each.kind === 'code' ? each.code : each.text)).join(''))
      expect([...kept].sort().join('')).toBe([...given].sort().join(''))
      for (const chunk of chunks) {
        const withoutCode = proseOf(chunk)
        expect(squeezed(withoutCode)).toBe(squeezed(chunk.prose))
      }
    }),
    { numRuns: 60 },
  )
})

test('a title of megabytes is shortened, because every chunk repeats it', () => {
  const sections = Array.from({ length: 100 }, (_, i) => ({
    headings: ['h'.repeat(1000)],
    line: i,
    blocks: [prose(`Text ${i}.`)],
  }))
  const chunks = chunkPage({ title: 't'.repeat(2_000_000), sections }, 'file')
  expect(Math.max(...chunks.map((chunk) => chunk.breadcrumb.join('').length))).toBe(600)
})
