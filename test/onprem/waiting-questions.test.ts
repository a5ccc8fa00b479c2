import { request } from 'node:http'
import { afterEach, beforeEach, expect, test } from 'vitest'
import { questionLimits } from '../../shared/search/question/question-queue.ts'
import { lanceSnippets } from '../../shared/store/lance-snippets.ts'
import { page } from '../fixtures/page.ts'
import { aiOf, testEmbedder } from '../fixtures/test-embedder.ts'
import { type TestInstall, testInstall } from '../fixtures/test-install.ts'
import { until } from '../fixtures/until.ts'
import { waitOf } from '../fixtures/wait-of.ts'

const embedder = testEmbedder()
const pathOf = (query: string) => `/api/v2/context?${new URLSearchParams({ libraryId: '/acme/levers', query, tokens: '50000' })}`

let install: TestInstall
/** Searches of the store that began, and what holds them up. */
let searches: number
let held: PromiseWithResolvers<void> | undefined

beforeEach(async () => {
  searches = 0
  held = undefined
  install = await testInstall({
    // However slow this machine is.
    questionLimits: { ...questionLimits, callerMaxWaitMs: 60_000 },
    openAi: () => aiOf(() => embedder),
    openSnippets(folder) {
      const store = lanceSnippets(folder)
      const search: typeof store.search = async (...asked) => {
        searches += 1
        await held?.promise
        return store.search(...asked)
      }
      return { ...store, search }
    },
  })
  const words = Array.from({ length: 400 }, (_, n) => `Lever ${n} turns wheel ${n * 7} by crank ${n * 31}.`)
  await install.git.create('acme/levers', { files: { 'README.md': page('Levers', ...words) } })
  expect((await install.parse('acme/levers')).error).toBeNull()
  await install.embedded('acme/levers')
  searches = 0
})
afterEach(async () => {
  held?.resolve()
  await install.close()
})

type Answer = { status: number; headers: Headers; text: string }
type Sent = { hangUp(): void; answer: Promise<Answer | 'none'> }

/** A question over a separate connection. */
function send(headers: Record<string, string> = {}, query = 'a lever turns'): Sent {
  const sent = request(install.url + pathOf(query), { agent: false, headers })
  const answer = new Promise<Answer | 'none'>((resolve) => {
    sent.on('error', () => resolve('none'))
    sent.on('response', async (response) => {
      const text = Buffer.concat(await response.toArray().catch(() => [])).toString()
      resolve({ status: response.statusCode ?? 0, headers: new Headers(response.headers as Record<string, string>), text })
    })
  })
  sent.end()
  return { answer, hangUp: () => sent.destroy() }
}

const hold = () => {
  held = Promise.withResolvers()
}
const release = () => held?.resolve()
const key = () => ({ authorization: `Bearer ${install.app.keys.create({ name: 'test', role: 'member' }).key}` })

/** Ends all connections, and returns when the server has seen it. */
async function hangUp(crowd: Sent[], sockets: number): Promise<void> {
  for (const each of crowd) each.hangUp()
  await until(() => countSockets() <= sockets)
}

const countSockets = () => process.getActiveResourcesInfo().filter((name) => name === 'TCPSocketWrap').length

/** Waits until so many of the crowd are refused, and returns one of these answers. */
async function refusals(crowd: Sent[], status: number, count: number): Promise<Answer> {
  const refused: Answer[] = []
  for (const { answer } of crowd) void answer.then((each) => each !== 'none' && each.status === status && refused.push(each))
  await until(() => refused.length === count)
  return refused[0] as Answer
}

async function statuses(sent: Sent[]): Promise<number[]> {
  const answers = await Promise.all(sent.map(({ answer }) => answer))
  return answers.map((answer) => (answer === 'none' ? 0 : answer.status))
}

test('a question whose caller hung up is not searched for', async () => {
  hold()
  const headers = key()
  const sockets = countSockets()
  const crowd = Array.from({ length: 120 }, () => send(headers))
  await until(() => searches === questionLimits.atOnce)
  await hangUp(crowd, sockets)
  expect((await fetch(`${install.url}/api/health`)).status).toBe(200)
  const next = send()
  release()
  expect(await next.answer).toMatchObject({ status: 200, text: expect.stringContaining('Lever') })
  expect(searches).toBe(questionLimits.atOnce + 1)
})

