import { readdirSync, readFileSync } from 'node:fs'
import { join } from 'node:path'
import { Readable } from 'node:stream'
import { afterAll, afterEach, beforeAll, describe, expect, test } from 'vitest'
import { importZip } from '../../../onprem/import/import-zip.ts'
import { AppError } from '../../../shared/errors.ts'
import { makeKeyPair } from '../../../shared/keys/key-pair.ts'
import { snippetsOf } from '../../fixtures/imports.ts'
import { type TestInstall, testInstall } from '../../fixtures/test-install.ts'
import { bundleZip, crowdedZip, packedZeros, zipOf } from '../../fixtures/zips.ts'

let app: TestInstall
beforeAll(async () => {
  app = await testInstall()
})
afterAll(() => app.close())
afterEach(() => app.app.settings.change({ 'import.requireSignature': null, 'bundle.trustedKeys': null }))

type Body = { message: string; queued: string[]; skipped: { project: string; reason: string }[] }
type Field = [name: string, value: string | Blob]

async function post(fields: Field[], query = ''): Promise<{ status: number; body: Body }> {
  const form = new FormData()
  for (const [name, value] of fields) form.append(name, value)
  const response = await app.ask(`/api/import-libraries${query}`, { method: 'POST', key: app.keys.member, body: form })
  return { status: response.status, body: (await response.json()) as Body }
}
const file = (zip: Buffer): Field => ['bundleFile', new Blob([new Uint8Array(zip)])]
const send = (zip: Buffer, query = '') => post([file(zip)], query)

const jobs = async () => ((await app.json('/api/jobs', { key: app.keys.member })).body as { total: number }).total
const waiting = () => readdirSync(join(app.dataDir, 'imports'))
const library = (libraryId: string, content = 'The lever turns.') =>
  JSON.stringify({ libraries: [{ project: libraryId, ...snippetsOf(content) }], force: false })
const bundled = (libraryId: string, name = 'a.json') => ({ project: libraryId, file: name, text: library(libraryId) })

async function idle() {
  await expect.poll(async () => (await app.json('/api/parse-status')).body).toEqual({ activeParses: {} })
  await expect.poll(waiting).toEqual([])
}
const answer = async (id: string) =>
  (await app.ask(`/api/v2/context?${new URLSearchParams({ libraryId: id, query: 'lever' })}`)).text()

