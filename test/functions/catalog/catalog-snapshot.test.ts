import { readdir, truncate, unlink, writeFile } from 'node:fs/promises'
import { join } from 'node:path'
import { Readable } from 'node:stream'
import { gzipSync } from 'node:zlib'
import { expect, test } from 'vitest'
import { catalogSnapshot, maxOldMs, publishSnapshot, repairSnapshot } from '../../../functions/catalog/catalog-snapshot.ts'
import { dynamoCatalog } from '../../../functions/dynamo/catalog/dynamo-catalog.ts'
import { allItems } from '../../../functions/dynamo/table.ts'
import { folderObjects } from '../../../functions/objects/folder-objects.ts'
import type { ObjectStore } from '../../../functions/objects/object-store.ts'
import { s3Objects } from '../../../functions/objects/s3-objects.ts'
import { parseLibraryId } from '../../../shared/library.ts'
import { searchLibraries } from '../../../shared/search/libraries/search-libraries.ts'
import { countDynamo, unitsOf } from '../../bench/hosted/count-dynamo.ts'
import { testDynamo } from '../../fixtures/dynamo.ts'
import { testS3 } from '../../fixtures/s3.ts'
import { tempDir } from '../../fixtures/temp-dir.ts'
import { until } from '../../fixtures/until.ts'
import { faultyTable } from '../dynamo/faulty-table.ts'

/** A catalog and its snapshots; the clock is set by hand. */
async function testCatalog(objects?: ObjectStore) {
  const table = await testDynamo()
  const folder = tempDir()
  const clock = { ms: Date.parse('2026-11-21T12:00:00.000Z') }
  const now = () => new Date(clock.ms)
  const catalog = dynamoCatalog({ table, now })
  const store = objects ?? folderObjects(folder, async () => '')
  const troubles: string[] = []
  const note = (_: unknown, message: string) => void troubles.push(message)
  const log = { info: note, warn: note, error: note }
  return {
    catalog,
    clock,
    now,
    table,
    folder,
    store,
    troubles,
    publish: (more?: { force: boolean }) => publishSnapshot({ catalog, objects: store, now }, more),
    reader: (given: Partial<Parameters<typeof catalogSnapshot>[0]> = {}) =>
      catalogSnapshot({ catalog, objects: store, refreshMs: 5_000, now, log, ...given }),
    /** A library with content. */
    async add(repo: string, description = 'Words', more: { private?: boolean; teamspace?: string } = {}) {
      const [id, sourceUrl] = [`/acme/${repo}`, `https://github.com/acme/${repo}`]
      const key = parseLibraryId(id)
      await catalog.add({ id: key, sourceUrl, private: false, ...more })
      await catalog.begin(key, 'worker')
      const counts = { tokens: 1, snippets: 1, codeSnippets: 0 }
      const version = { version: '', ref: 'main', generation: `g-${repo}`, commit: 'c', ...counts, rules: [], format: 1 }
      const facts = { id, title: repo, description, branch: 'main', sourceUrl, private: false, aliases: [], settings: {} }
      await catalog.parsing(key, { worker: 'worker', bundleBytes: () => 1 }).publish(facts, [version])
      await catalog.end(key, 'worker', {})
    },
  }
}

const ids = async (reader: ReturnType<typeof catalogSnapshot>) => (await reader.listed()).libraries.map(({ id }) => id).sort()

test('the list is empty before the first publish, and the first caller does not wait', async () => {
  const { reader } = await testCatalog()
  expect(await reader().listed()).toMatchObject({ libraries: [], revision: 1 })
})

test('libraries with content are listed and found by name, and libraries without content are in a separate list', async () => {
  const { add, catalog, publish, reader } = await testCatalog()
  await add('lever', 'Turns – größer\n𝒗')
  await add('hidden', 'Words', { private: true, teamspace: 'Acme' })
  await catalog.add({ id: { owner: 'acme', repo: 'waiting' }, sourceUrl: 'https://github.com/acme/waiting', private: false })
  await publish()
  const names = reader()
  const { libraries, unserved } = await names.listed()
  expect(libraries).toHaveLength(2)
  expect(unserved.map(({ id }) => id)).toEqual(['/acme/waiting'])
  const { sourceUrl: _, ...known } = (await catalog.record({ owner: 'acme', repo: 'lever' }))?.library ?? {}
  expect(libraries.find(({ id }) => id === '/acme/lever')).toEqual(known)
  expect(libraries.find(({ id }) => id === '/acme/hidden')).toMatchObject({ private: true, privateTo: 'Acme' })
  const { results } = await searchLibraries({ catalog: names }, { libraryName: 'lever' })
  expect(results.map(({ id }) => id)).toEqual(['/acme/lever'])
})

