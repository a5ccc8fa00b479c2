import { join } from 'node:path'
import { DatabaseSync } from 'node:sqlite'
import { expect, onTestFinished, test } from 'vitest'
import { startGitServer } from '../fixtures/git-server.ts'
import { page } from '../fixtures/page.ts'
import { startOpenai } from '../fixtures/providers/openai.ts'
import { startPeculiar } from '../fixtures/providers/peculiar.ts'
import { prepareDir, startServer } from '../fixtures/server-process.ts'
import { until } from '../fixtures/until.ts'

const sections = (from: number) => Array.from({ length: 10 }, (_, n) => `Part ${from + n} turns wheel${from + n}.`)
const files = Object.fromEntries(
  Array.from({ length: 30 }, (_, n) => [`docs/page${String(n).padStart(2, '0')}.md`, page(`Page ${n}`, ...sections(n * 10))]),
)

test('a library is finished although its server is killed repeatedly during embedding, and stored vectors are not paid for again', async () => {
  const git = await startGitServer()
  onTestFinished(() => git.close())
  const provider = await startOpenai({ delayMs: 40 })
  onTestFinished(() => provider.close())
  await git.create('acme/docs', { files })
  const prepared = prepareDir(git.url)
  const kept = () => {
    const db = new DatabaseSync(join(prepared.dataDir, 'vectors.db'), { readOnly: true })
    try {
      return Number(db.prepare('SELECT count(*) AS n FROM vectors').get()?.n)
    } finally {
      db.close()
    }
  }
  let server = await startServer(prepared)
  const settings = { 'embedding.provider': 'custom', 'embedding.baseUrl': provider.url, 'embedding.model': 'some-model' }
  expect((await server.call('PATCH', '/api/settings', settings)).status).toBe(200)
  const queued = await server.call('POST', '/api/parse', { repoUrl: `${git.url}/acme/docs` })
  // The job that makes the vectors comes after the parse.
  const id = (queued.body.queueId as number) + 1
  let sent = 0
  const paid = () => {
    const asked = provider.requests.flatMap(({ body }) => (Array.isArray(body.input) ? (body.input as string[]) : []))
    provider.requests.length = 0
    const texts = asked.filter((text) => text.startsWith('Page '))
    sent += texts.length
    return texts
  }
  for (const stored of [1, 100, 200]) {
    await until(() => kept() >= stored)
    await server.kill()
    paid()
    const left = 300 - kept()
    server = await startServer(prepared)
    if (stored < 200) continue
    await until(async () => (await server.job(id)).finishedAt)
    const { state, report } = await server.job(id)
    expect([state, report?.snippetsAfter]).toEqual(['done', 300])
    expect([left < 110, new Set(paid()).size]).toEqual([true, left])
    // Requests in flight at a kill may be missing.
    expect(report?.textsEmbedded).toBeGreaterThanOrEqual(300)
    expect(report?.textsEmbedded).toBeLessThanOrEqual(sent)
  }
  expect(kept()).toBe(300)
  const answer = await fetch(`${server.url}/api/v2/context?${new URLSearchParams({ libraryId: '/acme/docs', query: 'wheel77' })}`)
  expect([answer.headers.get('x-carrel-search'), await answer.text()]).toEqual([
    'hybrid',
    expect.stringContaining('Part 77 turns'),
  ])
  await server.call('DELETE', '/api/projects/acme/docs')
  expect(kept()).toBe(0)
  expect(await server.end()).toBe(0)
})

test('an import whose server is killed while a batch is halved pays for no vector twice, and its report names the text without one', async () => {
  const git = await startGitServer()
  onTestFinished(() => git.close())
  const provider = await startPeculiar({ isBad: (text) => text.includes('wheel7 '), delayMs: 10 })
  onTestFinished(() => provider.close())
  const prepared = prepareDir(git.url)
  const stored = (sql: string) => {
    const db = new DatabaseSync(join(prepared.dataDir, 'vectors.db'), { readOnly: true })
    try {
      return Number(db.prepare(`SELECT count(*) AS n FROM ${sql}`).get()?.n)
    } finally {
      db.close()
    }
  }
  let server = await startServer(prepared)
  const settings = { 'embedding.provider': 'custom', 'embedding.baseUrl': provider.url, 'embedding.model': 'some-model' }
  expect((await server.call('PATCH', '/api/settings', settings)).status).toBe(200)
  const count = 3000
  const infoSnippets = Array.from({ length: count }, (_, n) => ({ content: `Part ${n} turns wheel${n} with lever${n}.` }))
  await server.call('POST', '/api/import-libraries', { libraries: [{ project: '/acme/docs', codeSnippets: [], infoSnippets }] })
  // The kills come while the first batch is halved, and after its rows were written.
  for (const vectors of [16, 2500]) {
    await until(() => stored('vectors') >= vectors)
    await server.kill()
    const left = count - 1 - stored('vectors')
    provider.requests.length = 0
    server = await startServer(prepared)
    if (vectors < 2500) continue
    // The job that makes the vectors comes after the import.
    await until(async () => (await server.job(2)).finishedAt)
    const { state, report } = await server.job(2)
    expect([state, report?.snippetsAfter, stored('left_out')]).toEqual(['done', count, 1])
    expect(report?.skipped).toEqual([
      { path: expect.any(String), reason: expect.stringContaining('has no vector and is found only by its words') },
    ])
    const asked = provider.texts().flatMap((texts) => texts.filter((text) => /wheel(?!7 )/.test(text)))
    expect(new Set(asked).size).toBe(left)
  }
  const asked = new URLSearchParams({ libraryId: '/acme/docs', query: 'wheel7' })
  const answer = await fetch(`${server.url}/api/v2/context?${asked}`)
  expect([answer.status, await answer.text()]).toEqual([200, expect.stringContaining('wheel7 with lever7')])
  expect(await server.end()).toBe(0)
})
