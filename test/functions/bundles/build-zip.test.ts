import { createHash, randomBytes } from 'node:crypto'
import { readdirSync } from 'node:fs'
import { buffer } from 'node:stream/consumers'
import { setImmediate } from 'node:timers/promises'
import JSZip from 'jszip'
import { expect, test, vi } from 'vitest'
import { buildZip, type ZipProgress } from '../../../functions/bundles/build-zip.ts'
import { zipLimits } from '../../../functions/bundles/plan-zip.ts'
import { s3Objects } from '../../../functions/objects/s3-objects.ts'
import { BundleElement } from '../../../shared/bundle/bundle-element.ts'
import { verifyManifest } from '../../../shared/bundle/manifest.ts'
import { makeKeyPair } from '../../../shared/keys/key-pair.ts'
import { rows, testExports } from '../../fixtures/exports.ts'
import { failure } from '../../fixtures/failure.ts'
import { testS3 } from '../../fixtures/s3.ts'

const vendor = makeKeyPair()
const quiet = () => undefined

function testZips() {
  return { ...testExports(), signingPem: vendor.privatePem as string | undefined, limits: { ...zipLimits } }
}
type Zips = ReturnType<typeof testZips>

async function readZip(zips: Pick<Zips, 'objects'>, key: string) {
  const found = await zips.objects.get(key)
  if (typeof found !== 'object') throw new Error(`${key} is not there`)
  const bytes = await buffer(found.body)
  const zip = await JSZip.loadAsync(bytes, { checkCRC32: true })
  const file = async (name: string) => (await zip.file(name)?.async('nodebuffer')) ?? Buffer.alloc(0)
  return { bytes, names: Object.keys(zip.files), file, manifest: String(await file('manifest.json')) }
}

test('a zip has one file per version and a signed manifest with their hashes and counts', async () => {
  const zips = testZips()
  await zips.add('/acme/docs', rows(1500))
  await zips.add('/acme/docs@v1', rows(4))
  await zips.add('/acme/tools', rows(2))
  const built = await buildZip(zips, { id: 'z1', libraries: ['acme/docs', '/acme/tools'] }, quiet)
  expect(built.key).toBe('bundles/z1.zip')
  const { bytes, names, file, manifest } = await readZip(zips, built.key)
  expect(built.sizeBytes).toBe(bytes.length)
  expect(names).toEqual(['1-acme-docs.json', '2-acme-docs-v1.json', '3-acme-tools.json', 'manifest.json'])
  const checked = await verifyManifest(manifest, [vendor.publicPem])
  expect(checked).toMatchObject({ signature: 'valid', manifest: { formatVersion: 1, created: '2026-01-01T00:00:00.000Z' } })
  expect(checked.manifest.libraries).toEqual(built.libraries)
  expect(built.libraries.map(({ project, codeSnippets, infoSnippets }) => [project, codeSnippets, infoSnippets])).toEqual([
    ['/acme/docs', 1000, 500],
    ['/acme/docs@v1', 2, 2],
    ['/acme/tools', 1, 1],
  ])
  let unpacked = 0
  for (const listed of built.libraries) {
    const content = await file(listed.file)
    unpacked += content.length
    expect(createHash('sha256').update(content).digest('hex')).toBe(listed.sha256)
    const { libraries, force } = JSON.parse(String(content))
    const element = BundleElement.parse(libraries[0])
    expect([libraries.length, force, element.project]).toEqual([1, false, listed.project])
    expect([element.codeSnippets.length, element.infoSnippets.length]).toEqual([listed.codeSnippets, listed.infoSnippets])
  }
  expect(built.unpackedBytes).toBe(unpacked)
})

test('a tampered manifest is rejected, also in another zip', async () => {
  const zips = testZips()
  await zips.add('/acme/docs', rows(5))
  const { manifest } = await readZip(zips, (await buildZip(zips, { id: 'z1', libraries: ['acme/docs'] }, quiet)).key)
  const changed = manifest.replace(/"codeSnippets":\d+/, '"codeSnippets":99')
  expect((await failure(verifyManifest(changed, [vendor.publicPem]))).code).toBe('validation_error')
  expect((await verifyManifest(manifest, [makeKeyPair().publicPem])).signature).toBe('unknown')
  const unsigned = await buildZip({ ...zips, signingPem: undefined }, { id: 'z2', libraries: ['acme/docs'] }, quiet)
  expect((await verifyManifest((await readZip(zips, unsigned.key)).manifest, [vendor.publicPem])).signature).toBe('absent')
})

test('progress is reported as data, up to the last byte', async () => {
  const zips = testZips()
  await zips.add('/acme/docs', rows(3000))
  await zips.add('/acme/tools', rows(10))
  const told: ZipProgress[] = []
  const built = await buildZip(zips, { id: 'z1', libraries: ['acme/docs', 'acme/tools'] }, (each) => told.push(each))
  expect(told.length).toBeGreaterThan(5)
  const [first, last] = [told[0], told.at(-1)]
  expect(first?.elements).toBe(0)
  expect(last).toMatchObject({ elements: 2, elementsTotal: 2, bytes: built.unpackedBytes, bytesTotal: built.unpackedBytes })
  expect(told.every((each, n) => n === 0 || each.bytes >= (told[n - 1]?.bytes ?? 0))).toBe(true)
})

