import { existsSync, readdirSync, truncateSync } from 'node:fs'
import { join } from 'node:path'
import { PassThrough, type Readable } from 'node:stream'
import { text } from 'node:stream/consumers'
import { S3Client } from '@aws-sdk/client-s3'
import { expect, test, vi } from 'vitest'
import { exportLibrary } from '../../../functions/bundles/export-library.ts'
import type { ObjectStore } from '../../../functions/objects/object-store.ts'
import { s3Objects } from '../../../functions/objects/s3-objects.ts'
import type { BundleElement } from '../../../shared/bundle/bundle-element.ts'
import { snippetFrom } from '../../../shared/bundle/bundle-snippet.ts'
import { printLibraryId } from '../../../shared/library.ts'
import type { Bundle } from '../../fixtures/bundle.ts'
import { rows, testExports } from '../../fixtures/exports.ts'
import { failure } from '../../fixtures/failure.ts'
import { testS3 } from '../../fixtures/s3.ts'

const read = async (stream: Readable): Promise<Bundle> => JSON.parse(await text(stream))
const inOrder = ({ codeSnippets, infoSnippets }: BundleElement) =>
  [...codeSnippets, ...infoSnippets].sort((a, b) => (a.order ?? 0) - (b.order ?? 0))
/** 20 KB each. */
const longRows = (count: number) => rows(count).map((each) => ({ ...each, content: 'word '.repeat(4000) }))
const cached = (folder: string) =>
  readdirSync(folder, { recursive: true, encoding: 'utf8' }).filter((name) => name.endsWith('.json'))

test('an export has every snippet of every version, one element per version with its facts', async () => {
  const exports = testExports()
  const content = rows(1200)
  await exports.add('/Acme/docs', content)
  await exports.add('/Acme/docs@v1', rows(3))
  const { libraries, force } = await read((await exportLibrary(exports, 'acme/DOCS')).stream)
  expect(force).toBe(false)
  expect(libraries.map(({ project, versions, branch }) => [project, versions, branch])).toEqual([
    ['/Acme/docs', ['v1'], 'main'],
    ['/Acme/docs@v1', ['v1'], 'v1'],
  ])
  const [first] = libraries as [BundleElement, BundleElement]
  expect(first).toMatchObject({ title: 'Docs', type: 'repo', totalTokens: 14400, rules: ['Paint it first.'], commit: 'c0ffee' })
  const came = inOrder(first).map(snippetFrom)
  expect(came.map(({ url, content, code, breadcrumb }) => ({ url, content, code, breadcrumb }))).toEqual(
    content.map(({ url, content, code, breadcrumb }) => ({ url, content, code, breadcrumb })),
  )
  expect(JSON.stringify(libraries)).not.toMatch(/embedding|vector/)
})

test.each(['/acme/docs@v1', 'acme/docs/v1', 'acme/docs@v1', 'acme/docs@1', 'acme/docs@V1'])(
  'an export of %s has only that version',
  async (library) => {
    const exports = testExports()
    await exports.add('/acme/docs', rows(3))
    await exports.add('/acme/docs@v1', rows(2))
    const { libraries } = await read((await exportLibrary(exports, library)).stream)
    expect(libraries.map(({ project, totalSnippets }) => [project, totalSnippets])).toEqual([['/acme/docs@v1', 2]])
  },
)

test.each([
  ['acme/absent', 'library_not_found', 'no public library /acme/absent'],
  ['acme/secret', 'library_not_found', 'no public library /acme/secret'],
  ['acme/empty', 'library_not_found', 'no public library /acme/empty'],
  ['acme/docs@v3', 'tag_not_found', 'It has v1, v2.'],
  ['acme', 'invalid_library_id', 'wrong shape'],
  ['acme/..', 'invalid_library_id', '..'],
  ['acme/docs@v1/v2', 'invalid_library_id', 'twice'],
  ['/__proto__/constructor', 'library_not_found', 'no public library'],
  [`acme/${'x'.repeat(500)}`, 'validation_error', '500 characters'],
])('an export of %s is rejected with %s', async (library, code, message) => {
  const exports = testExports()
  await exports.add('/acme/secret', rows(1), true)
  await exports.add('/acme/docs@v1', rows(1))
  await exports.add('/acme/docs@v2', rows(1))
  await exports.add('/acme/empty', rows(1))
  const empty = exports.libraries.get('/acme/empty')
  if (empty) empty.versions = []
  const error = await failure(exportLibrary(exports, library))
  expect([error.code, error.message]).toEqual([code, expect.stringContaining(message)])
})

