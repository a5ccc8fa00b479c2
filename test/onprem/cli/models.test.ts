import { chmodSync, existsSync, mkdirSync, rmSync, writeFileSync } from 'node:fs'
import { dirname, join } from 'node:path'
import { afterAll, beforeAll, expect, test } from 'vitest'
import { openZip } from '../../../shared/zip/open-zip.ts'
import { writeEncoder } from '../../fixtures/local-models/tiny-model.ts'
import { type ModelHub, smallModel, smallModelFiles, startModelHub } from '../../fixtures/model-hub.ts'
import { runCarrel } from '../../fixtures/run-carrel.ts'
import { tempDir } from '../../fixtures/temp-dir.ts'
import { type TestInstall, testInstall } from '../../fixtures/test-install.ts'
import { zipOf } from '../../fixtures/zips.ts'

let hub: ModelHub
let app: TestInstall
const { name } = smallModel

beforeAll(async () => {
  hub = await startModelHub()
  app = await testInstall({ catalogue: [smallModel] })
  app.app.settings.change({ 'models.hub': hub.url, 'embedding.provider': 'none' })
})
afterAll(async () => {
  await app.close()
  await hub.close()
})

const carrel = (words: string[], env: Record<string, string> = {}) =>
  runCarrel(['models', ...words], { dataDir: app.dataDir, env })
const listed = async (model = name) => {
  const { out } = await carrel(['list', '--json'])
  return (JSON.parse(out) as { name: string; state: string }[]).find((each) => each.name === model)
}

test('the list shows each model with its size, license and state', async () => {
  const { code, out, err } = await carrel(['list'])
  expect(code).toBe(0)
  expect(out).toBe(`${name}\tavailable\t0 MB\tMIT\ten\tnot measured\n`)
  expect(err).toContain('words alone find 83 %')
})

test('a model is added, packed, removed and added from its zip', async () => {
  const file = join(tempDir(), 'small.zip')
  expect(await carrel(['add', name])).toMatchObject({ code: 0, out: expect.stringContaining('small-model is installed') })
  expect(await listed()).toMatchObject({ state: 'installed' })
  expect(await carrel(['pack', name, file])).toMatchObject({ code: 0 })
  expect(await carrel(['pack', name, file])).toMatchObject({ code: 2, err: expect.stringContaining('exists already') })
  expect(await carrel(['remove', name])).toMatchObject({ code: 0 })
  expect(await listed()).toMatchObject({ state: 'available' })
  expect(await carrel(['add', name, '--from', file])).toMatchObject({ code: 0 })
  expect(await listed()).toMatchObject({ state: 'installed' })
  await carrel(['remove', name])
})

test('a model is added from a folder, of which other files stay behind', async () => {
  const folder = tempDir()
  for (const [path, content] of Object.entries({
    ...smallModelFiles,
    'README.md': Buffer.from('#'),
    'x.bin': Buffer.from('x'),
  })) {
    mkdirSync(dirname(join(folder, path)), { recursive: true })
    writeFileSync(join(folder, path), content)
  }
  expect(await carrel(['add', name, '--from', folder])).toMatchObject({ code: 0 })
  expect(await listed()).toMatchObject({ state: 'installed' })
  await carrel(['remove', name])
})

test('a model that the catalogue does not know is added after its hash is confirmed, and used after a test', async () => {
  const folder = tempDir()
  writeEncoder(folder)
  const rejected = await carrel(['add', 'tiny', '--from', folder])
  const confirm = /--confirm ([0-9a-f]{64})/.exec(rejected.err)?.[1] ?? ''
  expect(rejected).toMatchObject({ code: 1, err: expect.stringContaining('does not know onnx/model.onnx') })
  expect(await carrel(['add', 'tiny', '--from', folder, '--confirm', confirm])).toMatchObject({ code: 0 })
  expect(await carrel(['use', 'tiny'])).toMatchObject({ code: 0, out: expect.stringContaining('tiny is chosen') })
  expect(app.app.settings.get('embedding.model')).toBe('tiny')
  expect(await listed('tiny')).toMatchObject({ state: 'active' })
  expect(await carrel(['remove', 'tiny'])).toMatchObject({ code: 1, err: expect.stringContaining('is used') })
  app.app.settings.change({ 'embedding.provider': 'none', 'embedding.model': null })
  expect(await carrel(['remove', 'tiny'])).toMatchObject({ code: 0 })
})