test('a library is included once, however it is named', async () => {
  const zips = testZips()
  await zips.add('/Acme/docs', rows(1))
  await zips.add('/Acme/docs@v1', rows(1))
  const libraries = ['acme/docs', '/ACME/DOCS', 'acme/docs@v1', 'acme/docs/v1']
  const built = await buildZip(zips, { id: 'z1', libraries }, quiet)
  expect(built.libraries.map(({ project }) => project)).toEqual(['/Acme/docs', '/Acme/docs@v1'])
})

test('hostile library names become plain file names, which never collide on a case-insensitive disk', async () => {
  const zips = testZips()
  const addresses = [
    '/a/x"y',
    `/a/${'x'.repeat(400)}`,
    `/a/${'x'.repeat(399)}Y`,
    '/a/con@nul',
    '/a/b@V1',
    '/a/b@v1',
    '/a/größe',
    '/__proto__/__proto__',
    '/a/b:c:d|e',
  ]
  for (const address of addresses) await zips.add(address, rows(1))
  const libraries = addresses.filter((address) => !address.includes('@')).concat('/a/con@nul', '/a/b')
  const built = await buildZip(zips, { id: 'z1', libraries }, quiet)
  const { names, manifest } = await readZip(zips, built.key)
  for (const name of names) expect(name).toMatch(/^(\d+-[A-Za-z0-9._-]{1,80}\.json|manifest\.json)$/)
  expect(new Set(names.map((name) => name.toLowerCase())).size).toBe(names.length)
  expect((await verifyManifest(manifest, [vendor.publicPem])).signature).toBe('valid')
  expect(built.libraries.map(({ project }) => project)).toEqual(expect.arrayContaining(['/a/b@V1', '/a/b@v1', '/a/x"y']))
  expect((await failure(buildZip(zips, { id: 'z2', libraries: ['/a/../../x'] }, quiet))).code).toBe('invalid_library_id')
})

test.each([
  ['no library', [], 'validation_error', {}],
  ['51 libraries', Array.from({ length: 51 }, () => 'acme/docs'), 'validation_error', { libraries: 51, limit: 50 }],
  ['an unknown library', ['acme/docs', 'acme/absent'], 'library_not_found', {}],
  ['a private library', ['acme/docs', 'acme/secret'], 'library_not_found', {}],
  ['an unknown version', ['acme/docs@v1'], 'tag_not_found', {}],
  ['no id', ['docs'], 'invalid_library_id', {}],
])('a request for %s gets no zip', async (_, libraries, code, fields) => {
  const zips = testZips()
  await zips.add('/acme/docs', rows(1))
  await zips.add('/acme/secret', rows(1), true)
  const error = await failure(buildZip(zips, { id: 'z1', libraries }, quiet))
  expect([error.code, error.fields]).toEqual([code, fields])
  expect(readdirSync(zips.folder)).toEqual([])
})

test.each([
  ['unpacked', { unpackedBytes: 50_000 }, 'payload_too_large', { sizeBytes: expect.any(Number), limitBytes: 50_000 }],
  ['in files', { zipEntries: 2 }, 'payload_too_large', { files: 2, limit: 1 }],
  [
    'in one library',
    { elementBytes: 1000 },
    'library_too_large',
    { project: '/acme/docs', snippets: 200, sizeBytes: expect.any(Number) },
  ],
  ['in snippets of one library', { elementSnippets: 199 }, 'library_too_large', expect.objectContaining({ snippets: 200 })],
])(
  'a zip that an importer would reject for its size %s is rejected with the sizes before anything is read',
  async (_, limits, code, fields) => {
    const zips = testZips()
    Object.assign(zips.limits, limits)
    await zips.add('/acme/docs', rows(200))
    await zips.add('/acme/docs@v1', rows(200))
    const scan = vi.fn(zips.snippets.scan)
    const error = await failure(buildZip({ ...zips, snippets: { scan } }, { id: 'z1', libraries: ['acme/docs'] }, quiet))
    expect([error.code, error.fields]).toEqual([code, fields])
    expect(scan).not.toHaveBeenCalled()
  },
)

