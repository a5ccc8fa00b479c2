import fc from 'fast-check'
import { expect, test } from 'vitest'
import { shorten } from '../../../shared/search/shorten.ts'
import type { Snippet } from '../../../shared/snippet.ts'

const snippet = (content: string, ...code: string[]): Snippet => ({
  id: '1',
  breadcrumb: ['Page', 'Part'],
  content,
  code: code.map((text) => ({ language: 'ts', code: text })),
  path: 'a.md',
  url: 'https://git.example/a.md',
  topic: 'part',
  tokens: Math.ceil(content.length / 4),
  hash: 'h',
})

test('whole lines are kept as far as they fit, and the cut is marked', () => {
  const { content, tokens } = shorten(snippet('one one\ntwo two\nthree three\nfour four'), 8)
  expect(content).toBe('one one\ntwo two\nthree three\n…')
  expect(tokens).toBe(8)
})

test('a fence that is cut is closed, and its code is no longer listed as code', () => {
  const cut = shorten(snippet('Intro\n\n````ts\na()\n```\nb()\n````\n\nEnd', 'a()\n```\nb()'), 7)
  expect(cut.content).toBe('Intro\n\n````ts\na()\n````\n…')
  expect(cut.code).toEqual([])
})

test('code that is still whole stays listed', () => {
  const cut = shorten(snippet('```ts\na()\n```\n\n```ts\nb()\n```', 'a()', 'b()'), 5)
  expect(cut.content).toBe('```ts\na()\n```\n\n…')
  expect(cut.code).toEqual([{ language: 'ts', code: 'a()' }])
})

test('a line that is too long is cut inside', () => {
  expect(shorten(snippet('x'.repeat(1000)), 5).content).toBe(`${'x'.repeat(18)}\n…`)
})

test('a shortened snippet fits and has closed fences, whatever its content', () => {
  const line = fc.constantFrom('```', '````', '```ts', 'words of prose', '', '````md', 'a ``` b', '😀'.repeat(30))
  fc.assert(
    fc.property(fc.array(line, { maxLength: 12 }), fc.nat({ max: 60 }), (lines, tokens) => {
      const { content } = shorten(snippet(lines.join('\n')), tokens)
      expect(content.length).toBeLessThanOrEqual(Math.max(2, tokens * 4))
      expect(content.isWellFormed()).toBe(true)
      let open: string | undefined
      for (const each of content.split('\n')) {
        if (open === undefined) open = /^`{3,}/.exec(each)?.[0]
        else if (each === open) open = undefined
      }
      expect(open).toBeUndefined()
    }),
  )
})
