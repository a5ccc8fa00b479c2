import { afterAll, beforeAll, expect, onTestFinished, test } from 'vitest'
import { limits } from '../../../shared/indexing/limits.ts'
import { page } from '../../fixtures/page.ts'
import { type TestInstall, testInstall } from '../../fixtures/test-install.ts'

test('the limits of the product are these', () => {
  expect(limits).toEqual({
    clone: { cloneBytes: 2_147_483_648, files: 1_000_000, fileBytes: 10_485_760, timeMs: 1_800_000, idleMs: 60_000 },
    documents: { fileBytes: 10_485_760, files: 100_000 },
    list: { timeMs: 600_000, heapMb: 512 },
    read: { workers: expect.toBeOneOf([1, 2, 3, 4]), timeMs: 20_000, heapMb: 256, threadBytes: 1_048_576 },
    llm: { jobTokens: 1_000_000, jobMs: 30 * 60_000 },
    indexMs: 3_600_000,
    probeMs: 20_000,
    reopenMs: 1_000,
    embedQuestionMs: 800,
    rerankMs: 3_000,
    hostedMs: 1_500,
    retryPausesMs: [5_000, 15_000, 45_000],
    diskCheckMs: 5_000,
    refreshCheckMs: 60_000,
    retiredMs: 600_000,
    maxBackupPauseMs: 300_000,
  })
})

test('a host that fails or does not respond gets three attempts within two minutes', () => {
  const [first = 0, second = 0] = limits.retryPausesMs
  expect(2 * limits.probeMs + first + second).toBeLessThanOrEqual(120_000)
})

let install: TestInstall

beforeAll(async () => {
  install = await testInstall({
    limits: {
      clone: { cloneBytes: 20_000, files: 8, fileBytes: 3_000, timeMs: 60_000, idleMs: 8_000 },
      documents: { fileBytes: 2_000, files: 4 },
      probeMs: 8_000,
      retryPausesMs: [],
    },
  })
})
afterAll(() => install.close())

const pages = (count: number, letters = 10) =>
  Object.fromEntries(Array.from({ length: count }, (_, n) => [`${n}.md`, page(`Page ${n}`, 'x'.repeat(letters))]))

test.each([
  [
    'a document above its size limit',
    { ...pages(1), 'long.md': page('Long', 'x'.repeat(2_100)) },
    /^\d+ bytes, more than the limit of 2000$/,
  ],
  ['a file above its size limit', { ...pages(1), 'long.md': page('Long', 'x'.repeat(4_000)) }, /^larger than 0 MB$/],
  ['documents above their limit', pages(6), /^only the first 4 documents are read; /],
])('an install skips %s', async (name, files, reason) => {
  const repo = `skipped/${name.replaceAll(' ', '-')}`
  await install.git.create(repo, { files })
  const job = await install.parse(repo)
  expect([job.state, job.report?.skipped.map((each) => reason.test(each.reason))]).toEqual(['done', [true]])
})

test.each([
  ['with more files than its limit', pages(9), undefined, 'The repository holds more than 8 files.'],
  ['that unpacks to more than its limit', pages(8, 2_900), undefined, 'The repository unpacks to more than 0 MB.'],
  ['whose host does not respond', pages(1), 'refs', 'did not respond within 8 s.'],
  ['whose download makes no progress', pages(1), 'pack', 'was stopped: no progress for 8 s.'],
] as const)('an install fails the job of a repository %s', async (name, files, stalled, error) => {
  const repo = `failed/${name.replaceAll(' ', '-')}`
  await install.git.create(repo, { files })
  if (stalled) install.git.misbehave(repo, { kind: 'stall', at: stalled })
  expect(await install.parse(repo)).toMatchObject({ state: 'failed', error: expect.stringContaining(error) })
})

test.each([
  ['fetching', { clone: { ...limits.clone, timeMs: 1 } }, 'was stopped: it took longer than 0.001 s.'],
  ['reading', { indexMs: 1 }, 'Reading and indexing took longer than'],
] as const)('an install stops %s a repository that takes longer than its limit', async (doing, hasty, error) => {
  const short = await testInstall({ limits: { ...hasty, retryPausesMs: [] } })
  onTestFinished(() => short.close())
  await short.git.create(`slow/${doing}`, { files: pages(50) })
  expect(await short.parse(`slow/${doing}`)).toMatchObject({ state: 'failed', error: expect.stringContaining(error) })
})