test('embedding stops when the caller hangs up, and nothing is searched', async () => {
  const provider = Promise.withResolvers<void>()
  const signals: (AbortSignal | undefined)[] = []
  const { embed } = embedder
  embedder.embed = async (texts, purpose, signal) => {
    if (purpose === 'query') {
      signals.push(signal)
      await provider.promise
    }
    return embed(texts, purpose, signal)
  }
  const sockets = countSockets()
  const crowd = Array.from({ length: 40 }, (_, n) => send({}, `a lever turns wheel ${n}`))
  await until(() => signals.length === questionLimits.callerAtOnce)
  await hangUp(crowd, sockets)
  await until(() => signals.every((signal) => signal?.aborted))
  provider.resolve()
  embedder.embed = embed
  expect(await send().answer).toMatchObject({ status: 200 })
  expect(searches).toBe(1)
})

test.each([
  ['an anonymous address', () => ({})],
  ['a key', () => key()],
])('a caller with %s waits only for its own questions, and gets an error for too many at the same time', async (_, caller) => {
  hold()
  const headers = caller()
  const { callerAtOnce, callerMaxWaiting } = questionLimits
  const crowd = Array.from({ length: callerAtOnce + callerMaxWaiting + 20 }, () => send(headers))
  const refused = await refusals(crowd, 429, 20)
  expect(waitOf(refused.headers)).toEqual({ retryAfter: 2, limit: callerAtOnce + callerMaxWaiting, remaining: 0, resets: true })
  expect(JSON.parse(refused.text)).toEqual({
    error: 'rate_limit_exceeded',
    message:
      'Your key, or your address if you send no key, asks too many questions at once: 8 run at a time and 64 more may wait. Ask again in a few seconds.',
  })
  release()
  expect((await statuses(crowd)).filter((status) => status === 200)).toHaveLength(callerAtOnce + callerMaxWaiting)
})

test('the number of waiting questions is limited, and further ones get a time to retry, on MCP in a sentence', async () => {
  hold()
  const { atOnce, maxWaiting, callerAtOnce } = questionLimits
  const keys = Array.from({ length: Math.ceil((atOnce + maxWaiting + 10) / callerAtOnce) }, key)
  const crowd = Array.from({ length: atOnce + maxWaiting + 10 }, (_, n) => send(keys[n % keys.length]))
  const refused = await refusals(crowd, 503, 10)
  expect(refused.headers.get('retry-after')).toBe('2')
  const message = 'Too many questions are waiting for an answer. Ask again in a few seconds.'
  expect(JSON.parse(refused.text)).toEqual({ error: 'search_failed', message })
  const call = { name: 'query-docs', arguments: { libraryId: '/acme/levers', query: 'a lever turns' } }
  const told = await fetch(`${install.url}/mcp`, {
    method: 'POST',
    headers: { 'content-type': 'application/json', accept: 'application/json, text/event-stream' },
    body: JSON.stringify({ jsonrpc: '2.0', id: 1, method: 'tools/call', params: call }),
  })
  expect(await told.text()).toContain(message)
  expect(install.log.troubles.filter((each) => each.message === 'request failed')).toEqual([])
  release()
  expect((await statuses(crowd)).filter((status) => status === 200)).toHaveLength(atOnce + maxWaiting)
})

test('many anonymous addresses do not block key holders', async () => {
  hold()
  const headers = key()
  const { atOnce, maxAnonymousWaiting, callerAtOnce } = questionLimits
  const refusedCount = 20
  const crowd = Array.from({ length: atOnce + maxAnonymousWaiting + refusedCount }, (_, n) =>
    send({ 'x-forwarded-for': `198.51.100.${Math.floor(n / callerAtOnce)}` }),
  )
  const refused = await refusals(crowd, 503, refusedCount)
  expect(refused.headers.get('retry-after')).toBe('2')
  const holder = send(headers)
  const done: string[] = []
  void holder.answer.then(() => done.push('holder'))
  for (const each of crowd)
    void each.answer.then((answer) => answer !== 'none' && answer.status === 200 && done.push('anonymous'))
  release()
  expect(await holder.answer).toMatchObject({ status: 200 })
  expect(done.length).toBeLessThan(maxAnonymousWaiting / 2)
  expect((await statuses(crowd)).filter((status) => status === 200)).toHaveLength(atOnce + maxAnonymousWaiting)
})
