import { mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { dirname, join } from 'node:path'
import { afterAll, afterEach, beforeAll, expect, test } from 'vitest'
import { page } from '../../fixtures/page.ts'
import { runCarrel } from '../../fixtures/run-carrel.ts'
import { tempDir } from '../../fixtures/temp-dir.ts'
import { type TestInstall, testInstall } from '../../fixtures/test-install.ts'

let from: TestInstall
let to: TestInstall
let bundle: string

const guide = page('Guide', 'The lever turns the wheel.', 'Paint the gate with `paint(gate)`.\n\n```js\npaint(gate)\n```')
const questions = ['how does the lever turn', 'paint the gate', 'wheel']

beforeAll(async () => {
  ;[from, to] = await Promise.all([testInstall(), testInstall()])
  await from.git.create('acme/docs', {
    files: { 'README.md': guide, 'docs/more.md': page('More', 'Oil the hinge.') },
    tags: ['v1'],
  })
  await from.git.create('acme/secret', { files: { 'README.md': page('Secret', 'The hidden spring.') }, private: '*:sesame' })
  await from.parse('acme/docs', { versions: ['v1'] })
  from.app.settings.change({ 'github.token': 'sesame' })
  await from.parse('acme/secret')
  bundle = join(mkdtempSync(join(tmpdir(), 'carrel-test-')), 'libraries.zip')
  const exported = await runCarrel(['export', 'acme/docs', '/acme/secret', '-o', bundle], { dataDir: from.dataDir })
  expect(exported).toMatchObject({ code: 0, out: expect.stringContaining('2 libraries') })
})
afterAll(async () => {
  await from.close()
  await to.close()
  rmSync(dirname(bundle), { recursive: true })
})
afterEach(() => to.app.settings.change({ 'import.requireSignature': null, 'bundle.trustedKeys': null }))

async function send(zip: Buffer, query = '') {
  const form = new FormData()
  form.append('bundleFile', new Blob([new Uint8Array(zip)]))
  const answer = await to.ask(`/api/import-libraries${query}`, { method: 'POST', key: to.keys.admin, body: form })
  return { status: answer.status, body: (await answer.json()) as Record<string, unknown> }
}
const publicKey = async () => (await runCarrel(['export', '--public-key'], { dataDir: from.dataDir })).out
const idle = () => expect.poll(() => to.app.jobs.active(), { timeout: 30_000 }).toEqual([])

test('a bundle of an install whose key is not trusted is refused with what to do, if signatures are required', async () => {
  to.app.settings.change({ 'import.requireSignature': true })
  const { status, body } = await send(readFileSync(bundle))
  expect(status).toBe(400)
  expect(body.message).toContain('run "carrel export --public-key" there and add the key to the setting bundle.trustedKeys here')
})

test('a bundle that was changed after it was signed is refused', async () => {
  to.app.settings.change({ 'bundle.trustedKeys': await publicKey() })
  const { default: JSZip } = await import('jszip')
  const zip = await JSZip.loadAsync(readFileSync(bundle))
  const manifest = (await zip.file('manifest.json')?.async('string')) ?? ''
  zip.file('manifest.json', manifest.replace('/acme/secret', '/acme/public'))
  const { status, body } = await send(await zip.generateAsync({ type: 'nodebuffer' }))
  expect([status, body.message]).toEqual([400, expect.stringContaining('its signature is invalid')])
})

test('an install that trusts the key imports the libraries with their versions, gives the same answers, and keeps a private one private', async () => {
  const keyFile = join(tempDir(), 'key.pem')
  writeFileSync(keyFile, await publicKey())
  to.app.settings.change({ 'import.requireSignature': true, 'bundle.trustedKeys': readFileSync(keyFile, 'utf8') })
  const { status, body } = await send(readFileSync(bundle), '?force=true')
  expect([status, body.skipped]).toEqual([202, []])
  expect(body.queued).toEqual(expect.arrayContaining(['/acme/docs', '/acme/docs@v1', '/acme/secret']))
  await idle()
  for (const library of ['/acme/docs', '/acme/docs/v1'])
    for (const question of questions) {
      const answer = await from.context(library, question)
      expect(answer.length).toBeGreaterThan(20)
      expect(await to.context(library, question)).toBe(answer)
    }
  expect((await to.call('GET', '/api/projects/acme/secret')).body).toMatchObject({ imported: true, private: true })
  expect((await to.call('GET', '/api/projects/acme/docs')).body).toMatchObject({ imported: true, private: false })
})

test('an export names one version if the id does, and says which versions exist if there is no such one', async () => {
  const one = join(tempDir(), 'one.zip')
  await runCarrel(['export', 'acme/docs@v1', '-o', one], { dataDir: from.dataDir })
  const { default: JSZip } = await import('jszip')
  const zip = await JSZip.loadAsync(readFileSync(one))
  expect(Object.keys(zip.files)).toEqual(['1-acme-docs-v1.json', 'manifest.json'])
  const missing = await from.call('POST', '/api/export', { libraries: ['/acme/docs@v9'] })
  expect(missing).toMatchObject({ status: 404, body: { error: 'tag_not_found', message: expect.stringContaining('It has v1.') } })
  const unknown = await from.call('POST', '/api/export', { libraries: ['/acme/none'] })
  expect(unknown).toMatchObject({ status: 404, body: { error: 'library_not_found' } })
})

test('an export has the type of each library: a repository, or the kind of its source', async () => {
  const form = new FormData()
  const paths = { '/pets': { get: { summary: 'List all pets', responses: { 200: { description: 'A list of pets' } } } } }
  const api = JSON.stringify({ openapi: '3.1.0', info: { title: 'Pets', version: '1' }, paths })
  form.append('openapiFile', new Blob([api]), 'pets.json')
  const added = await from.ask('/api/parse-openapi-upload', { method: 'POST', key: from.keys.admin, body: form })
  expect(added.status).toBe(202)
  await expect.poll(() => from.app.jobs.active(), { timeout: 30_000 }).toEqual([])
  const zip = join(tempDir(), 'types.zip')
  const exported = await runCarrel(['export', '/acme/docs@v1', '/openapi/pets', '-o', zip], { dataDir: from.dataDir })
  expect(exported).toMatchObject({ code: 0 })
  const { default: JSZip } = await import('jszip')
  const { files } = await JSZip.loadAsync(readFileSync(zip))
  const elements = Object.values(files).filter(({ name }) => name !== 'manifest.json')
  const types = await Promise.all(elements.map(async (file) => JSON.parse(await file.async('string')).libraries[0].type))
  expect(types.sort()).toEqual(['openapi', 'repo'])
})

test('an export leaves no file behind if the server rejects it, and overwrites none', async () => {
  const file = join(tempDir(), 'none.zip')
  const rejected = await runCarrel(['export', 'acme/none', '-o', file], { dataDir: from.dataDir })
  expect(rejected).toMatchObject({ code: 1, err: expect.stringContaining('/acme/none is not in this install') })
  expect(() => readFileSync(file)).toThrow('ENOENT')
  const existing = await runCarrel(['export', 'acme/docs', '-o', bundle], { dataDir: from.dataDir })
  expect(existing).toMatchObject({ code: 2, err: expect.stringContaining('exists already') })
})

test('the private key of exports is encrypted, and a lost secrets.key says how to make a new one', async () => {
  const before = await publicKey()
  const file = readFileSync(join(from.dataDir, 'carrel.db')).toString('latin1')
  expect(file).not.toContain('PRIVATE KEY')
  writeFileSync(join(from.dataDir, 'secrets.key'), Buffer.alloc(32, 7))
  const failed = await from.call('POST', '/api/export', { libraries: ['/acme/docs'] })
  expect(failed.body.message).toContain('carrel export --new-key')
  const after = await runCarrel(['export', '--new-key'], { dataDir: from.dataDir })
  expect(after.out).toContain('BEGIN PUBLIC KEY')
  expect(after.out).not.toBe(before)
  expect(await publicKey()).toBe(after.out)
})
