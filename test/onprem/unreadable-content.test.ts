import { readdirSync, truncateSync } from 'node:fs'
import { join } from 'node:path'
import { afterEach, expect, test } from 'vitest'
import { parseLibraryId } from '../../shared/library.ts'
import { lanceSnippets } from '../../shared/store/lance-snippets.ts'
import { snippetsOf } from '../fixtures/imports.ts'
import { page } from '../fixtures/page.ts'
import { type TestInstall, testInstall } from '../fixtures/test-install.ts'
import { until } from '../fixtures/until.ts'

// Whole installs are slow on a busy machine.
let first: TestInstall
let install: TestInstall

afterEach(async () => {
  await install.stop()
  await first.close()
})

const ids = ['/is/imported', '/is/parsed', '/is/forced', '/is/whole']
const generationOf = ({ app }: Pick<TestInstall, 'app'>, id: string) =>
  String(app.catalog.versions(parseLibraryId(id))[0]?.generation)
const idle = ({ app }: Pick<TestInstall, 'app'>) => until(() => app.jobs.active().length === 0)
const ask = (libraryId: string) => fetch(`${install.url}/api/v2/context?${new URLSearchParams({ libraryId, query: 'wheel' })}`)
const status = async (libraryId: string) => (await ask(libraryId)).status
const messages = (...asked: string[]) =>
  Promise.all(asked.map(async (id) => ((await (await ask(id)).json()) as { message: string }).message))
const statuses = () => Promise.all(ids.map(status))
const warnings = async () => (await install.call('GET', '/api/health')).body.warnings as string[]
const bundle = (...libraryIds: string[]) => ({
  libraries: libraryIds.map((libraryId) => ({ project: libraryId, ...snippetsOf('A lever turns a wheel.') })),
})

const truncate = (table: string) => {
  const data = join(first.dataDir, 'snippets', `${table}.lance/data`)
  for (const name of readdirSync(data)) truncateSync(join(data, name), 100)
}
const damages = {
  rows: async (generation: string) => truncate(generation),
  statistics: async (generation: string) => truncate(`${generation}.statistics`),
  async garbage(generation: string) {
    const store = lanceSnippets(join(first.dataDir, 'snippets'))
    const writer = await store.write(generation)
    await writer.finish(Buffer.from('these are no statistics'))
    store.close()
  },
}

/** Opens an install again after content of each library but the last was damaged, in their order. */
async function openDamaged(...kinds: (keyof typeof damages)[]) {
  first = await testInstall()
  await first.git.create('is/parsed', { files: { 'a.md': page('A', 'A lever turns a wheel.') } })
  await first.parse('is/parsed')
  await first.call('POST', '/api/import-libraries', bundle('/is/imported', '/is/forced', '/is/whole'))
  await idle(first)
  const generations = ids.map((id) => generationOf(first, id))
  await first.stop()
  for (const [i, kind] of kinds.entries()) await damages[kind](String(generations[i]))
  install = await testInstall({ reopen: first })
  await until(async () => (await status('/is/whole')) === 200)
  expect(await statuses()).toEqual([503, 503, 503, 200])
}

test('unreadable statistics are reported in health, and a re-index rebuilds them from the rows', async () => {
  await openDamaged('garbage', 'statistics', 'statistics')
  const named = (await warnings()).filter((each) => each.includes('word statistics'))
  expect(named.map((each) => /\/is\/\w+/.exec(each)?.[0])).toEqual(['/is/forced', '/is/imported', '/is/parsed'])
  await first.git.remove('is/parsed')
  expect((await install.call('GET', '/api/reindex')).body.needed).toBe(3)
  await install.call('POST', '/api/import-libraries?force=true', bundle('/is/forced'))
  const { status: accepted, body } = await install.call('POST', '/api/reindex')
  expect(accepted).toBe(202)
  // The sweep after the import may have queued one of them already.
  const { queued, skipped } = body as { queued: string[]; skipped: { project: string }[] }
  expect([...queued, ...skipped.map(({ project }) => project)]).toEqual(expect.arrayContaining(['/is/imported', '/is/parsed']))
  await idle(install)
  expect(install.app.jobs.list(1, 10).jobs.map(({ state }) => state)).not.toContain('failed')
  expect(await statuses()).toEqual([200, 200, 200, 200])
  expect((await warnings()).filter((each) => each.includes('/is/'))).toEqual([])
})

test('damaged rows are reported until they are replaced; damaged statistics are rebuilt automatically', async () => {
  await openDamaged('statistics', 'rows', 'rows')
  const named = async () => (await warnings()).filter((each) => each.includes('/is/'))
  const imported = 'Snippets of /is/forced could not be read: import it again with force.'
  expect(await named()).toEqual([
    expect.stringContaining('The word statistics of /is/imported are damaged.'),
    imported,
    'Snippets of /is/parsed could not be read: refresh it, or import it again with force.',
  ])
  expect(await messages('/is/parsed', '/is/forced')).toEqual([
    expect.stringMatching(/if that does not help, refresh \/is\/parsed\.$/),
    expect.stringMatching(/if that does not help, import \/is\/forced again with force\.$/),
  ])
  // The sweep after a job looks for what is to be rebuilt.
  await install.call('POST', '/api/projects/is/parsed/refresh')
  await until(async () => (await status('/is/imported')) === 200)
  await idle(install)
  expect(await named()).toEqual([imported])
  await install.call('POST', '/api/import-libraries?force=true', bundle('/is/forced'))
  await idle(install)
  expect(await statuses()).toEqual([200, 200, 200, 200])
  expect(await named()).toEqual([])
  const rebuilt = install.app.jobs.list(1, 10).jobs.filter(({ kind }) => kind === 'reindex')
  expect(rebuilt.map(({ project, state }) => [project, state])).toEqual([['/is/imported', 'done']])
})
