import { existsSync, readdirSync } from 'node:fs'
import { join } from 'node:path'
import { expect, onTestFinished, test } from 'vitest'
import { openDatabase } from '../../shared/store/database.ts'
import { lanceSnippets } from '../../shared/store/lance-snippets.ts'
import { allOf } from '../contracts/snippet-store.ts'
import { startGitServer } from '../fixtures/git-server.ts'
import { page } from '../fixtures/page.ts'
import { prepareDir, startServer } from '../fixtures/server-process.ts'
import { until } from '../fixtures/until.ts'

const pages = 100
const sections = 5
/** Every fifth page changes. */
const changed = 20
/** Words that all editions have. The edition is in the address of a snippet. */
const text = (word: string, n: number) =>
  page(`Page ${n}`, ...Array.from({ length: sections }, (_, part) => `The ${word} lever ${n}-${part} turns wheel ${n * part}.`))
const edition = (word: string, every: number) =>
  Object.fromEntries(
    Array.from({ length: pages / every }, (_, n) => [
      `docs/page-${String(n * every).padStart(3, '0')}.md`,
      text(word, n * every),
    ]),
  )

/** True if a job has written this part of a table: `_versions` for rows, `_indices` for the text index. */
function hasWritten(dataDir: string, job: number, part: string, isStatistics = false): boolean {
  const folder = join(dataDir, 'snippets')
  return readdirSync(folder).some(
    (name) =>
      name.startsWith(`g${job}-`) && name.endsWith('.statistics.lance') === isStatistics && existsSync(join(folder, name, part)),
  )
}

/** All stored data of the served content. */
async function content(dataDir: string) {
  const db = openDatabase(dataDir)
  const generation = String(db.prepare('SELECT generation FROM versions').get()?.generation)
  db.close()
  const store = lanceSnippets(join(dataDir, 'snippets'))
  const base64 = (bytes: Uint8Array | undefined) => Buffer.from(bytes ?? []).toString('base64')
  try {
    return {
      rows: await allOf(store.read(generation)),
      statistics: base64(await store.packedStatistics(generation)),
      origins: base64(await store.origins(generation)),
    }
  } finally {
    store.close()
  }
}

test('a server that is killed during refreshes serves the old content until the new, which equals that of a full read', async () => {
  const git = await startGitServer()
  onTestFinished(() => git.close())
  await git.create('kill/kept', { files: edition('first', 1) })
  const prepared = prepareDir(git.url)
  const { dataDir } = prepared
  let server = await startServer(prepared)
  const parse = async (more = {}) =>
    (await server.call('POST', '/api/parse', { repoUrl: `${git.url}/kill/kept`, ...more })).body.queueId as number
  const isEnded = async (id: number) => (await server.job(id)).finishedAt !== null
  const ended = async (id: number) => {
    await until(() => isEnded(id))
    return server.job(id)
  }
  const served = async () => {
    const answer = await server.context('/kill/kept', 'which lever turns the wheel')
    const commits = [...new Set([...answer.matchAll(/\/blob\/([0-9a-f]{40})\//g)].map(([, commit]) => commit))]
    expect(commits, answer.slice(0, 300)).toHaveLength(1)
    return commits[0]
  }
  await ended(await parse())
  let old = await served()

  const moments: Record<string, (id: number) => unknown> = {
    'the clone': () => readdirSync(join(dataDir, 'clones')).length > 0,
    'the first pages': async (id) => (await server.job(id)).filesDone > 0,
    'the first rows': (id) => hasWritten(dataDir, id, '_versions'),
    'the text index': (id) => hasWritten(dataDir, id, '_indices'),
    'the statistics with the origins': (id) => hasWritten(dataDir, id, '_versions', true),
  }
  let interruptions = 0
  for (const [moment, isReached] of Object.entries(moments)) {
    const commit = await git.commit('kill/kept', { files: edition(moment, pages / changed) })
    const id = await parse()
    await until(async () => (await isReached(id)) || (await isEnded(id)))
    const maybeServed = hasWritten(dataDir, id, '_versions', true) ? [old, commit] : [old]
    expect(await served(), moment).toBeOneOf(maybeServed)
    await server.kill()
    server = await startServer(prepared)
    const { state, report, log } = await ended(id)
    expect([state, report?.snippetsAfter, report?.skipped], moment).toEqual(['done', pages * sections, []])
    // A job that had published its content before it was killed finds an unchanged commit.
    expect([report?.filesRead, report?.filesKept], moment).toBeOneOf([
      [changed, pages - changed],
      [0, 0],
    ])
    interruptions += log.some(({ line }) => line === 'Run 1, after an interruption.') ? 1 : 0
    expect(await served(), moment).toBe(commit)
    old = commit
  }
  expect(interruptions).toBeGreaterThanOrEqual(3)
  await server.end()
  const kept = await content(dataDir)
  server = await startServer(prepared)
  expect((await ended(await parse({ force: true }))).report).toMatchObject({ filesRead: pages, filesKept: 0 })
  await server.end()
  const full = await content(dataDir)
  expect(kept.rows).toHaveLength(pages * sections)
  expect(kept).toEqual(full)
})
