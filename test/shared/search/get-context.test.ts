import { describe, expect, test } from 'vitest'
import { type ContextPorts, getContext } from '../../../shared/search/get-context.ts'
import { renderText } from '../../../shared/search/render-answer.ts'
import { pageKind, pageKindByte, pageKindOf } from '../../../shared/search/statistics/page-kind.ts'
import type { LibraryStatistics } from '../../../shared/search/statistics/statistics.ts'
import { countTokens } from '../../../shared/text/count-tokens.ts'
import { parsedLibrary } from '../../fixtures/parsed-library.ts'

const ask = (ports: ContextPorts, query: string, tokens = 5000) =>
  getContext(ports, { libraryId: { owner: 'acme', repo: 'docs' }, query, tokens })
const titles = async (ports: ContextPorts, query: string) =>
  (await ask(ports, query)).snippets.map((each) => each.breadcrumb.join(' > '))

const guide = `# Cookies

Helpers for cookies.

## Reading

Call \`getCookie\` with the name.

\`\`\`ts
const session = getCookie(c, 'session')
\`\`\`

## Writing

Call \`setCookie\` with a name and a value.

\`\`\`ts
setCookie(c, 'session', id)
\`\`\`

## Signing

A signed cookie carries a signature of its value.
`
const filler = Object.fromEntries(
  ['Routing', 'Logging', 'Caching', 'Testing', 'Streaming'].map((topic) => [
    `docs/${topic.toLowerCase()}.md`,
    `# ${topic}\n\nEverything about ${topic.toLowerCase()} of requests and responses.\n\n## Setup\n\nInstall the ${topic.toLowerCase()} package first.\n`,
  ]),
)

