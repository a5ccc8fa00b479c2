import { mkdtempSync, rmSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { afterAll, beforeAll, expect, test } from 'vitest'
import { openLocal } from '../../../functions/local/open-local.ts'
import { createServer } from '../../../functions/server.ts'
import { recordedLog } from '../../fixtures/recorded-log.ts'
import { type TestHosted, testHosted } from '../../fixtures/test-hosted.ts'

const folder = mkdtempSync(join(tmpdir(), 'carrel-texts-'))
let hosted: TestHosted

beforeAll(async () => {
  hosted = await testHosted()
})
afterAll(async () => {
  await hosted.close()
  rmSync(folder, { recursive: true })
})

const open = async (path: string) => (await fetch(hosted.url + path)).text()

/** The page /terms with a file of the operator. */
async function termsOf(text: string): Promise<string> {
  const terms = join(folder, 'terms.md')
  writeFileSync(terms, text)
  const server = createServer({ ...hosted.hosted, texts: { ...hosted.hosted.texts, terms } })
  return (await server.request('/terms', { headers: { host: '127.0.0.1' } })).text()
}

test('the pages describe the service if the operator has no files', async () => {
  const [terms, privacy] = await Promise.all(['/terms', '/privacy'].map(open))
  expect(terms).toContain('The operator of this service has not published terms')
  expect(privacy).toMatch(/<strong>Questions and searches<\/strong> are neither stored nor logged/)
  for (const text of [terms, privacy]) expect(text?.match(/<h1>/g)).toHaveLength(1)
})

test('every page links to the terms, the privacy statement and the form', async () => {
  for (const path of ['/', '/terms', '/takedown', '/nobody/nothing']) {
    const response = await fetch(hosted.url + path, { headers: { accept: 'text/html' } })
    const footer = /<footer>.*<\/footer>/s.exec(await response.text())?.[0]
    for (const href of ['/terms', '/privacy', '/takedown'])
      expect([path, footer]).toEqual([path, expect.stringContaining(`href="${href}"`)])
  }
})

test("the operator's file is shown with its headings, tables and links", async () => {
  const text = await termsOf(
    '\uFEFF# Our terms\n\n## 1. Scope\n\n[Mail](mailto:a@example.com) [Privacy](/privacy)\n\n| a | b |\n|---|---|\n| c | d |\n',
  )
  for (const part of ['<h1>Our terms</h1>', '<h2>1. Scope</h2>', 'href="mailto:a@example.com"', 'href="/privacy"', '<td>d</td>'])
    expect(text).toContain(part)
  expect(text).not.toContain('<h1>Terms</h1>')
})

test('a file without a heading gets one, and HTML and scripts in it are text', async () => {
  const text = await termsOf('Be nice. <script>alert(1)</script> [x](javascript:alert(1))')
  expect(text).toContain('<h1>Terms</h1>')
  expect(text).not.toMatch(/<script>|href="javascript:/)
})

test('a setting that names no file is reported at the start', async () => {
  const start = (path: string) =>
    openLocal({ DATA_DIR: join(folder, 'data'), HOST: '127.0.0.1', PRIVACY_FILE: path }, process.env, recordedLog())
  for (const path of [join(folder, 'none.md'), folder])
    await expect(start(path)).rejects.toThrow(`PRIVACY_FILE must be a Markdown file`)
})
