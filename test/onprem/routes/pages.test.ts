import { afterAll, beforeAll, expect, test } from 'vitest'
import { head } from '../../fixtures/bundle.ts'
import { page } from '../../fixtures/page.ts'
import { type TestInstall, testInstall } from '../../fixtures/test-install.ts'
import { until } from '../../fixtures/until.ts'

let app: TestInstall
const strange = 'docs/ü b/100% of #1.md'

beforeAll(async () => {
  app = await testInstall()
  await app.git.create('acme/anvil', { files: { 'README.md': page('Old anvil', 'It weighs a pound.') }, tags: ['v1'] })
  await app.git.commit('acme/anvil', {
    files: {
      'README.md': page('Anvil', 'It weighs a ton.', 'It is made of iron.'),
      [strange]: page('Strange', 'A strange place.'),
    },
  })
  await app.parse('acme/anvil', { versions: ['v1'] })
})
afterAll(() => app.close())

type Listed = { path: string; title: string; url: string; snippets: number; tokens: number }
const list = async (query = '') => {
  const { body } = await app.json(`/api/projects/acme/anvil/pages${query}`)
  return body as { pages: Listed[]; total: number }
}

test('pages are listed with their titles, sources and sums', async () => {
  const { pages, total } = await list()
  expect(total).toBe(2)
  expect(pages.map(({ path, title }) => ({ path, title })).toSorted((a, b) => (a.path < b.path ? -1 : 1))).toEqual([
    { path: 'README.md', title: 'Anvil' },
    { path: strange, title: 'Strange' },
  ])
  expect(pages[0]?.url).toContain(`${app.git.url}/acme/anvil/blob/`)
  expect(pages.every(({ snippets, tokens }) => snippets > 0 && tokens > 0)).toBe(true)
  expect((await list('?q=STRANGE')).pages.map(({ path }) => path)).toEqual([strange])
  expect((await list('?pageSize=1&page=2')).pages).toEqual([pages[1]])
  expect((await list('?version=v1')).pages.map(({ title }) => title)).toEqual(['Old anvil'])
})

test('a page has its snippets in order, as JSON and as Markdown', async () => {
  const { status, body } = await app.json('/api/projects/acme/anvil/pages/README.md')
  expect(status).toBe(200)
  const items = (body as { items: { title: string; content: string; kind: string }[] }).items
  expect(items.map(({ title }) => title)).toEqual(['Anvil part 1', 'Anvil part 2'])
  const text = await (await app.ask('/api/projects/acme/anvil/pages/README.md?type=txt')).text()
  expect(text).toContain('It weighs a ton.')
  expect(text.indexOf('made of iron')).toBeGreaterThan(text.indexOf('weighs a ton'))
  const second = (await app.json('/api/projects/acme/anvil/pages/README.md?pageSize=1&page=2')).body
  expect(second).toMatchObject({ items: [items[1]], total: 2 })
})

test('a path may have any characters', async () => {
  for (const path of [encodeURIComponent(strange), strange.split('/').map(encodeURIComponent).join('/')]) {
    const { status, body } = await app.json(`/api/projects/acme/anvil/pages/${path}`)
    expect({ status, body }).toMatchObject({ status: 200, body: { path: strange } })
  }
})

test.each([
  ['/api/projects/acme/anvil/pages/none.md', 404, 'not_found'],
  ['/api/projects/acme/anvil/pages/..%2F..%2Fetc%2Fpasswd', 404, 'not_found'],
  ['/api/projects/acme/none/pages', 404, 'library_not_found'],
  ['/api/projects/acme/anvil/pages?version=v9', 404, 'tag_not_found'],
  ['/api/projects/acme/anvil/pages?pageSize=0', 400, 'validation_error'],
])('a request for %s gets %d %s', async (path, status, error) => {
  expect(await app.json(path)).toMatchObject({ status, body: { error } })
})

test('pages of a bundle without paths are listed by number', async () => {
  const snippet = {
    codeList: [],
    breadcrumb: 'Gears',
    content: 'A gear turns.',
    contentTokens: 4,
    pageId: 'https://example.com/gears',
  }
  const libraries = [{ ...head({ project: '/acme/gears', title: 'Gears' }), codeSnippets: [], infoSnippets: [snippet] }]
  expect((await app.call('POST', '/api/import-libraries', { libraries })).body).toMatchObject({ queued: ['/acme/gears'] })
  await until(async () => (await app.json('/api/projects/acme/gears/pages')).status === 200)
  const { body } = await app.json('/api/projects/acme/gears/pages')
  const [first] = (body as { pages: Listed[] }).pages
  expect(first?.path).toBe('~0')
  expect((await app.json('/api/projects/acme/gears/pages/~0')).body).toMatchObject({
    items: [{ content: expect.stringContaining('A gear turns.') }],
  })
})
