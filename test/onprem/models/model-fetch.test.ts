import { existsSync, mkdirSync, readFileSync, rmSync, writeFileSync } from 'node:fs'
import type { ServerResponse } from 'node:http'
import { dirname, join } from 'node:path'
import { afterAll, afterEach, beforeAll, expect, onTestFinished, test } from 'vitest'
import { serverActor } from '../../../onprem/accounts/audit-log.ts'
import { modelStore } from '../../../onprem/models/model-store.ts'
import { startConnectProxy } from '../../fixtures/connect-proxy.ts'
import { tinyEncoder, writeEncoder } from '../../fixtures/local-models/tiny-model.ts'
import { type ModelHub, sendFrom, smallModel, smallModelFiles, startModelHub } from '../../fixtures/model-hub.ts'
import { silentLog } from '../../fixtures/silent-log.ts'
import { mayMount, smallDisk } from '../../fixtures/small-disk.ts'
import { tempDir } from '../../fixtures/temp-dir.ts'
import { until } from '../../fixtures/until.ts'

const ann = serverActor('ann')

let hub: ModelHub
const weightsPath = 'onnx/model_quantized.onnx'
const weights = smallModelFiles[weightsPath] as Buffer
const { name } = smallModel

beforeAll(async () => {
  hub = await startModelHub()
})
afterAll(() => hub.close())
afterEach(() => {
  for (const path of Object.keys(smallModelFiles)) hub.answer(path)
})

type Options = { hubUrl?: string; dataDir?: string; env?: Record<string, string>; shortage?: string; isBuiltIn?: boolean }

function store({ hubUrl = hub.url, dataDir = tempDir(), env = {}, shortage, isBuiltIn = false }: Options = {}) {
  const settings: Record<string, unknown> = { 'models.hub': hubUrl }
  const entries: { action: string; subject: string }[] = []
  const opened = modelStore({
    local: { defaultEncoder: () => undefined, isBuiltIn: () => isBuiltIn },
    dataDir,
    catalogue: [smallModel],
    settings: { get: (setting) => settings[setting] as never },
    audit: { record: (entry) => void entries.push(entry) },
    disk: { space: () => undefined, shortage: () => shortage },
    network: { env },
    log: silentLog,
    limits: { headMs: 1_000, windowMs: 200, windowBytes: 1_000 },
  })
  const state = async () => (await opened.list())[0]
  return {
    ...opened,
    dataDir,
    settings,
    entries,
    state,
    path: (path: string) => join(dataDir, 'models', name, path),
    part: join(dataDir, 'models/.fetched', name, `${weightsPath}.part`),
    /** The model after the end of a fetch. */
    async fetched() {
      await opened.fetch(name, ann)
      await until(async () => (await state())?.state !== 'downloading')
      return state()
    },
  }
}

const leave = (path: string, content: Buffer) => {
  mkdirSync(dirname(path), { recursive: true })
  writeFileSync(path, content)
}

test('a model of the catalogue is available, is fetched with each file and then installed', async () => {
  const models = store()
  expect(await models.state()).toMatchObject({ name, state: 'available', bytes: weights.length + 13, license: 'MIT' })
  expect(await models.fetched()).toMatchObject({ state: 'installed' })
  for (const [path, content] of Object.entries(smallModelFiles)) expect(readFileSync(models.path(path))).toEqual(content)
  expect(models.entries).toEqual([{ actor: ann, action: 'model.add', subject: name }])
})

test('a fetch continues after the bytes that an ended process has left', async () => {
  const models = store()
  leave(models.part, weights.subarray(0, 100_000))
  const before = hub.requests().length
  expect(await models.fetched()).toMatchObject({ state: 'installed' })
  expect(hub.requests().slice(before)[0]).toEqual({ path: weightsPath, range: 'bytes=100000-' })
})

test('a part that has all bytes is checked and not fetched again', async () => {
  const models = store()
  leave(models.part, weights)
  const before = hub.requests().length
  expect(await models.fetched()).toMatchObject({ state: 'installed' })
  expect(
    hub
      .requests()
      .slice(before)
      .map(({ path }) => path),
  ).toEqual(['tokenizer.json'])
})