test('adding a library changes the list', async () => {
  const { catalog, publish, reader } = await testCatalog()
  await catalog.add({ id: { owner: 'acme', repo: 'waiting' }, sourceUrl: 'https://github.com/acme/waiting', private: false })
  await publish()
  expect(await reader().listed()).toMatchObject({ libraries: [], unserved: [{ id: '/acme/waiting' }] })
})

test('a list is used for a while, then refreshed while the old one is still served, and its revision changes', async () => {
  const { add, clock, publish, reader } = await testCatalog()
  await add('first')
  await publish()
  const names = reader()
  const before = await names.listed()
  await add('second')
  await publish()
  clock.ms += 4_999
  expect(await names.listed()).toBe(before)
  clock.ms += 1
  expect(await names.listed()).toBe(before)
  await until(async () => (await ids(names)).length === 2)
  expect((await names.listed()).revision).not.toBe(before.revision)
})

test('a caller after a minute without requests gets the newest list', async () => {
  const { add, clock, publish, reader } = await testCatalog()
  const names = reader()
  expect(await ids(names)).toEqual([])
  await add('late')
  await publish()
  clock.ms += 60_000
  expect(await ids(names)).toEqual(['/acme/late'])
})

test('nothing is written or read if nothing has changed', async () => {
  const { add, clock, folder, publish, reader, store } = await testCatalog()
  await add('only')
  await publish()
  await publish()
  await publish({ force: true })
  expect(await readdir(join(folder, 'catalog'))).toHaveLength(1)
  let reads = 0
  const get: ObjectStore['get'] = (key) => {
    reads += 1
    return store.get(key)
  }
  const names = reader({ objects: { get }, refreshMs: 0 })
  const first = await names.listed()
  for (let n = 0; n < 5; n++) {
    clock.ms += 60_000
    expect(await names.listed()).toBe(first)
  }
  expect(reads).toBe(1)
})

test('a failed refresh keeps the old list and is logged once', async () => {
  const { add, clock, publish, reader, store, troubles } = await testCatalog()
  await add('kept')
  await publish()
  let isDown = false
  let refused = 0
  const get: ObjectStore['get'] = async (key) => {
    if (!isDown) return store.get(key)
    refused += 1
    throw new Error('S3 is down')
  }
  const names = reader({ objects: { get }, refreshMs: 0 })
  await names.listed()
  await add('new')
  await publish()
  isDown = true
  for (let n = 0; n < 3; n++) {
    clock.ms += 70_000
    expect(await ids(names)).toEqual(['/acme/kept'])
    await until(() => refused > n)
  }
  expect(troubles).toEqual(['the snapshot of the catalog cannot be read; the list in memory is kept'])
  isDown = false
  await until(async () => (await ids(names)).length === 2)
})

test('a failed first read is an error for its caller, and the next call tries again', async () => {
  const { add, publish, reader, store } = await testCatalog()
  await add('late')
  await publish()
  let isDown = true
  const get: ObjectStore['get'] = (key) => (isDown ? Promise.reject(new Error('S3 is down')) : store.get(key))
  const names = reader({ objects: { get } })
  await expect(names.listed()).rejects.toMatchObject({ code: 'search_failed', cause: new Error('S3 is down') })
  isDown = false
  expect(await ids(names)).toEqual(['/acme/late'])
})

test('a list that cannot be refreshed is served for an hour since it was the newest, then callers get an error, until S3 is back', async () => {
  const { add, clock, publish, reader, store } = await testCatalog()
  await add('kept')
  await publish()
  let isDown = false
  const get: ObjectStore['get'] = (key) => (isDown ? Promise.reject(new Error('S3 is down')) : store.get(key))
  const names = reader({ objects: { get }, refreshMs: 0 })
  await names.listed()
  await add('new')
  await publish()
  isDown = true
  clock.ms += maxOldMs
  expect(await ids(names)).toEqual(['/acme/kept'])
  clock.ms += 1
  for (let n = 0; n < 2; n++)
    await expect(names.listed()).rejects.toMatchObject({ code: 'search_failed', cause: new Error('S3 is down') })
  isDown = false
  expect(await ids(names)).toEqual(['/acme/kept', '/acme/new'])
})

