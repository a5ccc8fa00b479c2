import { randomBytes } from 'node:crypto'
import { ConditionalCheckFailedException } from '@aws-sdk/client-dynamodb'
import { expect, test } from 'vitest'
import { itemFormat } from '../../../../functions/catalog/item-format.ts'
import { catalogKey } from '../../../../functions/dynamo/catalog/catalog-item.ts'
import { dynamoCatalog } from '../../../../functions/dynamo/catalog/dynamo-catalog.ts'
import { dynamoJobs } from '../../../../functions/dynamo/jobs/dynamo-jobs.ts'
import { allItems, type Table } from '../../../../functions/dynamo/table.ts'
import { update } from '../../../../functions/dynamo/update.ts'
import type { JobReport } from '../../../../shared/indexing/index-job.ts'
import type { NewVersion } from '../../../../shared/indexing/indexing-catalog.ts'
import { countDynamo, unitsOf } from '../../../bench/hosted/count-dynamo.ts'
import { testDynamo } from '../../../fixtures/dynamo.ts'
import { type Fate, faultyTable, isWrite } from '../faulty-table.ts'

const now = () => new Date('2026-11-21T12:00:00.000Z')
const id = { owner: 'acme', repo: 'docs' }
const library = { id: '/acme/docs', sourceUrl: 'https://github.com/acme/docs', private: false }
const request = { repoUrl: 'https://github.com/acme/docs', force: false, anonymous: true }

/** The error of the client's second try if the first one succeeded and its response was lost. */
const lost = { error: new ConditionalCheckFailedException({ message: 'lost', $metadata: {} }), takesEffect: true }
/** The first attempt of each write loses to another one. */
const losingEachOther = (table: Table) => {
  let writes = 0
  return faultyTable(table, (_, command): Fate => (isWrite(command) && writes++ % 2 === 0 ? lost : undefined))
}

const version = (generation: string): NewVersion => ({
  version: '',
  ref: 'main',
  generation,
  commit: 'c',
  tokens: 1,
  snippets: 1,
  codeSnippets: 0,
  rules: ['Turn it.'],
  format: 1,
})
const emptyJobReport: JobReport = {
  filesRead: 0,
  skipped: [],
  snippetsBefore: 0,
  snippetsAfter: 0,
  tokens: 0,
  durationMs: 0,
  textsEmbedded: 0,
  llmTokens: 0,
}
const publishing = async (catalog: ReturnType<typeof dynamoCatalog>, generation: string) =>
  catalog
    .parsing(id, { worker: 'worker', bundleBytes: () => 1 })
    .publish({ ...library, title: 'Docs', description: '', branch: 'main', aliases: [], settings: {} }, [version(generation)])

test('a publish whose response is lost takes effect once, and the replaced content is retired', async () => {
  const table = await testDynamo()
  const catalog = dynamoCatalog({ table, now })
  await catalog.add({ ...library, id })
  await catalog.begin(id, 'worker')
  await publishing(catalog, 'old')
  let puts = 0
  const record = faultyTable(table, (_, command) => (command === 'Put' && ++puts === 3 ? lost : undefined))
  await publishing(dynamoCatalog({ table: record, now }), 'new')
  expect((await catalog.record(id))?.versions.get('')?.generation).toBe('new')
  expect(await catalog.unowned([], now())).toEqual(['old'])
})

test('a worker that is killed between any two writes leaves a library whole, and the next one leaves nothing behind', async () => {
  const table = await testDynamo()
  const catalog = dynamoCatalog({ table, now })
  await catalog.add({ ...library, id })
  await catalog.begin(id, 'worker')
  await publishing(catalog, 'g0')
  let kills = 0
  for (let isKilled = true; isKilled; ) {
    const before = (await catalog.record(id))?.versions.get('')?.generation
    let writes = 0
    const killed = { error: new Error('killed'), takesEffect: false }
    const dying = faultyTable(table, (_, command) => (!/Get|Query/.test(command) && ++writes > kills ? killed : undefined))
    const next = `g${kills + 1}`
    isKilled = await publishing(dynamoCatalog({ table: dying, now }), next).then(
      () => false,
      () => true,
    )
    if (isKilled) kills += 1
    const after = await catalog.whole(id)
    expect([before, next]).toContain(after?.versions.get('')?.generation)
    expect(after?.versions.get('')?.rules).toEqual(['Turn it.'])
    expect((await catalog.unowned([], now())).includes(after?.versions.get('')?.generation ?? '')).toBe(false)
  }
  expect(kills).toBeGreaterThan(3)
  const later = () => new Date(now().getTime() + 3_600_000)
  await dynamoCatalog({ table, now: later }).end(id, 'worker', {})
  const left = await allItems(table, 'DETAILS#/acme/docs')
  expect(left.map(({ sk }) => String(sk).split('#')[0]).sort()).toEqual(['RULES', 'VERSIONS'])
  await catalog.remove(id)
  expect(await allItems(table, 'DETAILS#/acme/docs')).toEqual([])
})

