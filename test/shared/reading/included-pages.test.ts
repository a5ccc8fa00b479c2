import { afterAll, beforeAll, expect, test } from 'vitest'
import { type TestInstall, testInstall } from '../../fixtures/test-install.ts'

let install: TestInstall

beforeAll(async () => {
  install = await testInstall()
})
afterAll(() => install.close())

type Listed = { pages: { path: string; url: string }[]; path?: string }
const list = async (route: string): Promise<Listed> => {
  const response = await install.ask(`/api/projects/${route}`, { key: install.keys.admin })
  return (await response.json()) as Listed
}

const snippets = async (library: string, question: string) => {
  const query = new URLSearchParams({ libraryId: library, query: question, type: 'json' })
  const response = await install.ask(`/api/v2/context?${query}`, { key: install.keys.admin })
  const answer = (await response.json()) as Record<string, { pageId?: string; codeId?: string; includedBy?: string }[]>
  return [...(answer.codeSnippets ?? []), ...(answer.infoSnippets ?? [])].map(({ pageId, codeId, includedBy }) => [
    (pageId ?? codeId)?.replace(/.*\/blob\/\w+\//, ''),
    includedBy,
  ])
}

const manual = {
  'guide/install.adoc': '= Installing\n\nThe crane lifts.\n\ninclude::modules/add-node.adoc[leveloffset=+1]\n',
  'guide/modules': { link: '../modules' },
  'modules/add-node.adoc': '// Module\n\n= Add a node\n\nThe winch pulls the node.\n',
  'guide/tour.md': '# Tour\n\nThe tram leaves.\n\n--8<-- "parts/stops.md"\n',
  'guide/parts/stops.md': '## Stops\n\nThe ferry waits.\n',
  'guide/map.rst': 'Map\n===\n\nThe bridge opens.\n\n.. include:: parts/legend.txt\n',
  'guide/parts/legend.txt': 'Legend\n------\n\nThe tunnel is dark.\n',
  'api/openapi.yaml':
    'openapi: 3.0.0\ninfo: {title: Cars}\npaths: {/cars: {$ref: paths/cars.yaml}, /own: {get: {summary: Get own}}}\n',
  'api/paths/cars.yaml': '# Cars\nget:\n  summary: List the wagons\n',
}

test('included text is found at its own file and line, under the page that includes it', async () => {
  await install.git.create('parts/manual', { files: manual })
  expect(await install.parse('parts/manual')).toMatchObject({ state: 'done', error: null })
  const placed = [
    ['winch pulls', 'modules/add-node.adoc#L3', 'guide/install.adoc'],
    ['ferry waits', 'guide/parts/stops.md#L1', 'guide/tour.md'],
    ['tunnel dark', 'guide/parts/legend.txt#L1', 'guide/map.rst'],
    ['list wagons', 'api/paths/cars.yaml#L2', 'api/openapi.yaml'],
    ['crane lifts', 'guide/install.adoc#L1', undefined],
  ]
  for (const [question, ...place] of placed) expect((await snippets('/parts/manual', question as string))[0]).toEqual(place)

  // A refresh keeps the pages but the one that depends on a link, and their included text where it is.
  await install.git.commit('parts/manual', { files: { 'guide/other.md': '# Other\n\nThe sluice fills.\n' } })
  expect((await install.refresh('parts/manual')).report).toMatchObject({ filesRead: 2, filesKept: 3 })
  for (const [question, ...place] of placed) expect((await snippets('/parts/manual', question as string))[0]).toEqual(place)
})

test('a page is listed and found by its own path and by the paths of its included files', async () => {
  const paths = async (q: string) => (await list(`parts/manual/pages?q=${q}`)).pages.map(({ path }) => path)
  expect(await paths('')).toEqual(['api/openapi.yaml', 'guide/install.adoc', 'guide/map.rst', 'guide/other.md', 'guide/tour.md'])
  expect(await paths('add-node')).toEqual(['guide/install.adoc'])
  expect(await paths('legend')).toEqual(['guide/map.rst'])
  expect((await list('parts/manual/pages/modules/add-node.adoc')).path).toBe('guide/install.adoc')
  expect((await list('parts/manual/pages/guide/install.adoc')).path).toBe('guide/install.adoc')
})
