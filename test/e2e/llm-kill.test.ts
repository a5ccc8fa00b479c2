import { expect, onTestFinished, test } from 'vitest'
import { openDatabase } from '../../shared/store/database.ts'
import { startGitServer } from '../fixtures/git-server.ts'
import { startOpenai } from '../fixtures/providers/openai.ts'
import type { Recorded } from '../fixtures/providers/provider-server.ts'
import { prepareDir, startServer } from '../fixtures/server-process.ts'
import { until } from '../fixtures/until.ts'

const names = Array.from({ length: 12 }, (_, n) => `src/lever${n}.ts`)
const files = Object.fromEntries(
  names.map((path, n) => [path, `export function lever${n}(force: number): number {\n  return force * ${n + 2}\n}\n`]),
)

/** The input of the model: JSON between its delimiters. */
function inputOf({ body }: Recorded): Record<string, unknown> {
  const told = (body.messages as { role: string; content: string }[]).find(({ role }) => role === 'user')
  return JSON.parse(/\{.*\}/s.exec(told?.content ?? '')?.[0] ?? '{}')
}
const pathOf = (request: Recorded) => String(inputOf(request).path)

const answer = (request: Recorded): string => {
  const input = inputOf(request)
  if ('passages' in input) return JSON.stringify({ order: [(input.passages as unknown[]).length] })
  const section = { heading: `Pulling ${input.path}`, markdown: `Call it to pull the lever of ${input.path}.` }
  return JSON.stringify({ title: `Lever ${input.path}`, sections: [section] })
}

/** Tokens as the provider bills them. */
const tokensOf = (request: Recorded): number =>
  Math.ceil(JSON.stringify(request.body.messages).length / 4) + Math.ceil(answer(request).length / 4)

test('documentation whose generation is interrupted by a kill is finished automatically and paid for once', async () => {
  const git = await startGitServer()
  onTestFinished(() => git.close())
  const provider = await startOpenai({ answer })
  onTestFinished(() => provider.close())
  await git.create('acme/levers', { files })
  const prepared = prepareDir(git.url)
  const db = openDatabase(prepared.dataDir)
  onTestFinished(() => db.close())
  const kept = () => Number(db.prepare('SELECT count(*) AS answers FROM llm_answers').get()?.answers)

  let server = await startServer(prepared)
  const settings = { 'llm.provider': 'custom', 'llm.baseUrl': provider.url, 'llm.model': 'some-model' }
  expect((await server.call('PATCH', '/api/settings', settings)).status).toBe(200)
  // The first three requests are answered, the others never.
  provider.fail({ kind: 'slow', ms: 1 }, { kind: 'slow', ms: 1 }, { kind: 'slow', ms: 1 })
  provider.failAlways({ kind: 'silent' })
  const queued = await server.call('POST', '/api/parse', { repoUrl: `${git.url}/acme/levers`, generateDocs: true })
  const id = queued.body.queueId as number
  await until(() => kept() === 3)
  await server.kill()

  const answered = provider.requests.slice(0, 3)
  const before = answered.map(pathOf)
  provider.requests.length = 0
  provider.failAlways()
  server = await startServer(prepared)
  await until(async () => (await server.job(id)).finishedAt)
  const llmTokens = [...answered, ...provider.requests].reduce((sum, request) => sum + tokensOf(request), 0)
  expect(await server.job(id)).toMatchObject({ state: 'done', report: { snippetsAfter: 12, llmTokens } })
  expect(provider.requests.map(pathOf).sort()).toEqual(names.filter((path) => !before.includes(path)).sort())
  expect(kept()).toBe(12)

  provider.requests.length = 0
  const text = await server.context('/acme/levers', 'how do I pull a lever')
  expect(text.match(/^Generated from `src\/lever\d+\.ts` by a language model\.$/gm)?.length).toBeGreaterThan(5)
  expect(provider.requests.map((request) => Object.keys(inputOf(request)))).toEqual([['question', 'passages']])
  const passages = inputOf(provider.requests[0] as Recorded).passages as { headings: string }[]
  expect(text).toMatch(new RegExp(`^### ${passages.at(-1)?.headings.split(' > ')[0]}`))
  expect(await server.end()).toBe(0)
})
