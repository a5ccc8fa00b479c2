import { writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { afterAll, afterEach, beforeAll, expect, test } from 'vitest'
import { page } from '../../fixtures/page.ts'
import { runCarrel } from '../../fixtures/run-carrel.ts'
import { tempDir } from '../../fixtures/temp-dir.ts'
import { type TestInstall, testInstall } from '../../fixtures/test-install.ts'

let app: TestInstall

beforeAll(async () => {
  // Nothing listens there, so that no request reaches github.com.
  app = await testInstall({ env: { HTTPS_PROXY: 'http://127.0.0.1:1' } })
  for (const name of ['anvil', 'hammer', 'tongs'])
    await app.git.create(`acme/${name}`, { files: { 'README.md': page(name, `The ${name} is heavy.`) } })
  await app.parse('acme/anvil')
})
afterEach(() => app.app.settings.change({ 'github.baseUrl': app.git.url }))
afterAll(() => app.close())

const add = (words: string[], input?: string) =>
  runCarrel(['add', ...words], { dataDir: app.dataDir, ...(input !== undefined && { input }) })
const file = (name: string, text: string | Uint8Array) => {
  const path = join(tempDir(), name)
  writeFileSync(path, text)
  return path
}

test('add --from - adds the repositories of the standard input that are not here, and names the others', async () => {
  const text = `acme/anvil\n${app.git.url}/acme/hammer/issues/7\n\nacme/tongs, unheard-of\nhttps://example.com/docs`
  const { code, out, err } = await add(['--from', '-', '--wait'], text)
  expect([code, out, err]).toEqual([0, expect.stringMatching(/^\/acme\/hammer.*\n\/acme\/tongs.*\n$/), expect.any(String)])
  expect(err).toContain('carrel: Here already or queued: /acme/anvil\n')
  expect(err).toContain('carrel: 1 name without a known repository: unheard-of\n')
  expect(err).toMatch(/^carrel: https:\/\/example\.com\/docs: .* Add this documentation as a website, or send/m)
  expect(
    app.app.catalog
      .libraries()
      .map(({ id }) => id)
      .sort(),
  ).toEqual(['/acme/anvil', '/acme/hammer', '/acme/tongs'])
})

test('add --from reads a file in UTF-16, as PowerShell writes it', async () => {
  const text = Buffer.from('\uFEFFacme/anvil\r\n', 'utf16le')
  for (const bytes of [text, Buffer.from(text).swap16()])
    expect(await add(['--from', file('list.txt', bytes)])).toMatchObject({
      code: 0,
      err: 'carrel: Here already or queued: /acme/anvil\n',
    })
})

test('add --with-versions queues the versions that a file names, and needs a file', async () => {
  app.app.settings.change({ 'github.baseUrl': null })
  expect(await add(['--from', file('requirements.txt', 'flask==3.0.2\n'), '--with-versions'])).toMatchObject({ code: 0 })
  const [job] = app.app.jobs.list(1, 1).jobs
  expect(job && app.app.jobs.order(job.id)).toMatchObject({ request: { optionalVersions: ['3.0.2'] } })
  expect((await add(['acme/anvil', '--with-versions'])).err).toContain('name the file with --from')
})

test('add --from of a list whose repositories are all here adds nothing', async () => {
  expect(await add(['--from', file('list.txt', 'acme/anvil\n')])).toEqual({
    code: 0,
    out: '',
    err: 'carrel: Here already or queued: /acme/anvil\n',
  })
})

test('add --from of a lock file queues the documentation of its packages', async () => {
  app.app.settings.change({ 'github.baseUrl': null })
  const names = Array.from({ length: 25 }, (_, at) => `[[package]]\nname = "unheard-of-${at}"\nversion = "1"\n`)
  const { code, out, err } = await add(['--from', file('uv.lock', `${names.join('\n')}\n[[package]]\nname = "fastapi"\n`)])
  expect([code, out]).toEqual([0, expect.stringMatching(/^\/fastapi\/fastapi is queued as job \d+\./)])
  expect(err).toMatch(/^carrel: 25 names without a known repository: unheard-of-0, .*, unheard-of-19 and 5 more\n$/)
  const [job] = app.app.jobs.list(1, 1).jobs
  expect(job && app.app.jobs.order(job.id)).toMatchObject({ request: { folders: ['docs/en/docs'] } })
})

test.each([
  ['Gemfile.lock', 'GEM', 'Gemfile.lock is not read. Choose one of package.json'],
  ['package.json', '{', 'package.json cannot be read: '],
  ['empty.txt', '', 'is empty.'],
  ['names.txt', 'unheard-of', 'names.txt names no known repository.'],
  ['large.txt', ' '.repeat(10 * 2 ** 20 + 1), 'is larger than 10 MB.'],
])('add --from of %s fails and says why', async (name, text, reason) => {
  const { code, out, err } = await add(['--from', file(name, text)])
  expect([code, out]).toEqual([1, ''])
  expect(err).toContain(reason)
})

test('add --from of a missing file fails', async () => {
  expect(await add(['--from', join(tempDir(), 'missing')])).toMatchObject({
    code: 1,
    err: expect.stringContaining('does not exist'),
  })
})

test('add needs a repository or --from, and options of one repository fit neither several nor --from', async () => {
  expect(await add([])).toMatchObject({
    code: 2,
    err: expect.stringContaining('Name a repository, an address or a folder, or a file with --from.'),
  })
  expect(await add(['--from', '-', '--branch', 'next'], 'a/b')).toMatchObject({ code: 2 })
})