describe('a bundle with a manifest', () => {
  test('is imported without a note if it is signed with the key of this development install', async () => {
    await send(zipOf([{ name: 'x.json', content: 'to have the pair made' }]))
    const zip = await bundleZip([bundled('/signed/docs')], readFileSync(join(app.dataDir, 'dev-bundle.pem'), 'utf8'))
    expect(await send(zip)).toEqual({
      status: 202,
      body: { message: 'Queued 1 library for import.', queued: ['/signed/docs'], skipped: [] },
    })
    await idle()
    expect(await answer('/signed/docs')).toContain('The lever turns.')
    const log = (await app.json(`/api/jobs/${await jobs()}`, { key: app.keys.member })).body as { log: { line: string }[] }
    expect(log.log.map(({ line }) => line)).toContain('From a bundle made 2026-01-01T00:00:00.000Z. Its signature is valid.')
  })

  test('is imported with a note in the response if it has no signature', async () => {
    expect((await send(await bundleZip([bundled('/un/signed')]))).body).toEqual({
      message: 'Queued 1 library for import. The bundle is not signed.',
      queued: ['/un/signed'],
      skipped: [],
    })
    await idle()
  })

  test('is reported as signed only if its key is in the settings', async () => {
    const [ours, theirs] = [makeKeyPair(), makeKeyPair()]
    app.app.settings.change({ 'bundle.trustedKeys': [ours.publicPem], 'import.requireSignature': true })
    const known = await bundleZip([bundled('/trusted/docs')], ours.privatePem)
    expect((await send(known)).body.message).toBe('Queued 1 library for import.')
    const unknown = await bundleZip([bundled('/stranger/docs')], theirs.privatePem)
    const refused = await send(unknown)
    expect([refused.status, refused.body.message]).toEqual([
      400,
      'This install accepts only bundles that are signed with a trusted key (setting import.requireSignature). The bundle is signed with a key that this install does not know. If it comes from another install, run "carrel export --public-key" there and add the key to the setting bundle.trustedKeys here. Nothing was imported.',
    ])
    expect((await send(await bundleZip([bundled('/stranger/docs')]))).status).toBe(400)
    app.app.settings.change({ 'import.requireSignature': null })
    expect((await send(unknown)).body).toMatchObject({
      message: 'Queued 1 library for import. The bundle is signed with a key that this install does not know.',
      queued: ['/stranger/docs'],
    })
    await idle()
  })

  test('is rejected as a whole if it was changed after a known key signed it', async () => {
    const pair = makeKeyPair()
    app.app.settings.change({ 'bundle.trustedKeys': [pair.publicPem] })
    const zip = await bundleZip([bundled('/changed/docs')], pair.privatePem, (manifest) => ({
      ...manifest,
      created: '2026-02-02T00:00:00.000Z',
    }))
    expect(await send(zip)).toMatchObject({ status: 400, body: { message: expect.stringContaining('its signature is invalid') } })
  })

  test('skips a library with a wrong hash by name, and imports the others', async () => {
    const zip = await bundleZip([{ ...bundled('/wrong/hash'), sha256: '0'.repeat(64) }, bundled('/right/hash', 'b.json')])
    expect((await send(zip)).body).toMatchObject({
      queued: ['/right/hash'],
      skipped: [
        {
          project: '/wrong/hash',
          reason: 'The hash (SHA-256) of its file "a.json" is not the one in the manifest: the file was changed or damaged.',
        },
      ],
    })
    await idle()
  })

  test('reports a wrong hash before any other error of the file', async () => {
    const wrong = (text: string) => ({ project: '/wrong/hash', file: 'a.json', text, sha256: '0'.repeat(64) })
    for (const text of ['no JSON', library('/other/id'), library('/wrong/hash').replace('"infoSnippets"', '"x"')]) {
      const { skipped } = (await send(await bundleZip([wrong(text), bundled('/wrong/hash2', 'b.json')]))).body
      expect(skipped[0]).toEqual({ project: '/wrong/hash', reason: expect.stringContaining('hash (SHA-256)') })
    }
    await idle()
  })

  test('skips libraries with wrong names in the manifest, and ignores files that are not in it', async () => {
    const zip = await bundleZip([
      bundled('/other/docs'),
      { ...bundled('/this/docs', 'b.json'), project: '/that/docs' },
      { project: '/broken/docs', file: 'c.json', text: '{"libraries":[' },
    ])
    expect((await send(zip)).body).toMatchObject({
      queued: ['/other/docs'],
      skipped: [
        { project: '/that/docs', reason: 'Its file "b.json" contains /this/docs instead.' },
        {
          project: '/broken/docs',
          reason: 'The file "c.json" is incomplete JSON, and nothing of it is imported.',
        },
      ],
    })
    await idle()
  })

  test('skips a library whose file is missing', async () => {
    const zip = await bundleZip([bundled('/there/docs')], undefined, (manifest) => ({
      ...manifest,
      libraries: [...manifest.libraries, { ...manifest.libraries[0], project: '/lost/docs', file: 'lost.json' }],
    }))
    expect((await send(zip)).body).toMatchObject({ queued: ['/there/docs'], skipped: [{ project: '/lost/docs' }] })
    await idle()
  })
})

