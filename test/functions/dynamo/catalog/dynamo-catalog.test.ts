import { ConditionalCheckFailedException } from '@aws-sdk/client-dynamodb'
import { expect, test } from 'vitest'
import { dynamoCatalog } from '../../../../functions/dynamo/catalog/dynamo-catalog.ts'
import { dynamoJobs } from '../../../../functions/dynamo/jobs/dynamo-jobs.ts'
import type { Table } from '../../../../functions/dynamo/table.ts'
import type { NewVersion } from '../../../../shared/indexing/indexing-catalog.ts'
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
  rules: [],
  format: 1,
})
const publishing = (catalog: ReturnType<typeof dynamoCatalog>, generation: string) =>
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
  const record = faultyTable(table, (_, command) => (command === 'Put' && ++puts === 2 ? lost : undefined))
  await publishing(dynamoCatalog({ table: record, now }), 'new')
  expect((await catalog.record(id))?.versions.get('')?.generation).toBe('new')
  expect(await catalog.unowned([], now())).toEqual(['old'])
})

test('a crash between retiring and switching keeps the old content and serves it', async () => {
  const table = await testDynamo()
  const catalog = dynamoCatalog({ table, now })
  await catalog.add({ ...library, id })
  await catalog.begin(id, 'worker')
  await publishing(catalog, 'old')
  let puts = 0
  const crash = { error: new Error('killed'), takesEffect: false }
  const dying = faultyTable(table, (_, command) => (command === 'Put' && ++puts === 2 ? crash : undefined))
  await expect(publishing(dynamoCatalog({ table: dying, now }), 'new')).rejects.toThrow('killed')
  expect((await catalog.record(id))?.versions.get('')?.generation).toBe('old')
  expect(await catalog.unowned([], now())).toEqual([])
  await publishing(catalog, 'new')
  expect(await catalog.unowned([], now())).toEqual(['old'])
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
  expect(watched.commands).toEqual(['Put', 'Update', 'Get', 'Get'])
})