test('an export over the limit is rejected with its size and the advice to request a zip, and nothing is read', async () => {
  const exports = testExports()
  await exports.add('/acme/docs', rows(100))
  const whole = await text((await exportLibrary(exports, 'acme/docs')).stream)
  exports.limits.bytes = Buffer.byteLength(whole)
  await exportLibrary(exports, 'acme/docs').then(({ stream }) => text(stream))
  exports.limits.bytes -= 1
  const scan = vi.fn(exports.snippets.scan)
  const error = await failure(exportLibrary({ ...exports, snippets: { scan } }, 'acme/docs'))
  expect([error.code, error.fields]).toEqual([
    'payload_too_large',
    { sizeBytes: exports.limits.bytes + 1, limitBytes: exports.limits.bytes },
  ])
  expect(error.message).toContain('zip')
  expect(scan).not.toHaveBeenCalled()
})

test('an export that is larger than its catalog entry is aborted', async () => {
  const exports = testExports()
  await exports.add('/acme/docs', rows(3000))
  for (const version of exports.libraries.get('/acme/docs')?.versions ?? []) version.bundleBytes = 10
  exports.limits.bytes = 300_000
  const { stream } = await exportLibrary(exports, 'acme/docs')
  await expect(text(stream)).rejects.toThrow('The export was aborted.')
  expect(String(exports.log.lines[0]?.fields.error)).toContain('larger than 300000 bytes')
  expect(cached(exports.folder)).toEqual([])
})

test('a finished export is cached and served from there, until the content or a fact changes', async () => {
  const exports = testExports()
  await exports.add('/acme/docs', rows(600))
  const scan = vi.fn(exports.snippets.scan)
  const ports = { ...exports, snippets: { scan } }
  const first = await text((await exportLibrary(ports, 'acme/docs')).stream)
  expect(cached(exports.folder)).toHaveLength(1)
  const scans = scan.mock.calls.length
  const again = await exportLibrary(ports, 'acme/docs')
  expect(again.sizeBytes).toBe(Buffer.byteLength(first))
  expect(await text(again.stream)).toBe(first)
  expect(scan.mock.calls.length).toBe(scans)

  await exports.add('/acme/docs', rows(5))
  expect((await read((await exportLibrary(ports, 'acme/docs')).stream)).libraries[0]?.totalSnippets).toBe(5)
  const known = exports.libraries.get('/acme/docs')
  if (known) known.facts = { ...known.facts, description: 'Better documentation' }
  expect((await read((await exportLibrary(ports, 'acme/docs')).stream)).libraries[0]?.description).toBe('Better documentation')
  expect(cached(exports.folder)).toHaveLength(3)
})

test.each([0, 1000])('a cached copy that was truncated to %d bytes is rewritten instead of served', async (left) => {
  const exports = testExports()
  await exports.add('/acme/docs', rows(600))
  const first = await text((await exportLibrary(exports, 'acme/docs')).stream)
  const [copy = ''] = cached(exports.folder)
  truncateSync(join(exports.folder, copy), left)
  expect(await text((await exportLibrary(exports, 'acme/docs')).stream)).toBe(first)
  const again = await exportLibrary(exports, 'acme/docs')
  expect([again.sizeBytes, await text(again.stream)]).toEqual([Buffer.byteLength(first), first])
  expect(exports.log.lines.map(({ message }) => message)).toEqual(['a damaged cached export is rewritten'])
})

