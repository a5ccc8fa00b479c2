import { afterAll, beforeAll, expect, test } from 'vitest'
import { type TestInstall, testInstall } from '../../fixtures/test-install.ts'
import { adminVisit, endVisits } from '../../fixtures/web-visit.ts'

const maxBytes = 250_000

let install: TestInstall
beforeAll(async () => {
  install = await testInstall()
})
afterAll(async () => {
  await endVisits()
  await install.close()
})

test('the first page loads at most 250 kB of compressed code and styles, and its data in few requests', async () => {
  const { page, problems, close } = await adminVisit(install)
  const files: Promise<{ path: string; bytes: number; type: string }>[] = []
  const api: string[] = []
  page.on('requestfinished', (request) => {
    const { pathname } = new URL(request.url())
    if (pathname.startsWith('/api/')) api.push(pathname)
    else
      files.push(
        request
          .sizes()
          .then(({ responseBodySize }) => ({ path: pathname, bytes: responseBodySize, type: request.resourceType() })),
      )
  })
  const began = performance.now()
  await page.goto(`${install.url}/`)
  await page.getByRole('link', { name: 'Add a library' }).waitFor()
  const interactiveMs = Math.round(performance.now() - began)
  const loaded = await Promise.all(files)
  const sum = (pattern: RegExp) => loaded.filter(({ path }) => pattern.test(path)).reduce((total, { bytes }) => total + bytes, 0)
  const sizes = { code: sum(/\.js$/), styles: sum(/\.css$/), fonts: sum(/\.woff2$/) }
  console.log(JSON.stringify({ ...sizes, files: loaded.length, api, interactiveMs }))
  expect(sizes.code + sizes.styles).toBeLessThanOrEqual(maxBytes)
  expect(loaded.some(({ path }) => /chart|dropzone|markdown|highlighted/i.test(path))).toBe(false)
  expect(problems).toEqual([])
  await close()
})
