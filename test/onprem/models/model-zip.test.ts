import { createHash } from 'node:crypto'
import { readdirSync, readFileSync } from 'node:fs'
import { join } from 'node:path'
import { expect, test } from 'vitest'
import { serverActor } from '../../../onprem/accounts/audit-log.ts'
import { modelStore } from '../../../onprem/models/model-store.ts'
import { tinyCrossEncoder, tinyEncoder, tinyTokenizer } from '../../fixtures/local-models/tiny-model.ts'
import { smallModel, smallModelFiles } from '../../fixtures/model-hub.ts'
import { silentLog } from '../../fixtures/silent-log.ts'
import { tempDir } from '../../fixtures/temp-dir.ts'
import { type Entry, zipOf } from '../../fixtures/zips.ts'

const ann = serverActor('ann')

const hashOf = (content: Buffer) => createHash('sha256').update(content).digest('hex')

function store() {
  const dataDir = tempDir()
  const subjects: string[] = []
  const opened = modelStore({
    local: { defaultEncoder: () => undefined, isBuiltIn: () => false },
    dataDir,
    catalogue: [smallModel],
    settings: { get: () => undefined as never },
    audit: { record: ({ subject }) => void subjects.push(subject) },
    disk: { space: () => undefined, shortage: () => undefined },
    network: { env: {} },
    log: silentLog,
  })
  return {
    ...opened,
    subjects,
    path: (...names: string[]) => join(dataDir, 'models', ...names),
    async send(name: string, entries: Entry[], confirm?: string) {
      await opened.receive(name, chunksOf(zipOf(entries)), confirm, ann)
    },
    left: () => readdirSync(join(dataDir, 'models/.scratch')),
    stateOf: async (name: string) => (await opened.list()).find((model) => model.name === name)?.state,
  }
}

async function* chunksOf(bytes: Buffer) {
  for (let at = 0; at < bytes.length; at += 10_000) yield bytes.subarray(at, at + 10_000)
}

const known: Entry[] = Object.entries(smallModelFiles).map(([name, content]) => ({ name, content }))
const weights = tinyEncoder()
const entriesOf = (architecture: string, model: Buffer): Entry[] => [
  { name: 'config.json', content: JSON.stringify({ model_type: 'bert', architectures: [architecture] }) },
  { name: 'tokenizer.json', content: JSON.stringify(tinyTokenizer) },
  { name: 'tokenizer_config.json', content: '{"tokenizer_class": "BertTokenizer"}' },
  { name: 'onnx/model.onnx', content: model },
]
const own = entriesOf('BertModel', weights)
const ownWith = (name: string, content: string | Buffer): Entry[] => [
  ...own.filter((entry) => entry.name !== name),
  { name, content },
]

test('the zip of a model of the catalogue installs its files without a confirmation', async () => {
  const models = store()
  await models.send('small-model', [
    ...known,
    { name: '1_Pooling/config.json', content: '{}' },
    { name: 'config.json', content: '{}' },
  ])
  expect(await models.stateOf('small-model')).toBe('installed')
  for (const [path, content] of Object.entries(smallModelFiles))
    expect(readFileSync(models.path('small-model', path))).toEqual(content)
  expect(readdirSync(models.path('small-model')).sort()).toEqual(['onnx', 'tokenizer.json'])
  expect(models.left()).toEqual([])
  expect(models.subjects).toEqual(['small-model'])
})

test('a zip of a folder is accepted, with what macOS adds to it', async () => {
  const models = store()
  const entries = known.map(({ name, content }) => ({ name: `small-model/${name}`, content: content ?? '' }))
  await models.send('small-model', [
    { name: 'small-model/' },
    ...entries,
    { name: '__MACOSX/small-model/._x', content: 'x' },
    { name: 'small-model/.DS_Store', content: 'x' },
  ])
  expect(await models.stateOf('small-model')).toBe('installed')
})

test('a model that the catalogue does not know needs the hash of its weights', async () => {
  const models = store()
  const sha256 = hashOf(weights)
  await expect(models.send('own', own)).rejects.toMatchObject({ code: 'validation_error', fields: { confirm: sha256 } })
  await expect(models.send('own', own, '0'.repeat(64))).rejects.toMatchObject({ fields: { confirm: sha256 } })
  expect(await models.stateOf('own')).toBeUndefined()
  expect(models.subjects).toEqual([])
  await models.send('own', own, sha256.toUpperCase())
  expect(await models.list()).toContainEqual(
    expect.objectContaining({ name: 'own', state: 'installed', license: null, use: 'embedding' }),
  )
})