test('the cache works on S3, too, in parts', async () => {
  const exports = testExports()
  const { s3, bucket } = await testS3()
  const ports = { ...exports, objects: s3Objects(s3, bucket) }
  await exports.add('/acme/docs', longRows(450))
  const first = await text((await exportLibrary(ports, 'acme/docs')).stream)
  expect(first.length).toBeGreaterThan(8 * 2 ** 20)
  const again = await exportLibrary(ports, 'acme/docs')
  expect(again.sizeBytes).toBe(Buffer.byteLength(first))
  expect((await text(again.stream)) === first).toBe(true)
})

test('an export that its caller aborts is not cached, and the next caller gets everything', async () => {
  const exports = testExports()
  await exports.add('/acme/docs', rows(3000))
  const { stream } = await exportLibrary(exports, 'acme/docs')
  const drafts = () => (existsSync(`${exports.folder}/.unfinished`) ? readdirSync(`${exports.folder}/.unfinished`) : [])
  for await (const _ of stream) if (drafts().length > 0) break
  expect(drafts()).toHaveLength(1)
  await vi.waitFor(() => expect(readdirSync(exports.folder, { recursive: true })).toEqual(['.unfinished']), 120_000)
  expect((await read((await exportLibrary(exports, 'acme/docs')).stream)).libraries[0]?.totalSnippets).toBe(3000)
  expect(cached(exports.folder)).toHaveLength(1)
})

test('an export to a slow caller keeps only a few batches in memory', async () => {
  const exports = testExports()
  await exports.add('/acme/docs', rows(10_000))
  let batches = 0
  const scan = async function* (generation: string) {
    for await (const batch of exports.snippets.scan(generation)) {
      batches += 1
      yield batch
    }
  }
  const { stream } = await exportLibrary({ ...exports, snippets: { scan } }, 'acme/docs')
  const taking = stream[Symbol.asyncIterator]()
  await taking.next()
  await new Promise((resolve) => setImmediate(() => setImmediate(resolve)))
  expect(batches).toBeLessThan(5)
  stream.destroy()
})

const failing = (more: Partial<ObjectStore>) => ({
  get: async () => Promise.reject(new Error('S3 is down')),
  put: async () => Promise.reject(new Error('S3 is down')),
  ...more,
})
const drain = async (body: Readable | Uint8Array) => {
  for await (const _ of body as Readable) if (String(_) === 'never') break
  return new Promise<never>(() => undefined)
}

test.each([
  ['refuses everything', failing({})],
  ['refuses only puts', failing({ get: async () => undefined })],
  ['never answers a get', failing({ get: () => new Promise(() => undefined) })],
  ['takes nothing of a put', failing({ get: async () => undefined, put: () => new Promise(() => undefined) })],
  ['never ends a put', failing({ get: async () => undefined, put: (_, body) => drain(body) })],
])('an object store that %s makes the cached copy fail, not the export, and is logged', async (_, objects) => {
  const exports = testExports()
  exports.limits.storeTimeoutMs = 50
  await exports.add('/acme/docs', longRows(400))
  const { libraries } = await read((await exportLibrary({ ...exports, objects }, 'acme/docs')).stream)
  expect(inOrder(libraries[0] as BundleElement)).toHaveLength(400)
  expect(exports.log.lines.map(({ message }) => message)).toEqual([expect.stringMatching(/cached/)])
})

test('an unreachable S3 makes the cached copy fail, not the export', async () => {
  const exports = testExports()
  const credentials = { accessKeyId: 'x', secretAccessKey: 'x' }
  const s3 = new S3Client({
    endpoint: 'http://127.0.0.1:1',
    region: 'us-east-1',
    credentials,
    forcePathStyle: true,
    maxAttempts: 1,
  })
  await exports.add('/acme/docs', rows(10))
  const { libraries } = await read((await exportLibrary({ ...exports, objects: s3Objects(s3, 'objects') }, 'acme/docs')).stream)
  expect(libraries[0]?.totalSnippets).toBe(10)
})

