import { expect, test } from 'vitest'
import { type Comparison, comparePages } from '../../../shared/web/content/compare-pages.ts'

type Text = [heading: string, content: string]
const page = (...texts: Text[]) =>
  texts.map(([heading, content], i) => ({
    ...{ id: String(i), title: heading, breadcrumb: ['Page', heading], content, kind: 'info' as const, url: '', tokens: 1 },
  }))

const printed = ({ sections }: Comparison) =>
  sections.map(({ heading, change, lines }) =>
    [
      `${change} ${heading}`,
      ...lines.map((line) =>
        'hidden' in line
          ? `… ${line.hidden}`
          : `${{ same: ' ', added: '+', removed: '-' }[line.kind]} ${line.pieces.map(({ text, changed }) => (changed ? `[${text}]` : text)).join('')}`,
      ),
    ].join('\n'),
  )

test('sections are same, added, removed or changed, and the words that differ are marked', () => {
  const older = page(['Install', 'Use npm.'], ['Old', 'Gone.'], ['Use', 'Call it once.\nThen wait.'])
  const newer = page(['Install', 'Use npm.'], ['Use', 'Call it twice.\nThen wait.'], ['New', 'Here.'])
  expect(printed(comparePages(older, newer))).toEqual([
    'same Install',
    'removed Old\n- Gone.',
    'changed Use\n- Call it [once].\n+ Call it [twice].\n  Then wait.',
    'added New\n+ Here.',
  ])
})

test('the windows of a long section are compared as one, and equal lines far from a change are hidden', () => {
  const text = (n: number) => Array.from({ length: 20 }, (_, i) => `line ${n + i}`).join('\n')
  const older = page(['Long', text(0)], ['Long', text(100)])
  const newer = page(['Long', text(0)], ['Long', `${text(100)}\nlast`])
  const [section] = printed(comparePages(older, newer))
  expect(section).toMatch(/^changed Long\n… 38\n/)
  expect(section?.split('\n').at(-1)).toBe('+ last')
})

test('repeated headings are paired in their order', () => {
  const older = page(['A', 'x'], ['Example', 'one'], ['B', 'y'], ['Example', 'two'])
  const newer = page(['A', 'x'], ['Example', 'one'], ['B', 'y'], ['Example', 'three'])
  expect(comparePages(older, newer).sections.map(({ change }) => change)).toEqual(['same', 'same', 'same', 'changed'])
})

test('sections that take too long are shown as removed and added', () => {
  let calls = 0
  const slow = comparePages(page(['A', 'one']), page(['A', 'two']), () => (calls++ === 0 ? 0 : 10_000))
  expect(slow.isCut).toBe(true)
  expect(printed(slow)).toEqual(['changed A\n- one\n+ two'])
})

test('two megabytes without a common line are compared as a whole', () => {
  const text = (word: string) => Array.from({ length: 100_000 }, (_, i) => `${word}${i}`).join('\n')
  const { sections, isCut } = comparePages(page(['A', text('a')]), page(['A', text('b')]))
  expect(isCut).toBe(true)
  expect(sections[0]?.lines).toHaveLength(200_000)
})
