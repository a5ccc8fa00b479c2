import { describe, expect, test } from 'vitest'
import { mayMeanPages, meantPages } from '../../../../shared/search/question/meant-pages.ts'

const paths = [
  'README.md',
  'docs/quick-start.md',
  'docs/01-getting-started.md',
  'docs/intro.md',
  'docs/changelog.md',
  'docs/plugins/overview.md',
  'docs/middleware.md',
]
const pages = paths.map((path, page) => ({ page, path, title: path, url: path, snippets: 1, tokens: 1 }))
const meant = (question: string) => meantPages(question, ['hono', '/honojs/hono'], pages).map(({ path }) => path)

describe('a question about the whole documentation', () => {
  test.each([
    ['quickstart', 'docs/quick-start.md'],
    ['quick start', 'docs/quick-start.md'],
    ['How do I get started with Hono?', 'docs/01-getting-started.md'],
    ['getting started', 'docs/01-getting-started.md'],
    ['What is hono?', 'docs/intro.md'],
    ['what is this library', 'docs/intro.md'],
    ['introduction', 'docs/intro.md'],
    ['changelog', 'docs/changelog.md'],
    ["what's new", 'docs/changelog.md'],
  ])('%j means %s first', (question, path) => {
    expect(meant(question)[0]).toBe(path)
  })

  test('means the front page of the root if no page is named so', () => {
    const plain = pages.filter(({ path }) => path === 'README.md' || path === 'docs/middleware.md')
    expect(meantPages('overview', ['hono'], plain).map(({ path }) => path)).toEqual(['README.md'])
  })

  test('is not one about a part of it', () => {
    for (const question of ['getting started with middleware', 'how to set up cors', 'what is middleware', 'new route', ''])
      expect(meant(question)).toEqual([])
  })

  test('knows the library by the titles of its front pages', () => {
    const titled = pages.map((page) =>
      page.path === 'README.md' ? { ...page, title: 'Kit - a web framework of few words' } : page,
    )
    expect(meantPages('What is Kit?', ['/acme/website'], titled)[0]?.path).toBe('docs/intro.md')
    expect(meantPages('What is Kat?', ['/acme/website'], titled)).toEqual([])
  })

  test('means at most three pages', () => {
    expect(meant('getting started')).toHaveLength(3)
  })

  test('is told without the list of pages, which a large library reads slowly', () => {
    const about = ['getting started with Hono', 'quickstart', 'What is Kit?', "what's new", 'release notes', 'project overview']
    expect(about.filter((question) => !mayMeanPages(question))).toEqual([])
    const others = [
      'how do I set a cookie',
      'get all query parameters',
      'step up a version',
      'start a server',
      'new list of tools',
    ]
    expect(others.filter(mayMeanPages)).toEqual([])
  })
})
