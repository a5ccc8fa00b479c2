import { existsSync, readdirSync } from 'node:fs'
import { join } from 'node:path'
import { setTimeout as sleep } from 'node:timers/promises'
import { expect, test } from 'vitest'
import { openDatabase } from '../../shared/store/database.ts'
import { lanceSnippets } from '../../shared/store/lance-snippets.ts'
import { forgetInterruptions } from '../fixtures/forget-interruptions.ts'
import { prepareDir, startServer } from '../fixtures/server-process.ts'
import { tablesIn } from '../fixtures/tables-in.ts'
import { until } from '../fixtures/until.ts'

const snippets = 6_000
/** Prose and code in turn, ten per page. */
function edition(number: number, libraryId = '/kill/import', count = snippets) {
  const shared = (n: number) => ({
    id: `https://example.com/${number}/${Math.floor(n / 10)}#${n}`,
    breadcrumb: `Page ${Math.floor(n / 10)} > Part ${n}`,
    pageTitle: `Page ${Math.floor(n / 10)}`,
    title: `Part ${n}`,
    page: Math.floor(n / 10),
    section: n % 10,
    order: n,
    tokens: 1,
  })
  const words = (n: number) =>
    `The lever of edition${number} turns wheel ${n}, which lifts ${n * 7} kilograms by pulley${n % 100}.`
  const all = Array.from({ length: count }, (_, n) => n)
  return {
    project: libraryId,
    title: 'Kill',
    totalSnippets: count,
    codeSnippets: all
      .filter((n) => n % 2 === 1)
      .map((n) => ({ ...shared(n), description: words(n), language: 'ts', codeList: [{ language: 'ts', code: `turn(${n})` }] })),
    infoSnippets: all.filter((n) => n % 2 === 0).map((n) => ({ ...shared(n), content: words(n) })),
  }
}

/** True if a generation has rows, but no statistics, which are written last. */
function isWriting(dataDir: string): boolean {
  const folder = join(dataDir, 'snippets')
  const tables = readdirSync(folder).filter((name) => name.endsWith('.lance') && !name.includes('.statistics'))
  return tables.some(
    (name) =>
      existsSync(join(folder, name, '_versions')) && !existsSync(join(folder, name.replace('.lance', '.statistics.lance'))),
  )
}

test('a server that is killed at ten moments of imports loses nothing and stores nothing twice, and each import continues', async () => {
  const prepared = prepareDir('http://127.0.0.1:1')
  const { dataDir } = prepared
  let server = await startServer(prepared)
  let editions = 0
  const send = async () => {
    const { body } = await server.call('POST', '/api/import-libraries?force=true', { libraries: [edition(editions)] })
    expect(body).toMatchObject({ queued: ['/kill/import'], skipped: [] })
    editions += 1
  }
  const isIdle = async () => Object.keys((await server.call('GET', '/api/parse-status')).body.activeParses as object).length === 0
  const served = async () => editionIn(await server.context('/kill/import', 'which lever turns the wheel'))

  await send()
  await until(isIdle)
  for (let kills = 0; kills < 10; kills++) {
    if (await isIdle()) await send()
    // The kills come before the queue is read, while rows are written, while the index is built, and after it. Some wait for the
    // first rows, because a busy machine writes none in that time.
    const moment = kills % 4 === 1 ? until(async () => isWriting(dataDir) || (await isIdle())) : sleep((kills * 173) % 1400)
    const [answered] = await Promise.all([served(), moment])
    expect(answered).toBeOneOf([editions - 1, editions - 2])
    await server.kill()
    forgetInterruptions(dataDir)
    server = await startServer(prepared)
    expect(await served()).toBeOneOf([editions - 1, editions - 2])
  }
  await until(isIdle)
  expect(await served()).toBe(editions - 1)

  const { jobs } = (await server.call('GET', '/api/jobs')).body as {
    jobs: { id: number; state: string; report: { snippetsAfter: number; snippetsBefore: number } }[]
  }
  expect(jobs.map(({ state, report }) => [state, report.snippetsAfter])).toEqual(
    Array.from({ length: editions }, () => ['done', snippets]),
  )
  const logs = await Promise.all(jobs.map(async ({ id }) => (await server.job(id)).log.map(({ line }) => line).join('\n')))
  expect(logs.join('\n')).toMatch(/[1-9]\d* snippets stored already\. The import continues after them/)
  await until(() => readdirSync(join(dataDir, 'imports')).length === 0)
  expect(await server.end()).toBe(0)

  const db = openDatabase(dataDir)
  const [{ generation } = {}] = db.prepare('SELECT generation FROM versions').all()
  const kept = db
    .prepare('SELECT name FROM generations')
    .all()
    .map(({ name }) => String(name))
  db.close()
  expect(await tablesIn(dataDir)).toEqual(kept.flatMap((name) => [`${name}.lance`, `${name}.statistics.lance`]).sort())
  expect(kept).toHaveLength(editions)
  const store = lanceSnippets(join(dataDir, 'snippets'))
  const [ids, hashes] = [new Set<string>(), new Set<string>()]
  let order = 0
  for await (const rows of store.scan(String(generation))) {
    for (const { id, hash, content } of rows) {
      ids.add(id)
      hashes.add(hash)
      expect(content).toContain(`of edition${editions - 1} turns wheel ${order},`)
      order += 1
    }
  }
  store.close()
  expect([order, ids.size, hashes.size]).toEqual([snippets, snippets, snippets])
})

