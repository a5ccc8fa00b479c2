import { afterEach, beforeEach, expect, test, vi } from 'vitest'
import { AppError } from '../../../shared/errors.ts'
import { type FakeLlm, fakeLlm } from '../../fixtures/fake-llm.ts'
import { page } from '../../fixtures/page.ts'
import { type TestEmbedder, testEmbedder } from '../../fixtures/test-embedder.ts'
import { type TestInstall, testInstall } from '../../fixtures/test-install.ts'

let install: TestInstall
let embedder: TestEmbedder | undefined
let llm: FakeLlm | undefined

beforeEach(async () => {
  embedder = undefined
  llm = undefined
  install = await testInstall({
    openAi: () => ({ embedder: () => embedder, embedderFor: () => embedder, llm: () => llm }),
    limits: { retryPausesMs: [10, 10, 10] },
  })
})
afterEach(() => install.close())

test('the report lists each file that excludeFiles omits, with the pattern', async () => {
  await install.git.create('acme/docs', {
    files: {
      'README.md': page('Guide', 'The lever turns.'),
      'docs/internal-a.md': page('A', 'x'),
      'docs/internal-b.md': page('B', 'x'),
      'docs/internal-c.ts': 'export {}',
    },
  })
  const job = await install.parse('acme/docs', { excludeFiles: ['internal-*'] })
  const reason = 'excludeFiles: internal-*'
  expect(job.report).toMatchObject({
    filesRead: 1,
    skipped: [
      { path: 'docs/internal-a.md', reason },
      { path: 'docs/internal-b.md', reason },
    ],
    versions: [{ version: '', filesRead: 1, skipped: 2 }],
  })
})

test('a version that fails has a row with its figures, and the report has the reason', async () => {
  await install.git.create('acme/docs', {
    files: { 'README.md': page('Guide', 'One.', 'Two.', 'Three.'), 'a.md': '# A\n\nLever.' },
  })
  await install.git.commit('acme/docs', { files: { 'README.md': null, 'a.md': null, 'empty.md': '' }, branch: 'empty' })
  await install.git.commit('acme/docs', { files: { 'README.md': page('Guide', 'One.') }, branch: 'small' })
  const versions = ['empty', 'small']
  const job = await install.parse('acme/docs', { versions })
  const none = expect.stringContaining('holds no documentation that can be read')
  expect(job).toMatchObject({
    state: 'done',
    report: {
      filesRead: 3,
      filesKept: 1,
      skipped: [
        { path: '@empty', reason: none },
        { path: '@empty/empty.md', reason: 'it is empty' },
      ],
      versions: expect.arrayContaining([{ version: 'empty', filesRead: 0, filesKept: 0, snippets: 0, tokens: 0, skipped: 1 }]),
    },
  })

  // A version that is served keeps its snippets in the report if it cannot be replaced.
  await install.git.commit('acme/docs', { files: { 'README.md': null, 'a.md': null, 'empty.md': '' }, branch: 'small' })
  const again = await install.refresh('acme/docs')
  const row = (of: typeof job) => of.report?.versions?.find(({ version }) => version === 'small')
  expect(row(again)).toEqual({ ...row(job), filesRead: 0, filesKept: 0, skipped: 1 })
  expect(again.report?.skipped).toContainEqual({ path: '@small', reason: none })
})

test('progress adds up over versions and names the version', async () => {
  await install.git.create('acme/docs', {
    files: { 'README.md': page('Guide', 'One.'), 'a.md': page('A', 'Two.') },
    tags: ['v1'],
  })
  await install.git.commit('acme/docs', { files: { 'b.md': page('B', 'Three.') } })
  const seen: { filesDone: number; filesTotal: number; snippets: number; statusMessage: string }[] = []
  const { progress } = install.app.jobs
  vi.spyOn(install.app.jobs, 'progress').mockImplementation((id, state) => {
    seen.push({ ...state })
    progress(id, state)
  })
  const job = await install.parse('acme/docs', { versions: ['v1'] })
  expect(job).toMatchObject({ state: 'done', filesDone: 5, filesTotal: 5, snippets: job.report?.snippetsAfter })
  for (const figure of ['filesDone', 'filesTotal', 'snippets'] as const) {
    const figures = seen.map((state) => state[figure])
    expect(figures).toEqual(figures.toSorted((a, b) => a - b))
  }
  expect(new Set(seen.map(({ statusMessage }) => statusMessage))).toContain('Reading files of version v1')
})