const losses: [string, (file: string) => Promise<void>][] = [
  ['gone', unlink],
  ['empty', (file) => truncate(file, 0)],
  ['cut off', (file) => truncate(file, 30)],
  ['something else', (file) => writeFile(file, 'not packed')],
]

/** Does it to the only object there is. */
async function lose(folder: string, loss: (file: string) => Promise<void>) {
  const [object = ''] = await readdir(join(folder, 'catalog'))
  await loss(join(folder, 'catalog', object))
}

test.each(losses)(
  'a snapshot that is %s causes 503 with a sentence, and is rewritten although nothing has changed',
  async (_, loss) => {
    const { add, catalog, folder, now, publish, reader, store } = await testCatalog()
    await add('kept')
    await publish()
    await lose(folder, loss)
    const names = reader({ repair: () => repairSnapshot({ catalog, objects: store, now }) })
    const message = expect.stringMatching(/lost and is being rewritten.*Try again in a few minutes/)
    await expect(names.listed()).rejects.toMatchObject({ code: 'search_failed', message })
    await until(async () => (await ids(names).catch(() => [])).length === 1)
    expect(await ids(reader())).toEqual(['/acme/kept'])
  },
)

test.each(losses)('a snapshot that is %s is rewritten by the schedule, which leaves any other unchanged', async (_, loss) => {
  const { add, catalog, folder, now, publish, reader, store } = await testCatalog()
  await add('kept')
  await publish()
  const before = await catalog.snapshots.current()
  await repairSnapshot({ catalog, objects: store, now })
  expect(await catalog.snapshots.current()).toBe(before)
  await lose(folder, loss)
  await repairSnapshot({ catalog, objects: store, now })
  expect(await ids(reader())).toEqual(['/acme/kept'])
})

test('a snapshot is not treated as lost, or rewritten, if the store is unavailable', async () => {
  const { add, catalog, now, publish, reader, store } = await testCatalog()
  await add('kept')
  await publish()
  const before = await catalog.snapshots.current()
  const objects = { ...store, get: () => Promise.reject(new Error('S3 is down')) }
  let repaired = 0
  await expect(repairSnapshot({ catalog, objects, now })).rejects.toThrow('S3 is down')
  await expect(reader({ objects, repair: async () => void repaired++ }).listed()).rejects.toThrow('cannot be read')
  expect([await catalog.snapshots.current(), repaired]).toEqual([before, 0])
})

test('a snapshot in a newer format is neither read nor rewritten, and the list in memory is kept', async () => {
  const { add, catalog, clock, folder, now, publish, reader, store, troubles } = await testCatalog()
  await add('kept')
  await publish()
  const names = reader({ repair: () => repairSnapshot({ catalog, objects: store, now }) })
  expect(await ids(names)).toEqual(['/acme/kept'])
  const lines = gzipSync('{"format":2}\nwhat only a newer version reads\n')
  await add('later')
  await publish()
  for (const object of await readdir(join(folder, 'catalog'))) await writeFile(join(folder, 'catalog', object), lines)
  const before = await catalog.snapshots.current()
  clock.ms += 3_600_000
  expect(await ids(names)).toEqual(['/acme/kept'])
  expect(troubles).toEqual(['the snapshot of the catalog cannot be read; the list in memory is kept'])
  await expect(reader().listed()).rejects.toThrow('cannot be read')
  await expect(repairSnapshot({ catalog, objects: store, now })).rejects.toThrow('written by a newer version of Carrel')
  await add('last')
  await expect(publish()).rejects.toThrow('written by a newer version of Carrel')
  expect(await catalog.snapshots.current()).toBe(before)
})

test('a truncated object is not accepted as the catalog', async () => {
  const { add, publish, reader, store } = await testCatalog()
  await add('whole')
  await publish()
  const get: ObjectStore['get'] = async (key) => {
    const found = await store.get(key)
    if (typeof found !== 'object') return found
    const bytes = Buffer.concat(await found.body.toArray())
    return { ...found, body: Readable.from([bytes.subarray(0, -9)]) }
  }
  await expect(reader({ objects: { get } }).listed()).rejects.toThrow()
})

