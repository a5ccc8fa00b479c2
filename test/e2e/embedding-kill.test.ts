import { join } from 'node:path'
import { DatabaseSync } from 'node:sqlite'
import { expect, onTestFinished, test } from 'vitest'
import { startGitServer } from '../fixtures/git-server.ts'
import { page } from '../fixtures/page.ts'
import { startOpenai } from '../fixtures/providers/openai.ts'
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
  const id = queued.body.queueId as number
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
