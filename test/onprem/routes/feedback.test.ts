import { afterAll, beforeAll, beforeEach, expect, test } from 'vitest'
import { page } from '../../fixtures/page.ts'
import { type TestInstall, testInstall } from '../../fixtures/test-install.ts'

type Entry = { id: number; libraryId: string; kind: string; question: string; comment: string; times: number; addPageUrl: string }
type List = { feedback: Entry[]; total: number }

let install: TestInstall
let time = new Date()
beforeAll(async () => {
  install = await testInstall({ now: () => time })
  for (const name of ['anvil', 'bellows']) {
    await install.git.create(`acme/${name}`, { files: { 'README.md': page(name, 'The anvil weighs a ton.') } })
    await install.parse(`acme/${name}`)
  }
})
afterAll(() => install.close())
beforeEach(() => {
  time = new Date()
  set({ 'feedback.enabled': false })
  set({ 'feedback.enabled': true, 'feedback.retentionDays': 30 })
})

const set = (changes: Record<string, unknown>) => {
  install.app.settings.change(changes)
  install.app.feedback.tidy()
}
const ask = (query: string, libraryId = '/acme/anvil') =>
  install.ask(`/api/v2/context?${new URLSearchParams({ libraryId, query })}`)
const rate = (body: unknown, caller: object = { key: install.keys.member }) =>
  install.json('/api/v2/feedback', { method: 'POST', body, ...caller })
const list = async (query = '') => (await install.json(`/api/feedback${query}`, { key: install.keys.admin })).body as List
const rating = { libraryId: '/acme/anvil', helpful: false, question: 'How heavy is it?', comment: 'No number.' }

test('an install that does not keep feedback answers 404 and stores no question', async () => {
  set({ 'feedback.enabled': false })
  await ask('zzzz qqqq')
  expect((await rate(rating)).status).toBe(404)
  expect((await install.json('/api/feedback', { key: install.keys.admin })).status).toBe(404)
  set({ 'feedback.enabled': true })
  expect((await list()).total).toBe(0)
})

test('a question without an answer is kept once per library, with its repetitions and the place of a new page', async () => {
  await ask('zzzz qqqq')
  await ask('zzzz qqqq')
  await ask('zzzz qqqq', '/acme/bellows')
  const { feedback, total } = await list('?libraryId=/acme/anvil')
  expect(total).toBe(1)
  expect(feedback[0]).toMatchObject({ libraryId: '/acme/anvil', kind: 'unanswered', question: 'zzzz qqqq', times: 2 })
  expect(feedback[0]?.addPageUrl).toBe(`${install.git.url}/acme/anvil/new/main`)
  expect((await list()).total).toBe(2)
})

test('a holder of a key rates an answer, and only admins read ratings', async () => {
  expect((await rate(rating)).status).toBe(201)
  expect((await rate({ libraryId: '/acme/anvil', helpful: true })).status).toBe(201)
  expect((await list()).feedback.map(({ kind, comment }) => [kind, comment])).toEqual([
    ['helpful', ''],
    ['unhelpful', 'No number.'],
  ])
  expect((await list('?kind=helpful')).total).toBe(1)
  expect((await rate(rating, {})).status).toBe(401)
  expect((await install.json('/api/feedback', { key: install.keys.member })).status).toBe(403)
})

test('a rating without a library, of another shape or of more than 2 kB is refused and not stored', async () => {
  expect((await rate({ ...rating, libraryId: '/acme/missing' })).status).toBe(404)
  expect((await rate({ ...rating, helpful: 'yes' })).status).toBe(400)
  expect((await rate({ ...rating, more: 1 })).status).toBe(400)
  expect((await rate({ ...rating, comment: 'x'.repeat(2_100) })).status).toBe(413)
  expect((await list()).total).toBe(0)
})

test('control and hidden characters are removed from a rating, and CSV holds no formula', async () => {
  await rate({ ...rating, question: '=cmd()\u0007\u202e', comment: 'a\u0000b\u200b' })
  expect((await list()).feedback[0]).toMatchObject({ question: '=cmd()', comment: 'ab' })
  const csv = await install.ask('/api/feedback?format=csv', { key: install.keys.admin })
  expect(await csv.text()).toContain('"\'=cmd()",ab,1')
})

