import { statSync, truncateSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { afterAll, beforeAll, expect, test } from 'vitest'
import type { z } from 'zod'
import type { EverythingAnswer } from '../../../onprem/queries/search-everything.ts'
import { type TestInstall, testInstall } from '../../fixtures/test-install.ts'
import { widgetsInstall } from '../../fixtures/widgets-install.ts'

type Answer = z.infer<typeof EverythingAnswer>

let install: TestInstall

beforeAll(async () => {
  install = await widgetsInstall()
  await install.git.create('acme/gears', {
    files: {
      'README.md': '# Gears\n\nGears turn widgets.\n',
      'docs/install.md': '# Getting gears\n\n## Instalación rápida\n\nCopy the file to your café.\n',
    },
  })
  await install.parse('acme/gears')
})
afterAll(() => install.close())

async function search(q: string, more: Record<string, string> = {}, from = install): Promise<Answer['libraries']> {
  await from.ask(`/api/search?${new URLSearchParams({ q: 'x' })}`)
  await from.app.textIndex.settled()
  const { status, body } = await from.json(`/api/search?${new URLSearchParams({ q, ...more })}`, { key: from.keys.member })
  expect(status).toBe(200)
  return (body as Answer).libraries
}
const idsOf = (libraries: Answer['libraries']) => libraries.map(({ id }) => id)
const shownIn = (libraries: Answer['libraries']) =>
  libraries.flatMap(({ id, matches }) =>
    matches.map(({ kind, path, text, marks }) => [id, kind, path, marks.map(([a, b]) => text.slice(a, b))]),
  )

test('a search finds a library by its name before those that only have the word', async () => {
  expect(idsOf(await search('widgets'))).toEqual(['/acme/widgets', '/acme/gears'])
  expect(idsOf(await search('gears'))).toEqual(['/acme/gears'])
})

test('a search says of each library whether its name has the words', async () => {
  const namesOf = (libraries: Answer['libraries']) => libraries.map(({ id, named }) => [id, named])
  expect(namesOf(await search('widgets'))).toEqual([
    ['/acme/widgets', true],
    ['/acme/gears', false],
  ])
  expect(namesOf(await search('gears copy'))).toEqual([['/acme/gears', false]])
})

test('a heading that has the words comes before a description, and a description before a text', async () => {
  const own = await testInstall()
  const files = {
    described: '# One\n\nThe flywheel stores energy.\n\n## Other\n\nA belt.\n',
    headed: '# Two\n\nA belt.\n\n## The flywheel\n\nIt turns.\n',
    written: '# Three\n\nA belt.\n\n## Other\n\nThe flywheel, the flywheel and the flywheel turn.\n',
  }
  for (const [name, text] of Object.entries(files)) {
    await own.git.create(`acme/${name}`, { files: { 'README.md': text } })
    await own.parse(`acme/${name}`)
  }
  expect(idsOf(await search('flywheel', {}, own))).toEqual(['/acme/headed', '/acme/described', '/acme/written'])
  await own.close()
})

test('a search finds pages, headings and text, and marks the words', async () => {
  expect(shownIn(await search('painting'))).toEqual([['/acme/widgets', 'page', 'docs/paint.md', ['Painting']]])
  expect(shownIn(await search('colours'))).toContainEqual(['/acme/widgets', 'heading', 'docs/paint.md', ['Colours']])
  expect(shownIn(await search('tomato'))).toContainEqual(['/acme/widgets', 'text', 'docs/paint.md', ['tomato']])
})

test('a search finds words by the start of the last one and without diacritics', async () => {
  expect(shownIn(await search('instalac'))).toContainEqual(['/acme/gears', 'heading', 'docs/install.md', ['Instalac']])
  expect(shownIn(await search('your cafe'))).toContainEqual(['/acme/gears', 'text', 'docs/install.md', ['your', 'café']])
})

test('a search finds a page by the name of its library and a word of its text', async () => {
  expect(idsOf(await search('gears copy'))).toEqual(['/acme/gears'])
})

test('a search in one library returns no other', async () => {
  expect(idsOf(await search('widgets', { libraryId: '/acme/gears' }))).toEqual(['/acme/gears'])
})

test.each([
  '',
  ' ',
  '?!…',
  '"',
  '""""',
  'a" OR "b',
  '* NEAR(',
  'content:x',
  '-',
  '\u0000\u0001',
  'a\u0000b',
  '\ud800',
  'AND OR NOT',
  '日本',
])('a search for %j is answered', async (q) => expect(await search(q)).toBeInstanceOf(Array))

test('a search reads the first words of a long text', async () => {
  expect(idsOf(await search(`${'gears '.repeat(2_000)}`))).toEqual(['/acme/gears'])
})

test('a search does not find a library after its deletion', async () => {
  const own = await widgetsInstall()
  expect(await search('tomato', {}, own)).toHaveLength(1)
  await own.call('DELETE', '/api/projects/acme/widgets')
  const answer = await own.json('/api/search?q=tomato')
  expect(answer.body).toMatchObject({ libraries: [] })
  await own.close()
})

test('a search finds the text of a refresh and not the text before it', async () => {
  const own = await widgetsInstall()
  expect(await search('tomato', {}, own)).toHaveLength(1)
  await own.git.commit('acme/widgets', { files: { 'docs/paint.md': '# Painting\n\nOnly cobalt is left.\n' } })
  await own.refresh('acme/widgets')
  expect(await search('cobalt', {}, own)).toHaveLength(1)
  expect(await search('tomato', {}, own)).toHaveLength(0)
  await own.close()
})

test('a damaged text index is built again', async () => {
  const own = await widgetsInstall()
  expect(await search('tomato', {}, own)).toHaveLength(1)
  await own.stop()
  const path = join(own.dataDir, 'texts.db')
  truncateSync(path, 0)
  writeFileSync(path, Buffer.alloc(statSync(join(own.dataDir, 'carrel.db')).size, 7))
  const reopened = await testInstall({ reopen: own })
  expect(await search('tomato', {}, reopened)).toHaveLength(1)
  await reopened.close()
})

test('content that a killed server had half indexed is indexed again', async () => {
  const own = await widgetsInstall()
  await search('tomato', {}, own)
  await own.stop()
  const { DatabaseSync } = await import('node:sqlite')
  const db = new DatabaseSync(join(own.dataDir, 'texts.db'))
  db.exec('UPDATE generations SET complete = 0; DELETE FROM chunks WHERE rowid % 2 = 0')
  db.close()
  const reopened = await testInstall({ reopen: own })
  expect(await search('tomato', {}, reopened)).toHaveLength(1)
  await reopened.close()
})
