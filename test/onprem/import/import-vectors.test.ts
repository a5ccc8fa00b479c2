import { afterAll, beforeAll, expect, test } from 'vitest'
import { AppError } from '../../../shared/errors.ts'
import { snippetsOf } from '../../fixtures/imports.ts'
import { aiOf, testEmbedder } from '../../fixtures/test-embedder.ts'
import { type TestInstall, testInstall } from '../../fixtures/test-install.ts'
import { until } from '../../fixtures/until.ts'

const embedder = testEmbedder()
let install: TestInstall
beforeAll(async () => {
  install = await testInstall({ openAi: () => aiOf(() => embedder), limits: { retryPausesMs: [10] } })
})
afterAll(() => install.close())

const words = (n: number) => `The lever number ${n} turns wheel ${n * 7}.`
async function send(libraryId: string, from: number, to: number, force = false): Promise<number> {
  const contents = Array.from({ length: to - from }, (_, n) => words(from + n))
  const libraries = [{ project: libraryId, ...snippetsOf(...contents) }]
  await install.call('POST', `/api/import-libraries?force=${force}`, { libraries })
  return (install.app.jobs.list(1, 1).jobs[0] as { id: number }).id
}
const search = async (id: string) =>
  (await fetch(`${install.url}/api/v2/context?${new URLSearchParams({ libraryId: id, query: 'lever' })}`)).headers.get(
    'x-carrel-search',
  )

test('snippets are embedded by the provider of this install, and questions also search by vectors', async () => {
  await install.ended(await send('/vec/docs', 0, 300))
  expect(await search('/vec/docs')).toBe('text')
  const job = await install.embedded('vec/docs')
  expect([job.state, job.report?.textsEmbedded]).toEqual(['done', 300])
  expect(await search('/vec/docs')).toBe('hybrid')
})

test('an import that replaces another embeds only changed snippets', async () => {
  const asked = embedder.texts.length
  const job = await install.ended(await send('/vec/docs', 0, 310, true))
  expect(await search('/vec/docs')).toBe('hybrid')
  expect([job.state, job.report?.textsEmbedded, embedder.texts.length - asked]).toEqual(['done', 10, 10])
})

test('a job waits for a provider that becomes unavailable, and requests no vector twice', async () => {
  let answered = 0
  embedder.before = async () => {
    if (++answered > 40) throw new AppError('provider_unavailable', 'The provider is away.', { retry: 'limited' })
  }
  await install.ended(await send('/vec/away', 10_000, 14_000))
  const id = install.app.jobs.active()[0]?.id ?? 0
  await until(async () => install.app.jobs.log(id).some(({ line }) => line.includes('The job waits')))
  expect(install.app.jobs.get(id)?.state).not.toBe('failed')
  embedder.before = () => undefined
  const job = await install.ended(id)
  expect([job.state, job.report?.snippetsAfter]).toEqual(['done', 4000])
  expect(new Set(embedder.texts).size).toBe(embedder.texts.length)
  expect(await search('/vec/away')).toBe('hybrid')
})