test('a bundle of another product, with JSON files in any folder and no manifest, is imported', async () => {
  const zip = zipOf([
    { name: 'export/', content: '' },
    { name: 'export/deep/one.json', content: library('/deep/one') },
    {
      name: 'two.JSON',
      content: JSON.stringify({
        libraries: [
          { project: '/in/two', ...snippetsOf('x') },
          { project: '/in/three', ...snippetsOf('y') },
        ],
      }),
    },
    { name: 'README.md', content: '# Read me' },
    { name: '__MACOSX/._two.json', content: 'junk' },
    { name: 'nested.zip', content: zipOf([{ name: 'inner.json', content: library('/inner/docs') }]) },
    { name: 'package.json', content: '{"name":"x"}' },
  ])
  expect((await send(zip)).body).toEqual({
    message: 'Queued 3 libraries for import. 1 other skipped. The bundle is not signed.',
    queued: ['/deep/one', '/in/two', '/in/three'],
    skipped: [{ project: 'package.json', reason: 'The file "package.json" must be a JSON object with the list "libraries".' }],
  })
  await idle()
})

test('a file that cannot be unpacked is skipped, and the others are imported', async () => {
  const { status, body } = await send(
    zipOf([
      { name: 'a.json', content: library('/unpacked/docs') },
      { name: 'b.json', content: library('/packed/docs'), method: 12 },
    ]),
  )
  expect([status, body.queued, body.skipped]).toEqual([
    202,
    ['/unpacked/docs'],
    [{ project: 'b.json', reason: expect.stringContaining('The file "b.json" cannot be unpacked') }],
  ])
  await idle()
})

test('a disk that becomes full makes the rest be skipped, and the response lists what was queued', async () => {
  const { app: real } = app
  let calls = 0
  const enqueueAll: typeof real.jobs.enqueueAll = (jobs) => {
    if (calls++ > 0) throw new AppError('disk_full', 'The disk of DATA_DIR is full.')
    return real.jobs.enqueueAll(jobs)
  }
  const files = ['/room/one', '/room/two'].map((id, n) => ({ name: `${n}.json`, content: library(id) }))
  const form = new FormData()
  form.append(...(file(zipOf(files)) as [string, Blob]))
  const { body, headers } = new Request('http://localhost', { method: 'POST', body: form })
  const type = headers.get('content-type') ?? ''
  const asked = { force: false, caller: { holder: undefined, sentKey: false } }
  const full = { ...real, jobs: { ...real.jobs, enqueueAll } }
  expect(await importZip(full, body as ReadableStream<Uint8Array<ArrayBuffer>>, type, asked)).toMatchObject({
    queued: ['/room/one'],
    skipped: [{ project: '1.json', reason: 'The disk of DATA_DIR is full.' }],
  })
  await idle()
})

test.each([
  ['bundleFile', 'more than one file "bundleFile"'],
  ['otherFile', 'a file under the unknown field "otherFile"'],
])('a second file in the form, as %s, is rejected, and nothing is queued', async (name, problem) => {
  const before = await jobs()
  const zips = ['/form/first', '/form/second'].map((id) => zipOf([{ name: 'a.json', content: library(id) }]))
  for (const names of [
    ['bundleFile', name],
    [name, 'bundleFile'],
  ]) {
    const parts = zips.map((zip, n): Field => [names[n] ?? '', new Blob([new Uint8Array(zip)])])
    expect(await post(parts)).toMatchObject({
      status: 400,
      body: { error: 'validation_error', message: expect.stringContaining(problem) },
    })
  }
  expect(await jobs()).toBe(before)
  expect(waiting()).toEqual([])
})

test('a damaged file of a forced zip without a manifest keeps the old versions, because it may contain one of them', async () => {
  const zip = (second: { content: string; method?: number }) =>
    zipOf([
      { name: 'r.json', content: library('/damaged/file') },
      { name: 'r_v1.json', ...second },
    ])
  await send(zip({ content: library('/damaged/file@v1') }))
  await idle()
  const { body } = await send(zip({ content: library('/damaged/file@v1'), method: 12 }), '?force=true')
  expect(body.queued).toEqual(['/damaged/file'])
  expect(body).not.toHaveProperty('removed')
  expect(body.message).toContain('Old versions are kept, because the id of "r_v1.json" cannot be read.')
  await idle()
  expect(await answer('/damaged/file@v1')).toContain('The lever turns.')
})

