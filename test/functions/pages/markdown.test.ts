import { expect, test } from 'vitest'
import { strangerMarkdown } from '../../../functions/pages/markdown.ts'

const render = (markdown: string) => String(strangerMarkdown(markdown))
/** The names of elements and of their attributes. */
const tagsOf = (html: string) => [...html.matchAll(/<([a-z0-9]+)/gi)].map(([, name]) => name)

test.each([
  ['a script', '<script>alert(1)</script>'],
  ['an image that runs a script', 'a <img src=x onerror=alert(1)> b'],
  ['a picture that runs a script', '<svg onload=alert(1)></svg>'],
  ['a frame', '<iframe src="https://evil.example"></iframe>'],
  ['a style', '<style>body { display: none }</style>'],
  ['a form', '<form action="https://evil.example"><input name=password></form>'],
  ['a base address', '<base href="https://evil.example">'],
  ['code with a script', '```html"><script>\n</code></pre><script>alert(1)</script>\n```'],
  ['inline code with a script', '`</code><script>alert(1)</script>`'],
  ['an image with a script in its description', '![a"><script>alert(1)</script>](x)'],
  ['a link with a script in its title', '[a](https://a.example "\\"><script>alert(1)</script>")'],
])('%s is text', (_what, markdown) => {
  const shown = ['a', 'bdi', 'button', 'code', 'div', 'em', 'p', 'pre']
  expect(tagsOf(render(markdown)).filter((name = '') => !shown.includes(name))).toEqual([])
})

test.each([
  'javascript:alert(1)',
  'JaVaScRiPt:alert(1)',
  'data:text/html,<script>alert(1)</script>',
  'vbscript:x',
  'file:///etc/passwd',
  '//evil.example',
  './guide.md',
  'java&#115;cript:alert(1)',
])('a link to %s opens nothing', (href) => {
  for (const markdown of [`[text](<${href}>)`, `<${href}>`, `[text][a]\n\n[a]: <${href}>`])
    expect(render(markdown)).not.toContain('href')
})

test('a link of a stranger shows its host, tells it nothing and gives it no rank', () => {
  expect(render('[our bank](https://evil.example/login?a=1&b=2)')).toContain(
    '<a href="https://evil.example/login?a=1&amp;b=2" rel="noreferrer noopener nofollow" title="https://evil.example/login?a=1&amp;b=2">our bank</a> <bdi class="host">(evil.example)</bdi>',
  )
  expect(render('<https://plain.example>')).not.toContain('class="host"')
})

test('an image is its description, so that no host learns who reads the page', () => {
  const html = render('![Build & test](https://tracker.example/pixel.gif) [![](https://b.example/x.svg)](https://ci.example)')
  expect(html).toContain('[image: Build &amp; test]')
  expect(html).not.toMatch(/<img|src=|tracker\.example|b\.example/)
})

test('a wide table scrolls in itself', () => {
  const row = `|${'cell |'.repeat(300)}`
  expect(render([row, row.replaceAll('cell', '-'), row].join('\n'))).toMatch(
    /<div class="scroll"[^>]*><table>.*<\/table><\/div>/s,
  )
})

test('headings of a snippet are no headings of the page', () => {
  expect(render('# One\n\nTwo\n===')).not.toMatch(/<h\d/)
})

test.each([
  ['quotes', '>'.repeat(10_000)],
  ['lists', Array.from({ length: 90 }, (_, i) => `${' '.repeat(i)}- a\n`).join('')],
  ['brackets', '['.repeat(10_000)],
  ['emphasis', '*a **a *'.repeat(1_250)],
  ['links', '[a]('.repeat(2_500)],
])('nested %s end', (_what, markdown) => {
  expect(render(markdown)).toContain('class="markdown"')
})

test('a snippet that would take long to render is shown as its Markdown', () => {
  expect(render(`# <b>\n${'a'.repeat(10_000)}`)).toMatch(/^<div class="code"><pre[^>]*><code># &lt;b&gt;/)
})