test('a source file without generated documentation is listed with the message of the provider', async () => {
  llm = fakeLlm()
  const firstAnswer = Promise.withResolvers<void>()
  llm.answers(async ({ input }) => {
    if (JSON.parse(input).path === 'src/b.ts') {
      // A rejected text ends the use of the model, also for files that are read later.
      await firstAnswer.promise
      throw new AppError('provider_unavailable', 'The provider rejects the text.')
    }
    firstAnswer.resolve()
    return { title: 'A', sections: [{ heading: 'Turning', markdown: 'The lever turns.' }] }
  })
  const source = (name: string) => `export function ${name}(lever: number): number {\n  return lever * 2 + lever\n}\n`
  await install.git.create('acme/code', { files: { 'src/a.ts': source('a'), 'src/b.ts': source('b') } })
  const job = await install.parse('acme/code', { generateDocs: true })
  expect(job.report?.skipped).toEqual([
    { path: 'src/b.ts', reason: 'no documentation was written about it: The provider rejects the text.' },
  ])
})

test('texts of a run add up with those of the run after a failure or a wait', async () => {
  const model = fakeLlm({ tokens: 250 })
  model.answers(({ input }) => ({
    snippets: JSON.parse(input).snippets.map(({ number }: { number: number }) => ({
      number,
      title: 'A lever',
      description: 'It turns.',
    })),
  }))
  llm = model
  const provider = testEmbedder({ limits: { batchTexts: 4, requestsAtOnce: 1 } })
  const failures = [8, 16]
  provider.before = () => {
    if (provider.texts.length !== failures[0]) return
    failures.shift()
    throw new AppError('provider_unavailable', 'The provider has a pause.', { retry: 'limited' })
  }
  embedder = provider
  const code = (n: number) => `# Page ${n}\n\n## Example\n\n\`\`\`ts\nlever.turn(${n})\n\`\`\`\n`
  const files = Object.fromEntries(Array.from({ length: 40 }, (_, n) => [`docs/${n}.md`, code(n)]))
  await install.git.create('acme/docs', { files })
  const job = await install.parse('acme/docs')
  expect([job.state, job.report?.filesRead, job.report?.llmTokens]).toEqual(['done', 40, 250 * model.asked.length])
  const embedded = await install.embedded('acme/docs')
  expect([embedded.state, failures, embedded.report?.textsEmbedded]).toEqual(['done', [], provider.texts.length])
})

test('a re-index reports a row for each version', async () => {
  await install.git.create('acme/docs', { files: { 'README.md': page('Guide', 'One.') }, tags: ['v1'] })
  await install.git.commit('acme/docs', { files: { 'b.md': page('B', 'Two.', 'Three.') } })
  const parsed = await install.parse('acme/docs', { versions: ['v1'] })
  embedder = testEmbedder()
  await install.call('POST', '/api/reindex')
  const job = await install.ended(Number(install.app.jobs.list(1, 1).jobs[0]?.id))
  const snippets = parsed.report?.snippetsAfter
  expect(job).toMatchObject({
    kind: 'reindex',
    filesDone: snippets,
    filesTotal: snippets,
    report: { snippetsBefore: snippets, snippetsAfter: snippets, tokens: parsed.report?.tokens },
  })
  expect(job.report?.versions).toEqual(
    expect.arrayContaining((parsed.report?.versions ?? []).map(({ filesKept: _, ...row }) => ({ ...row, filesRead: 0 }))),
  )
})