test('content that is gone is 503 before the first byte', async () => {
  const exports = testExports()
  const gone = await exports.add('/acme/docs', rows(10))
  await exports.snippets.drop(gone)
  const error = await failure(exportLibrary(exports, 'acme/docs'))
  expect([error.code, error.message]).toEqual(['search_failed', expect.stringContaining('cannot be read')])
})

test('content that was just replaced is read again', async () => {
  const exports = testExports()
  await exports.snippets.drop(await exports.add('/acme/docs', rows(10)))
  const old = exports.libraries.get('/acme/docs')
  await exports.add('/acme/docs', rows(7))
  let asked = 0
  const exportable = async () => (asked++ === 0 ? old : exports.libraries.get('/acme/docs'))
  const { libraries } = await read((await exportLibrary({ ...exports, catalog: { exportable } }, 'acme/docs')).stream)
  expect(libraries[0]?.totalSnippets).toBe(7)
})

test('content that cannot be read is 503 before the first byte', async () => {
  const exports = testExports()
  await exports.add('/acme/other', rows(1))
  const scan = () => {
    throw new Error('the disk is gone')
  }
  expect((await failure(exportLibrary({ ...exports, snippets: { scan } }, 'acme/other'))).code).toBe('search_failed')
})

test.each([
  ['deleted', async (exports: ReturnType<typeof testExports>) => void exports.libraries.delete('/acme/docs')],
  [
    'made private',
    async (exports: ReturnType<typeof testExports>) =>
      Object.assign(exports.libraries.get('/acme/docs') ?? {}, { private: true }),
  ],
  [
    'swept',
    async (exports: ReturnType<typeof testExports>) => {
      for (const { generation } of exports.libraries.get('/acme/docs')?.versions ?? []) await exports.snippets.drop(generation)
    },
  ],
])('a library that is %s during its export is never sent in full', async (_, change) => {
  const exports = testExports()
  await exports.add('/acme/docs', rows(4000))
  let sent = ''
  const take = async () => {
    const { stream } = await exportLibrary(exports, 'acme/docs')
    for await (const chunk of stream) {
      if (sent === '') await change(exports)
      sent += chunk
    }
  }
  await expect(take()).rejects.toThrow('The export was aborted.')
  expect(() => JSON.parse(sent)).toThrow()
  expect(sent.length).toBeGreaterThan(1000)
  expect(cached(exports.folder)).toEqual([])
  expect(exports.log.lines).toMatchObject([{ message: 'an export was aborted', fields: { library: '/acme/docs' } }])
})

test('a cached copy is never sent in full if the library is deleted meanwhile', async () => {
  const exports = testExports()
  await exports.add('/acme/docs', rows(3000))
  await text((await exportLibrary(exports, 'acme/docs')).stream)
  const { stream, sizeBytes } = await exportLibrary(exports, 'acme/docs')
  exports.libraries.delete('/acme/docs')
  let sent = ''
  const take = async () => {
    for await (const chunk of stream) sent += chunk
  }
  await expect(take()).rejects.toThrow('The export was aborted.')
  expect(sent.length).toBe((sizeBytes ?? 0) - 1)
  expect(() => JSON.parse(sent)).toThrow()
})

test('a cached copy without a reader is closed', async () => {
  const exports = testExports()
  await exports.add('/acme/docs', rows(10))
  const sizeBytes = Buffer.byteLength(await text((await exportLibrary(exports, 'acme/docs')).stream))
  const body = new PassThrough()
  const objects = { ...exports.objects, get: async () => ({ etag: '1', sizeBytes, body }) }
  const { stream } = await exportLibrary({ ...exports, objects }, printLibraryId({ owner: 'acme', repo: 'docs' }))
  stream.destroy()
  await vi.waitFor(() => expect(body.destroyed).toBe(true), 120_000)
})
