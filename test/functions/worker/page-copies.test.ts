import { afterAll, beforeAll, expect, test } from 'vitest'
import { dynamoSalts } from '../../../functions/dynamo/counters/dynamo-salts.ts'
import { schedule } from '../../../functions/jobs/schedule.ts'
import { workLibrary } from '../../../functions/worker/work-library.ts'
import { type TestWorker, testWorker } from '../../fixtures/hosted-worker.ts'
import { type StaticSite, startStaticSite } from '../../fixtures/static-site.ts'

let worker: TestWorker
let site: StaticSite
const html = (title: string, words: string) => ({
  body: `<html lang="en"><title>${title}</title><main><h1>${title}</h1><p>${words}</p><a href="/docs/second">Second</a></main></html>`,
  headers: { 'content-type': 'text/html', etag: `"${words.length}-${words.slice(0, 9)}"` },
})

beforeAll(async () => {
  worker = await testWorker()
  site = await startStaticSite()
  site.pages.set('/docs/', html('First', 'The lever turns to the left, and the water runs.'))
  site.pages.set('/docs/second', html('Second', 'The valve closes after a minute, and the water stops.'))
})
afterAll(async () => {
  await site.close()
  await worker.close()
})

const read = async (more: Partial<TestWorker['ports']> = {}) => {
  const source = { kind: 'website' as const, url: `${site.url}/docs/`, maxPages: 10, maxDepth: 2, excludePatterns: [] }
  const key = await worker.queue('websites/valves', { source })
  site.requests.length = 0
  const ports = { ...worker.ports, sourceHosts: { allowedHosts: () => [site.host], mayBePrivate: true }, ...more }
  expect(await workLibrary(ports, key, new AbortController().signal)).toBe('finalized')
  return new Map(site.requests.map(({ path, headers }) => [path, headers['if-none-match']]))
}
const copies = async () => {
  const keys: string[] = []
  for await (const key of worker.ports.objects.keys('page-copies/')) keys.push(key)
  return keys
}

test('a refresh asks a website only for pages that have changed, and damaged copies cost only requests', async () => {
  expect((await read()).get('/docs/second')).toBeUndefined()
  const etag = (path: string) => (site.pages.get(path) as { headers: { etag: string } }).headers.etag
  expect((await read()).get('/docs/second')).toBe(etag('/docs/second'))
  expect(await worker.ask('/websites/valves', 'valve')).toContain('closes after a minute')

  site.pages.set('/docs/second', html('Second', 'The valve now closes after an hour.'))
  await read()
  expect(await worker.ask('/websites/valves', 'valve')).toContain('closes after an hour')

  for (const key of await copies()) await worker.ports.objects.put(key, Buffer.from('no gzip'), 'application/gzip')
  expect((await read()).get('/docs/second')).toBeUndefined()
  expect(worker.troubles.map(({ message }) => message)).toEqual(['the copies of the pages of a library cannot be used'])
  expect((await read()).get('/docs/second')).toBe(etag('/docs/second'))
})

test('the copies of replaced content are deleted with it', async () => {
  site.pages.set('/docs/second', html('Second', 'The valve never closes.'))
  await read()
  expect((await copies()).length).toBeGreaterThan(1)
  const salts = dynamoSalts({ table: worker.table.salts, now: worker.ports.now })
  await schedule({ ...worker.ports, salts, retiredMs: 0, workers: 1 })()
  const { versions } = await worker.record('websites/valves')
  expect(await copies()).toEqual([`page-copies/${versions.get('')?.generation}.jsonl.gz`])
})

test('a table that fails while copies are stored fails no job', async () => {
  let reads = 0
  const failing = async (...sent: Parameters<typeof worker.ports.catalog.record>) => {
    reads += 1
    if (reads > 2) throw new Error('the table is busy')
    return worker.ports.catalog.record(...sent)
  }
  site.pages.set('/docs/second', html('Second', 'The valve is stuck.'))
  await read({ catalog: { ...worker.ports.catalog, record: failing } })
  expect(reads).toBeGreaterThan(2)
  expect(await worker.ask('/websites/valves', 'valve')).toContain('is stuck')
})