test('a removal that is killed leaves details, which the sweep deletes', async () => {
  const table = await testDynamo()
  const catalog = dynamoCatalog({ table, now })
  await catalog.add({ ...library, id })
  await catalog.begin(id, 'worker')
  await publishing(catalog, 'g0')
  let deletes = 0
  const killed = { error: new Error('killed'), takesEffect: false }
  const dying = faultyTable(table, (_, command) => (command === 'Delete' && ++deletes === 2 ? killed : undefined))
  await expect(dynamoCatalog({ table: dying, now }).remove(id)).rejects.toThrow('killed')
  expect((await allItems(table, 'DETAILS#/acme/docs')).length).toBeGreaterThan(0)
  expect(await catalog.unowned([], now())).toEqual(['g0'])
  expect(await allItems(table, 'DETAILS#/acme/docs')).toEqual([])
})

test.each([
  [100, 4_096],
  [999, 28_672],
])('an item of %i versions with rules and 1,000 skipped files is read with at most %i bytes', async (versions, bytes) => {
  const table = await testDynamo()
  const catalog = dynamoCatalog({ table, now })
  await catalog.add({ ...library, id })
  await catalog.begin(id, 'worker')
  const random = (chars: number) => randomBytes(chars).toString('hex').slice(0, chars)
  const many = Array.from({ length: versions }, (_, n) => ({
    ...version(`g0123456789abcdef-${random(12)}`),
    version: n === 0 ? '' : `v${Math.floor(n / 10)}.${n % 10}.0`,
    ref: n === 0 ? 'main' : `v${Math.floor(n / 10)}.${n % 10}.0`,
    commit: random(40),
    commitDate: new Date(1.7e12 + n * 7.7e9).toISOString(),
    tokens: 10_000 + n * 77,
    rules: ['Use the lever.', `Not the crank of ${n % 5}.`],
  }))
  const settings = { versions: many.slice(1).map(({ ref }) => ref) }
  await catalog
    .parsing(id, { worker: 'worker', bundleBytes: () => 123_456 })
    .publish({ ...library, title: 'Docs', description: 'x '.repeat(100), branch: 'main', aliases: [], settings }, many)
  const skipped = Array.from({ length: 1_000 }, (_, n) => ({ path: `docs/${random(20)}/${n}.md`, reason: 'it is too large' }))
  const report = { ...emptyJobReport, skipped }
  expect(await catalog.end(id, 'worker', { report })).toBe(true)
  const [record] = await Promise.all([catalog.record(id)])
  const calls = await countDynamo(() => catalog.record(id))
  expect(calls.map(({ command }) => command)).toEqual(['Get'])
  expect(unitsOf(calls)).toBeLessThanOrEqual(bytes / 4_096)
  expect(record?.versions.size).toBe(versions)
  const whole = await catalog.whole(id)
  expect([whole?.report?.skipped.length, whole?.versions.get('')?.rules]).toEqual([1_000, many[0]?.rules])
})

test('an item of a newer deployment is reported as one, also to a worker', async () => {
  const table = await testDynamo()
  const catalog = dynamoCatalog({ table, now })
  await catalog.add({ ...library, id })
  await update(table, catalogKey('/acme/docs'), { set: new Map([['format', itemFormat + 1]]), conditions: [] })
  for (const asked of [catalog.record(id), catalog.whole(id), catalog.begin(id, 'worker')])
    await expect(asked).rejects.toMatchObject({
      code: 'temporarily_unavailable',
      message: expect.stringContaining('being updated'),
    })
})

test('a library is added, and a job queued and claimed, only once even if responses are lost', async () => {
  const table = await testDynamo()
  const faulty = losingEachOther(table)
  expect((await dynamoCatalog({ table: faulty, now }).add({ ...library, id })).library.id).toBe('/acme/docs')
  const jobs = dynamoJobs({ table: losingEachOther(table), now })
  const { id: job } = await jobs.enqueue({ key: '/acme/docs', project: '/acme/docs', request })
  const claiming = dynamoJobs({ table: losingEachOther(table), now })
  expect(await claiming.claim('/acme/docs', 'worker')).toMatchObject({ id: job, owner: 'worker', attempts: 1, interruptions: 0 })
})

test('a library is read by its key and changed by conditional writes, and no request reads more than its item', async () => {
  const table = await testDynamo()
  const watched = faultyTable(table, () => undefined)
  const catalog = dynamoCatalog({ table: watched, now })
  await catalog.add({ ...library, id })
  await catalog.record(id)
  await catalog.exportable(id)
  expect(watched.commands).toEqual(['Update', 'Put', 'Get', 'Get'])
})
