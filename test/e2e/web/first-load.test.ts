import type { Page } from 'playwright-core'
import { afterAll, beforeAll, expect, test } from 'vitest'
import { page as written } from '../../fixtures/page.ts'
import { type TestInstall, testInstall } from '../../fixtures/test-install.ts'
import { adminVisit, endVisits, visit } from '../../fixtures/web-visit.ts'

const limits = { codeAndStyles: 225_000, fonts: 50_000 }

let install: TestInstall
beforeAll(async () => {
  install = await testInstall()
  await install.git.create('acme/widgets', { files: { 'README.md': written('Widgets', 'The lever turns.') } })
  await install.parse('acme/widgets')
})
afterAll(async () => {
  await endVisits()
  await install.close()
})

/** Opens a page with an empty cache; sums the bytes that the server sends until the page is usable and its fonts are loaded. */
async function load(page: Page, path: string, usable: (page: Page) => Promise<unknown>) {
  const files: Promise<{ path: string; bytes: number }>[] = []
  const api: string[] = []
  page.on('requestfinished', (request) => {
    const { pathname } = new URL(request.url())
    if (pathname.startsWith('/api/')) api.push(pathname)
    else files.push(request.sizes().then(({ responseBodySize }) => ({ path: pathname, bytes: responseBodySize })))
  })
  await page.goto(`${install.url}${path}`)
  await usable(page)
  await page.evaluate(async () => void (await document.fonts.ready))
  const loaded = await Promise.all(files)
  const sum = (pattern: RegExp) => loaded.filter((file) => pattern.test(file.path)).reduce((total, { bytes }) => total + bytes, 0)
  const sizes = { code: sum(/\.js$/), styles: sum(/\.css$/), fonts: sum(/\.woff2$/) }
  console.log(JSON.stringify({ path, ...sizes, files: loaded.length, api }))
  return { paths: loaded.map((file) => file.path), ...sizes }
}

test.each([
  ['sign-in', '/sign-in', visit, (page: Page) => page.getByRole('button', { name: 'Sign in' }).waitFor()],
  ['home', '/', adminVisit, (page: Page) => page.getByText('acme/widgets', { exact: true }).first().waitFor()],
  ['libraries', '/libraries', adminVisit, (page: Page) => page.getByText('acme/widgets', { exact: true }).first().waitFor()],
] as const)(
  'the %s page loads at most 225 kB of compressed code and styles and 50 kB of fonts',
  async (_, path, start, usable) => {
    const { page, problems, close } = await start(install)
    const { paths, code, styles, fonts } = await load(page, path, usable)
    expect(code + styles).toBeGreaterThan(50_000)
    expect(code + styles).toBeLessThanOrEqual(limits.codeAndStyles)
    expect(fonts).toBeGreaterThan(10_000)
    expect(fonts).toBeLessThanOrEqual(limits.fonts)
    expect(paths.some((each) => /chart|dropzone|markdown|highlighted/i.test(each))).toBe(false)
    expect(problems).toEqual([])
    await close()
  },
)
