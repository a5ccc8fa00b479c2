import { expect, test } from 'vitest'
import { descriptionTitles } from '../../../../shared/reading/titles/description-titles.ts'
import { tempDir } from '../../../fixtures/temp-dir.ts'
import { writeTree } from '../../../fixtures/write-tree.ts'

async function titled(name: string, text: string) {
  const root = tempDir()
  writeTree(root, { [name]: text })
  return descriptionTitles(root)
}

const eggs = { title: 'Eggs', description: 'Eggs are laid by birds.' }
const about = '# Eggs\n\n[![Build](x.svg)](x)\n\nEggs are **laid** by [birds](https://example.com).\n\nMore about nests.\n'

test.each([
  ['JSON', 'a.json', JSON.stringify({ paths: { '/a': { info: { title: 'x' } } }, info: { title: 'Eggs', description: about } })],
  ['JSON in a YAML file', 'a.yaml', JSON.stringify({ openapi: '3.1.0', info: { description: about, title: 'Eggs' } }, null, 2)],
  [
    'YAML',
    'a.yml',
    'openapi: 3.1.0\ninfo:\n  title: "Eggs"\n  description: |\n    Eggs are laid by birds.\n\n    More.\npaths: {}\n',
  ],
  [
    'YAML with comments at line starts',
    'a.yaml',
    'info:\n  description: Eggs are laid by birds.\n# the name\n\n  title: Eggs\n# end\npaths: {}\n',
  ],
  ['YAML with quoted keys', 'a.yaml', `"openapi": 3.1.0\n"info":\n  'title': Eggs\n  description: Eggs are laid by birds.\n`],
  ['YAML with a space behind a key', 'a.yaml', `'info' :\n  title : Eggs\n  description: Eggs are laid by birds.\n`],
  [
    'YAML before many comments',
    'a.yaml',
    `info:\n  title: Eggs\n  description: Eggs are laid by birds.\n${'# More of them\n'.repeat(30_000)}paths: {}\n`,
  ],
  ['AsyncAPI', 'a.yaml', 'asyncapi: 3.0.0\ninfo: {title: Eggs, description: Eggs are laid by birds.}\n'],
  ['a summary', 'a.json', JSON.stringify({ info: { title: 'Eggs', summary: 'Eggs are laid by birds.', description: 'Else.' } })],
])('an API description has the title and the first sentence of its info: %s', async (_, name, text) => {
  expect(await titled(name, text)).toEqual([eggs])
})

test.each([
  ['a.graphql', 'type Query { eggs: Int }'],
  ['a.json', '{"info": "Eggs", "other": {"title": "Eggs"}}'],
  ['a.json', '{"info": {"title": {"en": "Eggs"}}}'],
  ['a.json', `{"info": {"x": ${JSON.stringify('[{}],'.repeat(60_000))}, "title": "Eggs"}}`],
  ['a.json', '{"info": {"title": '],
  ['a.json', `{"info": {"title": ${'"\\'.repeat(1_000_000)}`],
  ['a.yaml', 'openapi: 3.1.0\npaths:\n  info:\n    title: Eggs\n'],
  ['a.yaml', 'info: [title\n'],
])('an API description without a readable title has none: %s', async (name, text) => {
  expect((await titled(name, text)).every(({ title, description }) => title === undefined && description === undefined)).toBe(
    true,
  )
})