test('a slow publisher never replaces a newer snapshot', async () => {
  const { add, catalog, now, publish, reader, store } = await testCatalog()
  await add('old')
  const [isPutting, goOn] = [Promise.withResolvers<void>(), Promise.withResolvers<void>()]
  let puts = 0
  const put: ObjectStore['put'] = async (...object) => {
    puts += 1
    if (puts > 1) throw new Error('killed after its first object')
    const written = await store.put(...object)
    isPutting.resolve()
    await goOn.promise
    return written
  }
  const slow = publishSnapshot({ catalog, objects: { ...store, put }, now })
  await isPutting.promise
  await add('new')
  await publish({ force: true })
  const seen = await ids(reader())
  goOn.resolve()
  await slow
  expect([seen, await ids(reader())]).toEqual([
    ['/acme/new', '/acme/old'],
    ['/acme/new', '/acme/old'],
  ])
})

test('a change during a publish is published by the same publisher', async () => {
  const { add, catalog, now, publish, reader, store } = await testCatalog()
  await add('old')
  let isFirst = true
  const put: ObjectStore['put'] = async (...object) => {
    const written = await store.put(...object)
    if (isFirst) {
      isFirst = false
      await add('meanwhile')
      await publish()
    }
    return written
  }
  await publishSnapshot({ catalog, objects: { ...store, put }, now })
  expect(await ids(reader())).toEqual(['/acme/meanwhile', '/acme/old'])
})

test('a stopped publisher finishes the list that it is writing, and leaves later changes to the next one', async () => {
  const { add, catalog, now, publish, reader, store } = await testCatalog()
  await add('old')
  const stopping = new AbortController()
  const put: ObjectStore['put'] = async (...object) => {
    const written = await store.put(...object)
    await add('meanwhile')
    stopping.abort()
    return written
  }
  await publishSnapshot({ catalog, objects: { ...store, put }, now }, { signal: stopping.signal })
  expect(await ids(reader())).toEqual(['/acme/old'])
  await publish({ force: true })
  expect(await ids(reader())).toEqual(['/acme/meanwhile', '/acme/old'])
})

test('a dead publisher is replaced after two minutes, or immediately with force', async () => {
  const { add, catalog, clock, now, publish, reader, store } = await testCatalog()
  await add('one')
  const put = () => Promise.reject(new Error('killed'))
  await expect(publishSnapshot({ catalog, objects: { ...store, put }, now })).rejects.toThrow('killed')
  await publish()
  expect(await ids(reader())).toEqual([])
  clock.ms += 120_001
  await publish()
  expect(await ids(reader())).toEqual(['/acme/one'])
  await add('two')
  await expect(publishSnapshot({ catalog, objects: { ...store, put }, now })).rejects.toThrow('killed')
  await publish({ force: true })
  expect(await ids(reader())).toEqual(['/acme/one', '/acme/two'])
})

test('the snapshot is complete after many concurrent changes and publishers, and old objects are deleted', async () => {
  const { add, clock, folder, publish, reader } = await testCatalog()
  const repos = Array.from({ length: 10 }, (_, n) => `r${n}`)
  await Promise.all(
    repos.map(async (repo) => {
      await add(repo)
      await publish()
    }),
  )
  expect(await ids(reader())).toEqual(repos.map((repo) => `/acme/${repo}`))
  clock.ms += 600_001
  await add('last')
  await publish()
  expect(await readdir(join(folder, 'catalog'))).toHaveLength(1)
})

test('snapshots work on S3, too', async () => {
  const { s3, bucket } = await testS3()
  const { add, publish, reader } = await testCatalog(s3Objects(s3, bucket))
  for (let n = 0; n < 3; n++) await add(`r${n}`, 'x'.repeat(1000))
  await publish()
  expect(await ids(reader())).toEqual(['/acme/r0', '/acme/r1', '/acme/r2'])
})