test.each([
  ['with', true],
  ['without', false],
])('a forced zip %s a manifest that is cut off leaves no old version next to new content', async (name, hasManifest) => {
  const id = `/breaks/${name}`
  const files = [bundled(id), bundled('/breaks/off', 'b.json')]
  const entries = files.map(({ file: each, text }) => ({ name: each, content: text }))
  await send(zipOf(['', '@v1'].map((version) => ({ name: `x${version}.json`, content: library(`${id}${version}`) }))))
  await idle()
  const form = new FormData()
  form.append(...(file(hasManifest ? await bundleZip(files) : zipOf(entries)) as [string, Blob]))
  form.append('force', 'true')
  const { body, headers } = new Request('http://localhost', { method: 'POST', body: form })
  const before = await jobs()
  let staged = 0
  const broken = {
    ...app.app,
    imports: {
      ...app.app.imports,
      claim() {
        if (staged++ === 2) throw new Error('the process ends')
        return app.app.imports.claim()
      },
    },
  }
  const asked = { force: false, caller: { holder: undefined, sentKey: false } }
  const type = headers.get('content-type') ?? ''
  const sent = importZip(broken, body as ReadableStream<Uint8Array<ArrayBuffer>>, type, asked)
  await expect(sent).rejects.toThrow('the process ends')
  await idle()
  expect(await jobs()).toBe(before + (hasManifest ? 1 : 0))
  const old = await answer(`${id}@v1`)
  expect(old).toContain(hasManifest ? 'tag_not_found' : 'The lever turns.')
})

test('the field force can be before or after the file in the form, or in the query', async () => {
  const zip = (content: string) => file(zipOf([{ name: 'a.json', content: library('/form/force', content) }]))
  await post([zip('The lever is old.')])
  await idle()
  expect((await post([zip('x')])).body.skipped).toEqual([{ project: '/form/force', reason: 'already exists' }])
  expect((await post([zip('x'), ['force', 'false']])).body.queued).toEqual([])
  expect((await post([['force', 'true'], zip('The lever is first.')])).body.queued).toEqual(['/form/force'])
  await idle()
  expect((await post([zip('The lever is second.'), ['force', 'true']])).body.queued).toEqual(['/form/force'])
  await idle()
  expect((await post([zip('The lever is third.')], '?force=true')).body.queued).toEqual(['/form/force'])
  await idle()
  expect(await answer('/form/force')).toContain('The lever is third.')
  const before = await jobs()
  for (const fields of [
    [zip('x'), ['force', 'yes']],
    [['force', ''], zip('x')],
    [zip('x'), ['force', 'true'], ['force', '1']],
  ] as Field[][]) {
    expect(await post(fields)).toMatchObject({ status: 400, body: { message: 'force must be true or false.' } })
  }
  expect(await jobs()).toBe(before)
  expect(waiting()).toEqual([])
})