test('a model that does not work is not chosen', async () => {
  await carrel(['add', name])
  expect(await carrel(['use', name])).toMatchObject({ code: 1, err: expect.stringContaining('Nothing was changed') })
  expect(app.app.settings.get('embedding.provider')).toBe('none')
  await carrel(['remove', name])
  expect(await carrel(['use', name])).toMatchObject({ code: 1, err: expect.stringContaining('models add small-model') })
  expect(await carrel(['use', 'other'])).toMatchObject({ code: 1, err: expect.stringContaining('There is no model "other"') })
})

test('a download that fails ends the command with its reason', async () => {
  hub.answer('tokenizer.json', (_, response) => response.writeHead(404).end())
  expect(await carrel(['add', name])).toMatchObject({ code: 1, err: expect.stringContaining('does not have tokenizer.json') })
  hub.answer('tokenizer.json')
})

const packageFile = (name: string, version: string) => ({
  name: `${name}/package.json`,
  content: JSON.stringify({ name, version }),
})
const modelEntries = Object.entries(smallModelFiles).map(([name, content]) => ({ name, content }))
const runtimeZip = (platform: string, onnxVersion = '1.30.0') =>
  zipOf([
    ...modelEntries,
    ...[packageFile('onnxruntime-node', onnxVersion), packageFile('@huggingface/tokenizers', '0.2.0')].map((file) => ({
      ...file,
      name: `runtime/${platform}/node_modules/${file.name}`,
    })),
  ])
const here = `${process.platform}-${process.arch}`

test.each([
  ['another platform', runtimeZip('darwin-x64'), 'the runtime for darwin-x64'],
  ['another version', runtimeZip(here, '1.0.0'), 'holds version 1.0.0 of onnxruntime-node'],
])('a runtime for %s is not installed', async (_, zip, reason) => {
  const file = join(tempDir(), 'packed.zip')
  writeFileSync(file, zip)
  expect(await carrel(['add', name, '--from', file])).toMatchObject({ code: 1, err: expect.stringContaining(reason) })
  expect(existsSync(join(app.dataDir, 'runtime'))).toBe(false)
  expect(await listed()).toMatchObject({ state: 'available' })
})

test('a zip with a runtime installs both, which an upload does not', async () => {
  const zip = runtimeZip(here)
  const headers = { 'content-type': 'application/zip' }
  const answer = await app.ask(`/api/models/${name}`, { method: 'POST', key: app.keys.admin, body: zip, headers })
  expect([answer.status, await answer.text()]).toEqual([400, expect.stringContaining('only the command line installs')])
  const file = join(tempDir(), 'packed.zip')
  writeFileSync(file, zip)
  expect(await carrel(['add', name, '--from', file])).toMatchObject({ code: 0 })
  expect(await listed()).toMatchObject({ state: 'installed' })
  expect(existsSync(join(app.dataDir, 'runtime/node_modules/onnxruntime-node/package.json'))).toBe(true)
  rmSync(join(app.dataDir, 'runtime'), { recursive: true })
})

test('a model is packed with the runtime that npm installs for a platform', async () => {
  await carrel(['add', name])
  const folder = tempDir()
  const npm = join(folder, 'npm')
  const binaries = 'node_modules/onnxruntime-node/bin/napi-v6'
  const files = ['linux/x64', 'linux/arm64', 'darwin/arm64'].map((platform) => `${binaries}/${platform}/binding.node`)
  const made = [...files, 'node_modules/adm-zip/index.js', 'node_modules/@huggingface/tokenizers/package.json']
  writeFileSync(npm, `#!/bin/sh\n${made.map((path) => `mkdir -p ${dirname(path)}; echo x > ${path}`).join('\n')}\n`)
  chmodSync(npm, 0o755)
  const file = join(folder, 'packed.zip')
  const env = { PATH: `${folder}:${process.env.PATH}` }
  expect(await carrel(['pack', name, file, '--runtime', 'linux-arm64'], env)).toMatchObject({ code: 0 })
  const zip = await openZip(file, { zipEntries: 100, unpackedBytes: 10_000_000 })
  zip.close()
  const names = zip.files.map(({ name }) => name).filter((path) => path.startsWith('runtime/'))
  expect(names.sort()).toEqual([
    'runtime/linux-arm64/node_modules/@huggingface/tokenizers/package.json',
    'runtime/linux-arm64/node_modules/onnxruntime-node/bin/napi-v6/linux/arm64/binding.node',
  ])
})
