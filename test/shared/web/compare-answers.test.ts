import { expect, test } from 'vitest'
import { compareAnswers, summaryOf } from '../../../shared/web/playground/compare-answers.ts'

const snippet = (rank: number, title: string, content = 'text', commit = 'aaaaaaa') => ({
  rank,
  title,
  content,
  source: `https://github.com/acme/anvil/blob/${commit}/docs/use.md#L${rank}`,
  tokens: 10,
})

test('a snippet of another version is the same if its page and title are', () => {
  const first = [snippet(1, 'Use'), snippet(2, 'Clean'), snippet(3, 'Gone')]
  const second = [
    snippet(1, 'Clean', 'text', 'bbbbbbb'),
    snippet(2, 'New', 'text', 'bbbbbbb'),
    snippet(3, 'Use', 'words', 'bbbbbbb'),
  ]
  const relations = compareAnswers(first, second)
  expect(relations).toEqual([
    { kind: 'moved', rank: 3, content: 'words', isChanged: true },
    { kind: 'moved', rank: 1, content: 'text', isChanged: false },
    { kind: 'only' },
  ])
  expect(summaryOf(relations, second.length)).toBe('2 in both (2 moved, 1 changed), 1 only in the first, 1 only in the second')
})

test('two snippets with one title are compared one by one', () => {
  const relations = compareAnswers([snippet(1, 'Use'), snippet(2, 'Use')], [snippet(1, 'Use')])
  expect(relations.map(({ kind }) => kind)).toEqual(['same', 'only'])
})

test('equal answers are the same', () => {
  const answer = [snippet(1, 'Use')]
  expect(summaryOf(compareAnswers(answer, answer), 1)).toBe('Both answers are the same.')
})