const hourMs = 3_600_000
const later = (ms: number) => {
  time = new Date(time.getTime() + ms)
}
const rateTimes = async (times: number) => {
  for (let n = 0; n < times; n++) expect((await rate(rating)).status).toBe(201)
}

test('the 101st rating of a key in 24 hours is refused, with the seconds until the first one leaves the limit', async () => {
  await rateTimes(40)
  later(2 * hourMs)
  await rateTimes(60)
  later(hourMs + 500)
  const refused = await install.ask('/api/v2/feedback', {
    key: install.keys.member,
    method: 'POST',
    headers: { 'content-type': 'application/json' },
    body: JSON.stringify(rating),
  })
  expect(refused.status).toBe(429)
  expect([refused.headers.get('retry-after'), refused.headers.get('ratelimit-limit')]).toEqual([String(21 * 3_600), '100'])
  later(21 * hourMs - 501)
  expect((await rate(rating)).status).toBe(429)
  later(1)
  await rateTimes(40)
  expect((await rate(rating)).status).toBe(429)
})

test('each key of a user has its own limit of ratings', async () => {
  const { users, keys } = install.app
  const userId = users.create({ username: 'ann', role: 'member', hash: '' })
  const [laptop = '', agent = ''] = ['laptop', 'agent'].map((name) => keys.create({ name, role: 'member', userId }).key)
  for (let n = 0; n < 100; n++) await rate(rating, { key: laptop })
  expect((await rate(rating, { key: laptop })).status).toBe(429)
  expect((await rate(rating, { key: agent })).status).toBe(201)
})

test('ratings at the same time do not exceed the limit together', async () => {
  await rateTimes(98)
  const answers = await Promise.all(Array.from({ length: 8 }, () => rate(rating)))
  expect(answers.map(({ status }) => status).sort()).toEqual([201, 201, 429, 429, 429, 429, 429, 429])
  expect((await list()).total).toBe(100)
})

test('feedback ends after its days, with its library, one by one, and all at once', async () => {
  await ask('zzzz qqqq', '/acme/bellows')
  await rate(rating)
  time = new Date(time.getTime() + 31 * 86_400_000)
  expect((await list()).total).toBe(0)
  install.app.feedback.tidy()
  time = new Date(time.getTime() - 31 * 86_400_000)
  expect((await list()).total).toBe(0)

  await rate(rating)
  await ask('zzzz qqqq', '/acme/bellows')
  expect((await list()).total).toBe(2)
  await install.json('/api/projects/acme/bellows', { method: 'DELETE', key: install.keys.admin })
  const { feedback } = await list()
  expect(feedback.map(({ libraryId }) => libraryId)).toEqual(['/acme/anvil'])
  const remove = (path: string) => install.json(`/api/feedback${path}`, { method: 'DELETE', key: install.keys.admin })
  expect((await remove(`/${feedback[0]?.id}`)).status).toBe(200)
  expect((await remove(`/${feedback[0]?.id}`)).status).toBe(404)
  await rate(rating)
  expect((await remove('')).body).toEqual({ deleted: 1 })
  expect((await list()).total).toBe(0)
})

test('turning feedback off deletes what was kept, also by the settings of the API', async () => {
  await rate(rating)
  const change = (enabled: boolean) =>
    install.json('/api/settings', { method: 'PATCH', key: install.keys.admin, body: { 'feedback.enabled': enabled } })
  await change(false)
  await change(true)
  expect((await list()).total).toBe(0)
})

test('a library keeps its 1,000 newest questions without an answer', () => {
  const { feedback } = install.app
  for (let n = 0; n < 1_005; n++) feedback.noteUnanswered({ owner: 'acme', repo: 'anvil' }, `question ${n}`)
  const { total, feedback: newest } = feedback.list({}, 1, 1)
  expect([total, newest[0]?.question]).toEqual([1_000, 'question 1004'])
})
