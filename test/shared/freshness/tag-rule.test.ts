import { expect, test } from 'vitest'
import { TagRule, wantedTags } from '../../../shared/freshness/tag-rule.ts'

const wanted = (tags: string[], rule: object) =>
  wantedTags(
    tags.map((tag) => `refs/tags/${tag}`),
    TagRule.parse(rule),
  )

test('a rule keeps the newest tags of each major version, without pre-releases', () => {
  const tags = ['v1.0.0', 'v1.9.0', 'v1.10.0', 'v2.0.0', 'v2.0.1-rc.1', 'v3.0.0-beta', 'docs-1', 'nightly']
  expect(wanted(tags, { tags: 'v*' })).toEqual(['v2.0.0', 'v1.10.0'])
  expect(wanted(tags, { tags: 'v*', keep: 2 })).toEqual(['v2.0.0', 'v1.10.0', 'v1.9.0'])
  expect(wanted(tags, { tags: 'v*', prereleases: true })).toEqual(['v3.0.0-beta', 'v2.0.1-rc.1', 'v1.10.0'])
})

test('a rule tells the packages of a repository apart', () => {
  const tags = ['core@1.2.0', 'core@1.3.0', 'cli@1.9.0', 'core@2.0.0', 'v9.0.0']
  expect(wanted(tags, { tags: 'core@*' })).toEqual(['core@2.0.0', 'core@1.3.0'])
  expect(wanted(tags, { tags: '*@*' })).toEqual(['core@2.0.0', 'cli@1.9.0', 'core@1.3.0'])
})

test('a rule reads the numbers of many kinds of tags', () => {
  expect(wanted(['REL_15_4', 'REL_16_2', 'REL_16_BETA1'], { tags: 'REL_*' })).toEqual(['REL_16_2', 'REL_15_4'])
  expect(wanted(['release-1.2.0', 'release-1.2.1.Final'], { tags: '*' })).toEqual(['release-1.2.1.Final'])
  expect(wanted(['1.0', '1.0rc1', '1.0.post1'], { tags: '*' })).toEqual(['1.0.post1'])
})

test('a rule never asks for more than 50 versions', () => {
  const tags = Array.from({ length: 300 }, (_, i) => `v${i}.0.0`)
  expect(wanted(tags, { tags: 'v*' })).toHaveLength(50)
})

test('a pattern with many stars takes time that is linear in the name', () => {
  expect(wanted([`${'a'.repeat(240)}1`], { tags: `${'*a'.repeat(99)}b` })).toEqual([])
})
