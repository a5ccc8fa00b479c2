import { randomInt } from 'node:crypto'
import { join } from 'node:path'
import { DatabaseSync } from 'node:sqlite'
import { expect, onTestFinished, test } from 'vitest'
import { startGitServer } from '../fixtures/git-server.ts'
import { carrel, hostedDir, startHosted } from '../fixtures/hosted-process.ts'
import { until } from '../fixtures/until.ts'

const clients = 8
const rounds = 3

test('a hosted half that is killed under load is ready again immediately and has counted every answer once', async () => {
  const git = await startGitServer()
  onTestFinished(() => git.close())
  await git.create('acme/widgets', { files: { 'README.md': '# Widgets\n\nTurn the lever.\n' } })
  const dataDir = hostedDir(git.url)
  await carrel(dataDir, 'hosted', 'teamspace', 'create', 'acme')
  const key = (await carrel(dataDir, 'hosted', 'key', 'create', '--teamspace', 'acme')).stdout
  await carrel(dataDir, 'hosted', 'add', `${git.url}/acme/widgets`, '--teamspace', 'acme')
  let [asked, answered] = [0, 0]
  for (let round = 0; round < rounds; round++) {
    const server = await startHosted(dataDir)
    let killed = false
    const client = async () => {
      while (!killed) {
        asked += 1
        const answer = await fetch(`${server.url}/api/v2/context?libraryId=/acme/widgets&query=lever`).catch(() => undefined)
        if (answer?.ok && (await answer.text().catch(() => '')).includes('lever')) answered += 1
      }
    }
    const load = Array.from({ length: clients }, client)
    const enough = answered + randomInt(20, 500)
    await until(() => answered >= enough)
    await server.kill()
    killed = true
    await Promise.all(load)
  }
  const server = await startHosted(dataDir)
  const stream = openStream(dataDir)
  await until(() => stream.isConsumed())
  const headers = { authorization: `Bearer ${key}` }
  const answer = await fetch(`${server.url}/api/v2/libs/metrics?libraryId=/acme/widgets`, { headers })
  const { total, daily, topics } = (await answer.json()) as Metrics
  const events = stream.events()
  expect(new Set(events.map(({ id }) => id)).size).toBe(events.length)
  // An event is on disk before its answer is sent. A request without an answer may have left one, too.
  expect(events.length).toBeGreaterThanOrEqual(answered)
  expect(events.length).toBeLessThanOrEqual(asked)
  expect(total).toEqual({ page: 0, txt: events.length, mcp: 0, cli: 0 })
  expect(daily.reduce((sum, { txt }) => sum + txt, 0)).toBe(events.length)
  const asTopics = Map.groupBy(
    events.flatMap((event) => event.topics),
    (topic) => topic,
  )
  expect(new Map(topics.map(({ topic, count }) => [topic, count]))).toEqual(
    new Map(Array.from(asTopics, ([topic, { length }]) => [topic, length])),
  )
  expect(await server.end()).toBe(0)
})

type Metrics = { total: Record<string, number>; daily: { txt: number }[]; topics: { topic: string; count: number }[] }

/** The usage events that the server has written, read while it runs. */
function openStream(dataDir: string) {
  const db = new DatabaseSync(join(dataDir, 'usage.db'), { readOnly: true })
  onTestFinished(() => db.close())
  const waiting = db.prepare(
    'SELECT count(*) AS events FROM record LEFT JOIN position USING (shard) WHERE record.sequence > coalesce(position.sequence, 0)',
  )
  const all = db.prepare('SELECT data FROM record')
  return {
    isConsumed: () => Number(waiting.get()?.events) === 0,
    events: () =>
      all.all().map(({ data }) => JSON.parse(Buffer.from(data as Uint8Array).toString()) as { id: string; topics: string[] }),
  }
}
