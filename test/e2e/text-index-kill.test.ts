import { existsSync } from 'node:fs'
import { join } from 'node:path'
import { DatabaseSync } from 'node:sqlite'
import { expect, onTestFinished, test } from 'vitest'
import { startGitServer } from '../fixtures/git-server.ts'
import { page } from '../fixtures/page.ts'
import { prepareDir, type ServerProcess, startServer } from '../fixtures/server-process.ts'
import { until } from '../fixtures/until.ts'

const pages = 150
const sections = 10
const chunks = pages * sections
const filesOf = (name: string) =>
  Object.fromEntries(
    Array.from({ length: pages }, (_, n) => [
      `docs/page${n}.md`,
      page(`Page ${n}`, ...Array.from({ length: sections }, (_, part) => `The ${name} turns wheel${n * sections + part}.`)),
    ]),
  )

test('the text index is completed after its server is killed while text is written and deleted, and finds each text once', async () => {
  const git = await startGitServer()
  onTestFinished(() => git.close())
  const prepared = prepareDir(git.url)
  const path = join(prepared.dataDir, 'texts.db')
  const countOf = (sql: string) => {
    if (!existsSync(path)) return 0
    const db = new DatabaseSync(path, { readOnly: true })
    try {
      return Number(db.prepare(sql).get()?.n)
    } catch {
      // The tables are not created yet.
      return 0
    } finally {
      db.close()
    }
  }
  const indexed = () => countOf('SELECT count(*) AS n FROM chunks_content')
  const search = async (server: ServerProcess, words: string) => {
    const answered = async () => {
      const { body } = await server.call('GET', `/api/search?q=${words}`)
      return body as { pending: number; libraries: { id: string; matches: unknown[] }[] }
    }
    await until(async () => (await answered()).pending === 0)
    return (await answered()).libraries.map(({ id, matches }) => [id, matches.length])
  }
  const add = async (server: ServerProcess, name: string) => {
    await git.create(`acme/${name}`, { files: filesOf(name) })
    const { body } = await server.call('POST', '/api/parse', { repoUrl: `${git.url}/acme/${name}` })
    await until(async () => (await server.job(body.queueId as number)).finishedAt)
  }

  let server = await startServer(prepared)
  await add(server, 'lever')
  for (const written of [1, 400, 900]) {
    await server.call('GET', '/api/search?q=wheel7')
    await until(() => indexed() >= written)
    await server.kill()
    expect(indexed()).toBeLessThan(chunks)
    server = await startServer(prepared)
  }
  expect(await search(server, 'wheel1498')).toEqual([['/acme/lever', 1]])
  expect(indexed()).toBe(chunks)

  await add(server, 'gear')
  expect(await search(server, 'wheel1499')).toEqual([
    ['/acme/gear', 1],
    ['/acme/lever', 1],
  ])
  void server.call('DELETE', '/api/projects/acme/lever').catch(() => undefined)
  await until(() => indexed() < 2 * chunks)
  await server.kill()
  expect(indexed()).toBeGreaterThan(chunks)
  server = await startServer(prepared)
  await until(() => indexed() === chunks)
  expect(await search(server, 'lever')).toEqual([])
  expect(await search(server, 'wheel1499')).toEqual([['/acme/gear', 1]])
  expect(await server.end()).toBe(0)
  expect(countOf('SELECT count(*) AS n FROM generations WHERE complete = 1')).toBe(1)
}, 240_000)