describe('the answer to a question', () => {
  test('begins with the section that contains it, with its code and its source', async () => {
    const ports = await parsedLibrary({ 'docs/cookies.md': guide, ...filler })
    const [first] = (await ask(ports, 'how do I read a cookie by its name')).snippets
    expect(first).toMatchObject({
      breadcrumb: ['Cookies', 'Reading'],
      code: [{ language: 'ts', code: "const session = getCookie(c, 'session')" }],
      url: 'https://github.com/acme/docs/blob/c0ffee/docs/cookies.md#L5',
      topic: 'reading',
    })
  })

  test('is found by an identifier in any spelling, and with a typo', async () => {
    const ports = await parsedLibrary({ 'docs/cookies.md': guide, ...filler })
    for (const query of ['setCookie', 'set_cookie', 'set cookie', 'setcookie', 'setCokie']) {
      expect((await titles(ports, query))[0], query).toBe('Cookies > Writing')
    }
  })

  test('contains more than three sections of a page if no other page has equally good ones', async () => {
    const many = `# Cookies\n\n${Array.from({ length: 8 }, (_, i) => `## Cookie recipe ${i}\n\nRecipe ${i} sets the cookie number${i} of shop${i}.`).join('\n\n')}\n`
    const ports = await parsedLibrary({ 'docs/cookies.md': many, ...filler })
    expect((await titles(ports, 'cookie recipe')).filter((title) => title.startsWith('Cookies'))).toHaveLength(8)
  })

  test('contains one window of a long section', async () => {
    const long = `# Cookies\n\n## All about them\n\n${Array.from({ length: 30 }, (_, i) => `Paragraph ${i} tells of the cookie jar in room ${i}, its lid and everything else that is kept in the kitchen of house ${i}.`).join('\n\n')}\n`
    const ports = await parsedLibrary({ 'docs/cookies.md': long, ...filler })
    expect((await titles(ports, 'cookie jar')).filter((title) => title === 'Cookies > All about them')).toHaveLength(1)
  })

  test('contains the code of a long section if the matching window has none', async () => {
    const paragraphs = (from: number) =>
      Array.from(
        { length: 12 },
        (_, i) =>
          `Rule ${from + i} of the proxy: requests of kind ${from + i} are passed on to the machine ${from + i} behind it, with all headers.`,
      )
    const code = "```js\nexport default { server: { proxy: { '/api': 'http://localhost:4567' } } }\n```"
    for (const [before, after] of [
      [paragraphs(0).join('\n\n'), code],
      [code, paragraphs(20).join('\n\n')],
    ]) {
      const long = `# Server\n\n## Proxy\n\n${before}\n\n${paragraphs(40).join('\n\n')}\n\n${after}\n`
      const ports = await parsedLibrary({ 'docs/server.md': long, ...filler })
      const [best] = (await ask(ports, 'rule 45 of requests of kind 45')).snippets
      expect(best).toMatchObject({ breadcrumb: ['Server', 'Proxy'], content: expect.stringContaining('Rule 45') })
      expect(best?.content).toContain(code)
      expect(best?.code.map((each) => each.language)).toEqual(['js'])
      expect(best?.tokens).toBe(countTokens(best?.content ?? ''))
      const narrow = (await ask(ports, 'rule 45 of requests of kind 45', 500)).snippets
      expect(countTokens(narrow.map(({ content }) => content).join(''))).toBeLessThan(500)
    }
  })

  test('is the same in every install, even if more sections fit equally well than are read', async () => {
    const pages = Array.from({ length: 90 }, (_, i) => [
      `docs/page${i + 10}.md`,
      `# Page ${i + 10}\n\nThe lever turns wheel ${i + 10}.\n`,
    ])
    const files = { ...Object.fromEntries(pages), ...filler }
    const answers = await Promise.all([1, 2].map(async (workers) => titles(await parsedLibrary(files, { workers }), 'lever')))
    expect(answers[0]).toEqual(answers[1])
    expect(answers[0]?.slice(0, 3)).toEqual(['Page 10', 'Page 11', 'Page 12'])
  })

  test('contains the same text once', async () => {
    const ports = await parsedLibrary({
      'docs/cookies.md': guide,
      'docs/copy.md': guide.replace('# Cookies', '# Copy'),
      ...filler,
    })
    const { snippets } = await ask(ports, 'getCookie session')
    expect(snippets.filter((each) => each.content.includes('getCookie(c'))).toHaveLength(1)
  })

  test('is ranked by the stored kinds of pages', async () => {
    const ports = await parsedLibrary({ 'docs/a.md': '# A\n\nThe lever turns.\n', 'docs/b.md': '# B\n\nThe lever moves.\n' })
    const ask = (pageKind: LibraryStatistics['pageKind']) => {
      const statistics = async () => ({ ...((await ports.snippets.statistics('docs')) as LibraryStatistics), pageKind })
      return titles({ ...ports, snippets: { ...ports.snippets, statistics } }, 'lever')
    }
    for (const [source, first] of [
      [0, 'B'],
      [1, 'A'],
    ] as const)
      expect(
        (await ask((page) => pageKindOf(page === source ? pageKindByte({ ...pageKind('docs/a.md'), source: true }) : 0)))[0],
      ).toBe(first)
  })

  test('prefers the guide to release notes, unless the question asks for a change', async () => {
    const files = {
      'docs/cookies.md': '# Cookies\n\nThe getCookie helper reads a cookie from the request of a client.\n',
      'docs/releases.md': '# Notes\n\nThe getCookie helper reads a cookie from the header of a client.\n',
      ...filler,
    }
    const ports = await parsedLibrary(files)
    expect((await titles(ports, 'getCookie helper'))[0]).toBe('Cookies')
    const asked = await titles(ports, 'which release notes changed the getCookie helper')
    expect(asked[0]).toBe('Notes')
  })

  test('prefers references and guides to tutorials, these to posts of a blog, and these to pages about the project', async () => {
    const text = (title: string) => `# ${title}\n\nThe getCookie helper reads a cookie from the ${title} of a client.\n`
    const paths = ['contributing/cookies', 'blog/cookies', 'tutorial/cookies', 'guide/cookies']
    const pages = paths.map((path, i) => [`docs/${path}.md`, text(['alpha', 'bravo', 'gamma', 'delta'][i] ?? '')])
    const ports = await parsedLibrary({ ...Object.fromEntries(pages), ...filler })
    expect((await titles(ports, 'getCookie helper')).slice(0, 4)).toEqual(['delta', 'gamma', 'bravo', 'alpha'])
  })

  test('begins with release notes or the migration guide for a question about a release or an upgrade', async () => {
    const text = (title: string) =>
      `# ${title}\n\nThe getCookie helper of version 2 reads a cookie. Upgrade the release with care.\n`
    const files = { 'docs/cookies.md': text('Cookies'), 'docs/upgrading.md': text('Two'), ...filler }
    const ports = await parsedLibrary(files)
    for (const question of [
      'upgrade getCookie',
      'which release has getCookie',
      'getCookie in version 2',
      'migrate getCookie to v2',
    ])
      expect((await titles(ports, question))[0], question).toBe('Two')
    expect((await titles(ports, 'getCookie helper'))[0]).toBe('Cookies')
  })

  test('respects the token budget', async () => {
    const ports = await parsedLibrary({ 'docs/cookies.md': guide, ...filler })
    const short = renderText(await ask(ports, 'cookie request response setup', 500))
    expect(countTokens(short)).toBeLessThanOrEqual(500)
  })

  test('is never empty: a question that matches nothing gets the topics', async () => {
    const ports = await parsedLibrary({ 'docs/cookies.md': guide, ...filler })
    await expect(ask(ports, 'zzzz qqqq')).rejects.toMatchObject({
      code: 'no_snippets_found',
      message: expect.not.stringMatching(/main topics are:.*setup/),
    })
  })

  test('contains identifiers for a question in another language', async () => {
    const ports = await parsedLibrary({ 'docs/cookies.md': guide, ...filler })
    expect((await titles(ports, '如何使用getCookie'))[0]).toBe('Cookies > Reading')
  })
})