test('a model under a name of the catalogue with other files needs a confirmation', async () => {
  const models = store()
  await expect(models.send('small-model', own)).rejects.toMatchObject({ fields: { confirm: hashOf(weights) } })
  expect(models.left()).toEqual([])
})

test('a cross-encoder is listed as a model that reranks', async () => {
  const models = store()
  const weights = tinyCrossEncoder()
  await models.send('ranker', entriesOf('BertForSequenceClassification', weights), hashOf(weights))
  expect(await models.list()).toContainEqual(expect.objectContaining({ name: 'ranker', use: 'reranking', state: 'installed' }))
})

/** A tensor whose data is in a file next to the model. */
const outside = (path: string): Buffer => {
  const bytes = (field: number, value: Buffer) => Buffer.concat([Buffer.from([(field << 3) | 2, value.length]), value])
  const location = bytes(13, Buffer.concat([bytes(1, Buffer.from('location')), bytes(2, Buffer.from(path))]))
  return bytes(7, bytes(5, location))
}

const rejected: [string, Entry[], string][] = [
  ['is empty', [], 'holds no model'],
  ['holds no model', [{ name: 'config.json', content: '{}' }], 'holds no model'],
  ['holds no tokenizer', own.filter(({ name }) => name !== 'tokenizer.json'), 'holds no tokenizer.json'],
  ['holds a program', [...own, { name: 'run.sh', content: '' }], 'holds "run.sh"'],
  ['holds a pickle', [...own, { name: 'pytorch_model.bin', content: '' }], 'holds "pytorch_model.bin"'],
  ['holds weights under another name', [...own, { name: 'onnx/model_q4.onnx', content: '' }], 'onnx/model_q4.onnx'],
  ['holds a runtime', [...own, { name: 'runtime/lib.so', content: '' }], 'only the command line installs'],
  ['leads out of its folder', [...own, { name: '../../x.json', content: '{}' }], 'leads out of the zip'],
  ['names an absolute path', [...own, { name: '/etc/x.json', content: '{}' }], 'leads out of the zip'],
  ['holds a link', [...own, { name: 'a.json', content: '/etc/passwd', mode: 0o120777 }], 'is a link'],
  ['holds a file twice', [...own, own[0] as Entry], 'two files of one name'],
  ['claims 10 GB', [...own, { name: 'big.json', content: '{}', sizeBytes: 4_000_000_000 }], 'more bytes'],
  [
    'claims a wrong size',
    ownWith('config.json', '{}').map((e) => (e.name === 'config.json' ? { ...e, sizeBytes: 9 } : e)),
    'unpacked',
  ],
  ['holds a broken configuration', ownWith('config.json', '{'), 'config.json is not JSON'],
  ['holds no ONNX', ownWith('onnx/model.onnx', 'not a model'), 'not an ONNX model'],
  ['holds a truncated ONNX', ownWith('onnx/model.onnx', weights.subarray(0, 100)), 'not an ONNX model'],
  ['holds an ONNX with data elsewhere', ownWith('onnx/model.onnx', outside('../../secrets.key')), 'data in other files'],
]

test.each(rejected)('a zip that %s is rejected, and nothing of it remains', async (_, entries, reason) => {
  const models = store()
  await expect(models.send('own', entries, hashOf(weights))).rejects.toThrow(reason)
  expect(await models.stateOf('own')).toBeUndefined()
  expect(models.left()).toEqual([])
  expect(models.subjects).toEqual([])
})

test('a body that is no zip is rejected', async () => {
  const models = store()
  await expect(models.receive('own', chunksOf(Buffer.from('<html>')), undefined, ann)).rejects.toThrow('not a zip')
})

test.each(['..', '.scratch', 'a/b', '', 'x'.repeat(101)])('"%s" is not a name of a model', async (name) => {
  await expect(store().send(name, own, hashOf(weights))).rejects.toMatchObject({ code: 'validation_error' })
})