test('a fetch begins again if the hub ignores ranges', async () => {
  const models = store()
  leave(models.part, Buffer.from('other bytes'))
  hub.answer(weightsPath, (_, response) => response.end(weights))
  expect(await models.fetched()).toMatchObject({ state: 'installed' })
})

test('a part with other bytes is fetched again from its beginning', async () => {
  const models = store()
  leave(models.part, Buffer.alloc(50_000))
  expect(await models.fetched()).toMatchObject({ state: 'installed' })
  leave(models.part, Buffer.alloc(weights.length + 1))
  writeFileSync(models.path(weightsPath), '')
  expect(await models.fetched()).toMatchObject({ state: 'installed' })
})

test('a second fetch of the same model joins the first', async () => {
  const models = store()
  const before = hub.requests().length
  await Promise.all([models.fetch(name, ann), models.fetch(name, serverActor('bob'))])
  await until(async () => (await models.state())?.state === 'installed')
  expect(hub.requests().slice(before)).toHaveLength(2)
  await models.fetch(name, ann)
  expect(hub.requests().slice(before)).toHaveLength(2)
})

test('the progress of a fetch counts bytes, and its end keeps them', async () => {
  const models = store()
  hub.answer(weightsPath, (_, response) => void response.writeHead(200).write(weights.subarray(0, 100_000)))
  await models.fetch(name, ann)
  const progress = { doneBytes: 100_000, totalBytes: weights.length + 13 }
  await until(async () => (await models.state())?.progress?.doneBytes === 100_000)
  expect(await models.state()).toMatchObject({ state: 'downloading', progress })
  await models.close()
  expect(existsSync(models.path(''))).toBe(false)
  expect(readFileSync(models.part)).toHaveLength(100_000)
  hub.answer(weightsPath)
  expect(await store({ dataDir: models.dataDir }).fetched()).toMatchObject({ state: 'installed' })
})

const endings: [string, string, (response: ServerResponse) => unknown][] = [
  ['answers 404', 'does not have onnx/model_quantized.onnx', (response) => response.writeHead(404).end()],
  ['answers 500', '(status 500)', (response) => response.writeHead(500).end()],
  ['sends a web page', 'sends a web page', (response) => response.writeHead(200, { 'content-type': 'text/html' }).end('<p>')],
  ['announces another size', 'sends 5 bytes as', (response) => response.writeHead(200, { 'content-length': 5 }).end('other')],
  ['sends too much', 'more than', (response) => inChunks(response, Buffer.concat([weights, weights]))],
  ['ends early', 'ended onnx/model_quantized.onnx', (response) => inChunks(response, weights.subarray(0, 1_000))],
  [
    'breaks the connection',
    'ended onnx/model_quantized.onnx',
    (response) => {
      response.writeHead(200, { 'content-length': weights.length }).write(weights.subarray(0, 1_000))
      setTimeout(() => response.destroy(), 50)
    },
  ],
  ['sends other bytes', 'another content', (response) => response.end(Buffer.alloc(weights.length))],
  ['is silent', 'did not respond', () => undefined],
  ['is slow', 'sent less than', (response) => response.writeHead(200).write(weights.subarray(0, 10))],
  ['redirects to another host', 'redirects to cdn.example', (response) => redirect(response, 'https://cdn.example/file')],
  [
    'redirects in a circle',
    'redirects more than',
    (response) => redirect(response, `/acme/small-model/resolve/${'a'.repeat(40)}/${weightsPath}`),
  ],
]

/** Sends a body of unannounced length. */
function inChunks(response: ServerResponse, content: Buffer): void {
  response.write(content)
  response.end()
}

const redirect = (response: ServerResponse, location: string) => response.writeHead(302, { location }).end()

test.each(endings)('a hub that %s leaves no model, and the reason is listed', async (_, reason, answer) => {
  const models = store()
  hub.answer(weightsPath, (_request, response) => void answer(response))
  expect(await models.fetched()).toMatchObject({ state: 'available', error: expect.stringContaining(reason) })
  expect(existsSync(models.path(''))).toBe(false)
  hub.answer(weightsPath)
  expect(await models.fetched()).toMatchObject({ state: 'installed' })
  expect((await models.state())?.error).toBeUndefined()
})