test('a server that is killed during a forced import loses no version before the new content is served', async () => {
  const prepared = prepareDir('http://127.0.0.1:1')
  const names = ['', '@v1', '@v2']
  const ids = names.map((name) => `/kill/removes${name}`)
  let server = await startServer(prepared)
  const send = async (libraries: object[]) =>
    (await server.call('POST', '/api/import-libraries?force=true', { libraries })).body as { removed?: string[] }
  const isIdle = async () => Object.keys((await server.call('GET', '/api/parse-status')).body.activeParses as object).length === 0
  const answer = (id: string) => server.context(id, 'which lever turns the wheel')

  for (const delays of [
    [0, 600],
    [900, 300],
  ]) {
    await send(ids.map((id) => edition(0, id, 20)))
    await until(isIdle)
    expect(await Promise.all(ids.map(async (id) => editionIn(await answer(id))))).toEqual([0, 0, 0])
    expect(await send([edition(1, ids[0], 2_000)])).toMatchObject({ removed: ids.slice(1) })
    for (const delay of delays) {
      await sleep(delay)
      await server.kill()
      server = await startServer(prepared)
      const others = await Promise.all(ids.slice(1).map(answer))
      const served = editionIn(await answer('/kill/removes'))
      // Versions may be removed between the two questions, but never before the new content is served.
      if (served === 0) expect(others.map(editionIn)).toEqual([0, 0])
      else expect(served).toBe(1)
    }
    await until(isIdle)
    expect(editionIn(await answer('/kill/removes'))).toBe(1)
    for (const id of ids.slice(1)) expect(await answer(id)).toContain('tag_not_found')
  }

  const { jobs } = (await server.call('GET', '/api/jobs')).body as { jobs: { id: number; state: string; project: string }[] }
  expect(new Set(jobs.map(({ state }) => state))).toEqual(new Set(['done']))
  const logs = await Promise.all(jobs.map(async ({ id }) => (await server.job(id)).log.map(({ line }) => line)))
  for (const log of logs) {
    const removals = log.filter((line) => line.includes('is removed: the bundle does not hold it'))
    expect(new Set(removals).size).toBe(removals.length)
  }
  await until(() => readdirSync(join(prepared.dataDir, 'imports')).length === 0)
  expect(await server.end()).toBe(0)
  const db = openDatabase(prepared.dataDir)
  const served = db.prepare('SELECT version FROM versions').all()
  db.close()
  expect(served).toEqual([{ version: '' }])
})

test('a server that is killed while it receives a body discards the received part, and one that stops waits for no client', async () => {
  const prepared = prepareDir('http://127.0.0.1:1')
  const waiting = () => readdirSync(join(prepared.dataDir, 'imports'))
  let server = await startServer(prepared)
  const text = JSON.stringify({ libraries: [edition(0)] })
  const begin = () => {
    const body = new ReadableStream({ start: (stream) => stream.enqueue(Buffer.from(text.slice(0, -1000))) })
    const headers = { authorization: `Bearer ${prepared.key}`, 'content-type': 'application/json' }
    return fetch(`${server.url}/api/import-libraries`, { method: 'POST', headers, body, duplex: 'half' } as RequestInit).catch(
      () => undefined,
    )
  }
  const first = begin()
  await until(() => waiting().length === 1)
  await server.kill()
  await first
  server = await startServer(prepared)
  await until(() => waiting().length === 0)
  expect((await server.call('GET', '/api/jobs')).body).toMatchObject({ total: 0 })
  const second = begin()
  await until(() => waiting().length === 1)
  expect(await server.end()).toBe(0)
  await second
  server = await startServer(prepared)
  await until(() => waiting().length === 0)
  expect((await server.call('GET', '/api/jobs')).body).toMatchObject({ total: 0 })
})

/** The edition of all passages in an answer, which must be the same. */
function editionIn(answer: string): number | undefined {
  const editions = new Set([...answer.matchAll(/of edition(\d+) turns/g)].map(([, number]) => Number(number)))
  expect(editions.size, answer.slice(0, 300)).toBe(1)
  return [...editions][0]
}