describe('an upload', () => {
  const good = { name: 'good.json', content: library('/never/here') }
  const zip = () => zipOf([good])
  const cases: [what: string, zip: () => Buffer, status: number, message: string][] = [
    [
      'a file that is no zip',
      () => Buffer.from('# Not a zip\n'.repeat(100)),
      400,
      'The zip is rejected: it is not a zip, or it is truncated. Nothing of it is imported.',
    ],
    [
      'an empty file',
      () => Buffer.alloc(0),
      400,
      'The zip is rejected: it is not a zip, or it is truncated. Nothing of it is imported.',
    ],
    [
      'a zip that is cut off',
      () => zip().subarray(0, -10),
      400,
      'The zip is rejected: it is not a zip, or it is truncated. Nothing of it is imported.',
    ],
    [
      'a zip whose first half is missing',
      () => zip().subarray(100),
      400,
      'The zip is rejected: its directory is damaged. Nothing of it is imported.',
    ],
    [
      'a zip with an encrypted entry',
      () => zipOf([good, { name: 'b.json', content: 'x', flags: 1 }]),
      400,
      'The zip is rejected: it is encrypted. Nothing of it is imported.',
    ],
    [
      'a zip with a strongly encrypted entry',
      () => zipOf([{ ...good, flags: 0x41 }]),
      400,
      'The zip is rejected: it is encrypted. Nothing of it is imported.',
    ],
    ...['../out.json', 'a/../../out.json', '/etc/out.json', 'C:/out.json', '..\\out.json', 'a\\b.json'].map(
      (name): [string, () => Buffer, number, string] => [
        `a zip with an entry ${name}`,
        () => zipOf([good, { name, content: library('/slipped/docs') }]),
        400,
        'The zip is rejected: an entry has a path that leads out of the zip. Nothing of it is imported.',
      ],
    ),
    [
      'a zip with 10,001 entries',
      () => zipOf([good], 10_001),
      413,
      'The zip is rejected: it has 10001 entries; at most 10000 are accepted.',
    ],
    [
      'a zip with a million entries',
      () => crowdedZip(1_000_000),
      413,
      'The zip is rejected: it has 16960 entries; at most 10000 are accepted.',
    ],
    [
      'a zip whose entries share their bytes',
      () => zipOf([good, { ...good, name: 'again.json', at: 0 }]),
      400,
      'The zip is rejected: its entries overlap. Nothing of it is imported.',
    ],
    [
      'a zip with two files of one name',
      () => zipOf([good, good]),
      400,
      'The zip is rejected: it holds two files of one name. Nothing of it is imported.',
    ],
    [
      'a bomb of 10 MB that unpacks to 10 GB and says 4',
      () => zipOf([good, { name: 'b.json', packed: packedZeros(10_000), sizeBytes: 0xfffffffe }]),
      413,
      'The zip is rejected: it has more bytes when it is unpacked; at most 2000000000 are accepted.',
    ],
    [
      'a bomb that unpacks to 10 GB and says 1 MB',
      () => zipOf([{ name: 'b.json', packed: packedZeros(10_000), sizeBytes: 2 ** 20 }]),
      400,
      'The file "b.json" is not valid JSON in UTF-8.',
    ],
    [
      'a file that is longer than the zip says',
      () => zipOf([{ ...good, sizeBytes: 20 }]),
      400,
      'The file "good.json" cannot be unpacked: it is damaged, or its size differs from the one in the zip.',
    ],
    [
      'a file that is damaged',
      () => zipOf([{ ...good, packed: Buffer.from('not deflated at all') }]),
      400,
      'The file "good.json" cannot be unpacked: it is damaged, or its size differs from the one in the zip.',
    ],
    [
      'a file that is packed as bzip2',
      () => zipOf([{ ...good, method: 12 }]),
      400,
      'The file "good.json" cannot be unpacked: it is damaged, or not compressed with deflate.',
    ],
    [
      'a manifest that is packed as bzip2',
      () => zipOf([good, { name: 'manifest.json', content: '{}', method: 12 }]),
      400,
      'The file "manifest.json" cannot be unpacked: it is damaged, or not compressed with deflate.',
    ],
    [
      'a zip without a JSON file',
      () => zipOf([{ name: 'nested.zip', content: zip() }]),
      400,
      'The zip contains no library: it has no JSON files.',
    ],
    [
      'a zip whose manifest is none',
      () => zipOf([good, { name: 'manifest.json', content: '{}' }]),
      400,
      'manifest.json of the bundle is rejected: formatVersion is invalid.',
    ],
  ]
  test.each(cases)(
    'queues no job and leaves no data if it is %s',
    async (_, make, status, message) => {
      const before = await jobs()
      const { status: answered, body } = await send(make())
      expect([answered, body.message]).toEqual([status, message])
      expect(await jobs()).toBe(before)
      expect(waiting()).toEqual([])
      expect((await app.json('/api/health')).status).toBe(200)
    },
    120_000,
  )

  test('queues no job and leaves no data if it is a form without the file, with another name for it, or of another type', async () => {
    const missing = 'The form has no file "bundleFile". Send the zip under that name.'
    expect(await post([['force', 'true']])).toMatchObject({ status: 400, body: { message: missing } })
    expect(await post([['file', new Blob([new Uint8Array(zip())])]])).toMatchObject({ status: 400, body: { message: missing } })
    const broken = 'The form cannot be read: it is malformed or incomplete. Nothing was imported.'
    const raw = (body: string, type: string) =>
      app.json('/api/import-libraries', { method: 'POST', key: app.keys.member, body, headers: { 'content-type': type } })
    expect(await raw('x', 'multipart/form-data')).toMatchObject({ status: 400, body: { message: broken } })
    const half = '--b\r\ncontent-disposition: form-data; name="bundleFile"; filename="a.zip"\r\n\r\nPK'
    expect(await raw(half, 'multipart/form-data; boundary=b')).toMatchObject({ status: 400, body: { message: broken } })
    expect(waiting()).toEqual([])
  })
})