test('a redirect to another path of the hub is followed', async () => {
  const models = store()
  hub.answer(weightsPath, (_, response) => redirect(response, `${hub.url}/acme/small-model/resolve/${'a'.repeat(40)}/cached`))
  hub.answer('cached', (request, response) => sendFrom(weights, request, response))
  expect(await models.fetched()).toMatchObject({ state: 'installed' })
})

test('models are fetched through the proxy of the environment', async () => {
  const proxy = await startConnectProxy(hub.url)
  const models = store({ hubUrl: 'http://models.internal', env: { HTTP_PROXY: proxy.url } })
  expect(await models.fetched()).toMatchObject({ state: 'installed' })
  expect(proxy.tunnels).toContain('models.internal:80')
  await proxy.close()
})

test('a model of an operator whose weights are truncated is damaged, with the reason', async () => {
  const models = store()
  const folder = join(models.dataDir, 'models/own')
  writeEncoder(folder, { 'onnx/model.onnx': tinyEncoder().subarray(0, 100) })
  const error = `${join(folder, 'onnx/model.onnx')} is no complete ONNX file; copy it again.`
  expect((await models.list()).at(-1)).toMatchObject({ name: 'own', state: 'damaged', error })
})

test('a model with a changed file is damaged, and the next fetch replaces it', async () => {
  const models = store()
  await models.fetched()
  writeFileSync(models.path('tokenizer.json'), '{}')
  expect(await models.state()).toMatchObject({ state: 'damaged' })
  expect(await models.fetched()).toMatchObject({ state: 'installed' })
})

test('a model that a setting names is active and is not deleted', async () => {
  const models = store()
  await models.fetched()
  Object.assign(models.settings, { 'embedding.provider': 'local', 'embedding.model': name })
  expect(await models.state()).toMatchObject({ state: 'active' })
  await expect(models.remove(name, ann)).rejects.toMatchObject({ code: 'job_active' })
  models.settings['embedding.provider'] = 'none'
  await models.remove(name, ann)
  expect(await models.state()).toMatchObject({ state: 'available' })
  expect(existsSync(models.path(''))).toBe(false)
})

test('the deletion of a model that is being fetched ends the fetch and deletes its bytes', async () => {
  const models = store()
  hub.answer(weightsPath, (_, response) => void response.writeHead(200).write(weights.subarray(0, 100_000)))
  await models.fetch(name, ann)
  await until(() => existsSync(models.part))
  await models.remove(name, ann)
  expect(await models.state()).toMatchObject({ state: 'available' })
  expect(existsSync(models.part)).toBe(false)
})

test('a model that is not in the catalogue is not fetched', async () => {
  await expect(store().fetch('other', ann)).rejects.toMatchObject({ code: 'not_found' })
})

test('nothing is fetched to a disk that is nearly full', async () => {
  const models = store({ shortage: '10 MB free, 1000 MB wanted' })
  await expect(models.fetch(name, ann)).rejects.toMatchObject({ code: 'disk_full' })
  expect(models.entries).toEqual([])
})

test.runIf(mayMount())('a fetch on a disk that fills leaves no model and says so, and continues when there is room', async () => {
  const dataDir = join(tempDir(), 'disk')
  const unmount = smallDisk(dataDir, 1)
  onTestFinished(() => unmount?.())
  const ballast = join(dataDir, 'ballast')
  writeFileSync(ballast, Buffer.alloc(900_000))
  const models = store({ dataDir })
  expect(await models.fetched()).toMatchObject({ state: 'available', error: expect.stringMatching(/disk .* is full/) })
  expect(existsSync(models.path(''))).toBe(false)
  rmSync(ballast)
  expect(await models.fetched()).toMatchObject({ state: 'installed' })
})

test('a model of the image is installed, and neither fetched nor deleted', async () => {
  const models = store({ isBuiltIn: true })
  const before = hub.requests().length
  expect(await models.fetched()).toMatchObject({ state: 'installed' })
  expect(hub.requests().slice(before)).toEqual([])
  await expect(models.remove(name, ann)).rejects.toMatchObject({ code: 'job_active' })
})

test('the bytes that a failed fetch has left are deleted with the model', async () => {
  const models = store()
  leave(models.part, weights.subarray(0, 100_000))
  await models.remove(name, ann)
  expect(existsSync(models.part)).toBe(false)
  await expect(models.remove(name, ann)).rejects.toMatchObject({ code: 'not_found' })
})