test('a zip that exceeds its limit is aborted with its expected size, and nothing is stored', async () => {
  const zips = testZips()
  await zips.add('/acme/docs', rows(3000))
  const whole = await buildZip(zips, { id: 'z1', libraries: ['acme/docs'] }, quiet)
  zips.limits.zipBytes = whole.sizeBytes
  expect((await buildZip(zips, { id: 'z2', libraries: ['acme/docs'] }, quiet)).sizeBytes).toBe(whole.sizeBytes)
  zips.limits.zipBytes = Math.floor(whole.sizeBytes / 2)
  const error = await failure(buildZip(zips, { id: 'z3', libraries: ['acme/docs'] }, quiet))
  expect([error.code, error.fields.limitBytes]).toEqual(['payload_too_large', zips.limits.zipBytes])
  expect(error.fields.sizeBytes).toBeGreaterThan(zips.limits.zipBytes)
  expect(error.fields.sizeBytes).toBeLessThan(whole.sizeBytes * 2)
  zips.limits.zipBytes = 1e9
  zips.limits.unpackedBytes = 300_000
  for (const version of zips.libraries.get('/acme/docs')?.versions ?? []) version.bundleBytes = 10
  expect((await failure(buildZip(zips, { id: 'z3', libraries: ['acme/docs'] }, quiet))).code).toBe('payload_too_large')
  expect(readdirSync(`${zips.folder}/bundles`).sort()).toEqual(['z1.zip', 'z2.zip'])
  expect(readdirSync(`${zips.folder}/.unfinished`)).toEqual([])
})

test('no zip is stored if a library is deleted, the store fails or the caller aborts', async () => {
  const zips = testZips()
  const generation = await zips.add('/acme/docs', rows(2500))
  const build = (ports: Partial<Zips>, onProgress: () => void = quiet, signal?: AbortSignal) =>
    buildZip({ ...zips, ...ports }, { id: 'z1', libraries: ['acme/docs'] }, onProgress, signal)

  const broken = async () => Promise.reject(new Error('S3 is down'))
  await expect(build({ objects: { ...zips.objects, put: broken } })).rejects.toThrow('S3 is down')
  const giveUp = new AbortController()
  await expect(build({}, () => giveUp.abort(new Error('given up')), giveUp.signal)).rejects.toThrow('given up')
  await expect(build({}, quiet, AbortSignal.abort(new Error('given up before')))).rejects.toThrow('given up before')
  let swept = false
  const sweep = async () => {
    if (!swept) await zips.snippets.drop(generation)
    swept = true
  }
  const scan = async function* (name: string) {
    for await (const batch of zips.snippets.scan(name)) {
      yield batch
      await sweep()
    }
  }
  const error = await failure(build({ snippets: { ...zips.snippets, scan } }))
  expect([error.code, error.message]).toEqual(['search_failed', expect.stringContaining('"hosted refresh /acme/docs"')])
  expect(readdirSync(zips.folder, { recursive: true })).toEqual(['.unfinished'])
})

test('a zip with many parts is stored in S3 and downloaded under its name', async () => {
  const { s3, bucket } = await testS3()
  const zips = { ...testZips(), objects: s3Objects(s3, bucket) }
  const noise = (n: number) => createHash('sha512').update(String(n)).digest('base64')
  for (const name of ['a', 'b', 'c'])
    await zips.add(
      `/acme/${name}`,
      rows(250).map((each, n) => ({ ...each, content: Array.from({ length: 160 }, (_, i) => noise(n * 160 + i)).join(' ') })),
    )
  const built = await buildZip(zips, { id: 'z1', libraries: ['acme/a', 'acme/b', 'acme/c'] }, quiet)
  expect(built.sizeBytes).toBeGreaterThan(5 * 2 ** 20)
  const { manifest } = await readZip(zips, built.key)
  expect((await verifyManifest(manifest, [vendor.publicPem])).manifest.libraries).toHaveLength(3)
  const answer = await fetch(await zips.objects.downloadUrl(built.key, 'service-libraries.zip', 60))
  expect((await answer.arrayBuffer()).byteLength).toBe(built.sizeBytes)
})

// JSZip forgets the error of an entry that it has paused: at some 160 KB all buffers on the way are full.
test.each([0, 100, 155, 160, 165, 170, 300])(
  'content that fails after %i KB, while the object store is stalled, fails the zip with the reason',
  async (kilobytes) => {
    const zips = testZips()
    await zips.add('/acme/docs', rows(10))
    let hasFailed = false
    const noise = rows(kilobytes).map((each) => ({ ...each, content: randomBytes(1024).toString('latin1') }))
    const scan = async function* () {
      yield noise
      hasFailed = true
      throw new Error('the disk is gone')
    }
    const put = async (_: string, body: AsyncIterable<unknown> | Uint8Array) => {
      for (let turn = 0; turn < 200 && !hasFailed; turn++) await setImmediate()
      for (let turn = 0; turn < 20; turn++) await setImmediate()
      try {
        for await (const each of body) if (each === undefined) break
      } catch (error) {
        throw new Error('the upload failed', { cause: error })
      }
    }
    const ports = { ...zips, snippets: { ...zips.snippets, scan }, objects: { ...zips.objects, put } }
    expect((await failure(buildZip(ports, { id: 'z1', libraries: ['acme/docs'] }, quiet))).code).toBe('search_failed')
  },
)