describe('a file above 100 MB', () => {
  const [start, end] = ['--b\r\ncontent-disposition: form-data; name="bundleFile"; filename="a.zip"\r\n\r\n', '\r\n--b--\r\n']
  const headers = { 'content-type': 'multipart/form-data; boundary=b' }
  const megabyte = Buffer.alloc(2 ** 20)
  function* parts(megabytes: number, more: number) {
    yield Buffer.from(start)
    for (let n = 0; n < megabytes; n++) yield megabyte
    yield Buffer.alloc(more)
    yield Buffer.from(end)
  }
  const refused = {
    error: 'payload_too_large',
    message: expect.stringMatching(/100 ?MB|104857600|105906176/),
    limitBytes: expect.any(Number),
  }

  test.each([
    ['when its length is sent', 101, 0],
    ['when it is only a byte too long', 100, 1],
  ])(
    'gets a 413 that its sender can read %s',
    async (_, megabytes, more) => {
      const response = await app.ask('/api/import-libraries', {
        method: 'POST',
        key: app.keys.member,
        headers,
        body: Buffer.concat([...parts(megabytes, more)]),
      })
      expect([response.status, await response.json()]).toMatchObject([413, refused])
      expect(waiting()).toEqual([])
    },
    60_000,
  )

  test('gets a 413 that its sender can read if it comes in chunks', async () => {
    const body = Readable.toWeb(Readable.from(parts(130, 0))) as never
    const init = { method: 'POST', key: app.keys.member, headers, body, duplex: 'half' } as RequestInit & { key: string }
    const response = await app.ask('/api/import-libraries', init)
    expect([response.status, await response.json()]).toMatchObject([413, refused])
    expect(waiting()).toEqual([])
  })
})

test('a form with an unknown field is rejected with the similar field, and imports nothing', async () => {
  const before = await jobs()
  const answer = await post([file(await bundleZip([bundled('/acme/strict')])), ['forced', 'true']])
  expect(answer).toMatchObject({
    status: 400,
    body: {
      message: 'forced is not a known field. Did you mean force? Nothing was imported.',
      fields: [{ path: 'forced', message: 'is not a known field. Did you mean force?' }],
    },
  })
  expect(await jobs()).toBe(before)
})

test('an id with a control or format character is skipped', async () => {
  const before = await jobs()
  for (const libraryId of ['/bars/\u0000x', '/bars/x\u202e', '/ba\u200brs/x', '/bars/x@v\u001b1']) {
    const { status, body } = await send(await bundleZip([bundled(libraryId)]))
    expect([status, JSON.stringify(body)]).toEqual([202, expect.stringContaining('control or invisible character')])
  }
  expect(await jobs()).toBe(before)
})