test('a publish reads the changed libraries and the last snapshot, not the catalog', async () => {
  const { add, publish, table } = await testCatalog()
  for (let n = 0; n < 40; n++) await add(`r${n}`)
  await publish()
  await add('one')
  const calls = await countDynamo(() => publish())
  expect(calls.filter(({ command, pk }) => command === 'Query' && pk.startsWith('CATALOG'))).toEqual([])
  expect(calls.filter(({ command, pk }) => command === 'Get' && pk.startsWith('CATALOG'))).toHaveLength(1)
  const reads = calls.filter(({ isWrite }) => !isWrite)
  expect(unitsOf(reads)).toBeLessThan(8)
  expect((await allItems(table, 'SNAPSHOT')).filter(({ sk }) => String(sk).startsWith('CHANGE#'))).toEqual([])
})

test('the next snapshot waits until enough time has passed since the last one, and has all changes until then', async () => {
  const { add, catalog, clock, now, reader, store } = await testCatalog()
  let puts = 0
  const put: ObjectStore['put'] = (...object) => {
    puts += 1
    return store.put(...object)
  }
  const publishing = () => publishSnapshot({ catalog, objects: { ...store, put }, now }, { everyMs: 300 })
  await add('first')
  await publishing()
  const repos = Array.from({ length: 5 }, (_, n) => `r${n}`)
  await Promise.all(
    repos.map(async (repo) => {
      await add(repo)
      await publishing()
    }),
  )
  expect(puts).toBeLessThan(5)
  clock.ms += 120_001
  await publishing()
  expect(await ids(reader())).toEqual(['/acme/first', ...repos.map((repo) => `/acme/${repo}`)])
})

test('a change whose writer or publisher is killed between any two writes reaches the snapshot', async () => {
  const { add, catalog, clock, now, publish, reader, store, table } = await testCatalog()
  await add('kept')
  await publish()
  const killed = { error: new Error('killed'), takesEffect: false }
  let kills = 0
  for (let isKilled = true; isKilled; kills++) {
    let writes = 0
    const dying = faultyTable(table, (_, command) => (!/Get|Query/.test(command) && ++writes > kills ? killed : undefined))
    const dyingCatalog = dynamoCatalog({ table: dying, now })
    const work = async () => {
      await dyingCatalog.own({ owner: 'acme', repo: 'kept' }, `team ${kills}`)
      await publishSnapshot({ catalog: dyingCatalog, objects: store, now })
    }
    isKilled = await work().then(
      () => false,
      () => true,
    )
    clock.ms += 120_001
    await publish()
    const record = await catalog.record({ owner: 'acme', repo: 'kept' })
    expect((await reader().listed()).libraries.map(({ teamspace }) => teamspace)).toEqual([record?.teamspace])
    await publish()
  }
  expect(kills).toBeGreaterThan(5)
})

test('a library that is removed and added again at any moment of a publish is in the next snapshot', async () => {
  const { add, catalog, clock, now, publish, reader, store } = await testCatalog()
  for (let n = 0; n < 3; n++) await add('back', `Words ${n}`)
  await publish()
  await catalog.remove({ owner: 'acme', repo: 'back' })
  const put: ObjectStore['put'] = async (...object) => {
    const written = await store.put(...object)
    if ((await catalog.record({ owner: 'acme', repo: 'back' })) === undefined) await add('back', 'Again')
    return written
  }
  await publishSnapshot({ catalog, objects: { ...store, put }, now })
  clock.ms += 120_001
  await publish()
  expect((await reader().listed()).libraries).toMatchObject([{ id: '/acme/back', description: 'Again' }])
})

test('once a day the schedule writes the snapshot from the whole catalog', async () => {
  const { add, catalog, clock, folder, now, publish, reader, store, table } = await testCatalog()
  await add('kept')
  await publish()
  // A change that nobody noted.
  const [note] = (await allItems(table, 'SNAPSHOT')).filter(({ sk }) => String(sk).startsWith('CHANGE#'))
  expect(note).toBeUndefined()
  await dynamoCatalog({ table, now }).own({ owner: 'acme', repo: 'kept' }, 'team')
  await catalog.snapshots.settle(await catalog.snapshots.changes())
  await repairSnapshot({ catalog, objects: store, now })
  expect((await reader().listed()).libraries[0]?.teamspace).toBeUndefined()
  clock.ms += 24 * 3_600_000 + 1
  await repairSnapshot({ catalog, objects: store, now })
  expect((await reader().listed()).libraries[0]?.teamspace).toBe('team')
  expect((await readdir(join(folder, 'catalog'))).length).toBeLessThanOrEqual(2)
})
