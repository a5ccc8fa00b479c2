import { DOMParser } from 'linkedom'
import { afterAll, beforeAll, expect, test } from 'vitest'
import { type TestHosted, testHosted } from '../../fixtures/test-hosted.ts'

/** The longest title that a project file may have. */
const title = `ويدجت "></title><script>alert(1)</script>${'ويدجت'.repeat(20)}`.slice(0, 100)
const readme = `# <img src=x onerror=alert(1)> Lever

Turn the lever. <script>alert(1)</script>

<iframe src="https://evil.example"></iframe><form action="https://evil.example"><input name="key"></form>
<style>body { display: none }</style><meta http-equiv="refresh" content="0; url=https://evil.example">
<base href="https://evil.example"><link rel="stylesheet" href="https://evil.example/x.css">

[click](javascript:alert(1)) [data](data:text/html,<script>alert(1)</script>) ![pixel](https://evil.example/pixel.png)
</main></body></html><script src="https://evil.example/x.js"></script>

\`\`\`html
</code></pre><script>alert(1)</script><svg onload=alert(1)>
\`\`\`

${'>'.repeat(5_000)} ${'['.repeat(5_000)} \u202eevil\u202c
`

let hosted: TestHosted

beforeAll(async () => {
  hosted = await testHosted()
  const files = { 'README.md': readme, 'carrel.json': JSON.stringify({ projectTitle: title, description: title }) }
  await hosted.git.create('evil/widgets', { files })
  expect(await hosted.add('evil/widgets')).toMatchObject({ state: 'finalized' })
})
afterAll(() => hosted.close())

const get = async (path: string) => {
  const response = await hosted.get(path, { accept: 'text/html' })
  return { status: response.status, headers: response.headers, text: await response.text() }
}

const isOwn = (address: string | null) => address === null || /^\/assets\//.test(address)

test.each([
  '/',
  '/?q=widgets',
  '/evil/widgets',
  '/evil/widgets?page=README.md',
  '/evil/widgets?q=lever',
  '/takedown?library=/evil/widgets',
])('a hostile README and title add nothing active to the page %s', async (path) => {
  const { status, headers, text } = await get(path)
  expect(status).toBe(200)
  expect(headers.get('content-security-policy')).toContain("default-src 'none'")
  const page = new DOMParser().parseFromString(text, 'text/html')
  const elements = [...page.querySelectorAll('*')]
  const found = elements.filter(
    (element) =>
      ['IFRAME', 'STYLE', 'BASE', 'OBJECT', 'EMBED'].includes(element.tagName) ||
      (element.tagName === 'META' && element.hasAttribute('http-equiv')) ||
      (element.tagName === 'SCRIPT' && (element.textContent !== '' || !isOwn(element.getAttribute('src')))) ||
      (element.tagName === 'LINK' && element.getAttribute('rel') === 'stylesheet' && !isOwn(element.getAttribute('href'))) ||
      [...element.attributes].some(
        ({ name, value }) =>
          name.startsWith('on') ||
          (/^(?:href|src|action|formaction)$/.test(name) && /^\s*(?:javascript|data|vbscript):/i.test(value)) ||
          (/^(?:src|action|formaction)$/.test(name) && /evil\.example/.test(value)),
      ),
  )
  expect(found.map((element) => element.outerHTML.slice(0, 200))).toEqual([])
  expect(page.querySelectorAll('title')).toHaveLength(1)
  expect(page.querySelectorAll('main')).toHaveLength(1)
})

test('a hostile title is text in the badge, the sitemap and llms.txt', async () => {
  const badge = await get('/badge/evil/widgets.svg')
  const svg = new DOMParser().parseFromString(badge.text, 'image/svg+xml')
  expect([svg.querySelectorAll('script').length, svg.querySelectorAll('title').length]).toEqual([0, 1])
  expect(svg.querySelector('title')?.textContent).toMatch(/^\u2068.{1,60}…\u2069 docs: \d+ snippets?$/u)
  expect((await get('/sitemap.xml')).text).not.toContain('<script')
  const llms = await get('/evil/widgets/llms.txt')
  expect(llms.headers.get('content-type')).toContain('text/plain')
  expect(llms.headers.get('x-content-type-options')).toBe('nosniff')
})
