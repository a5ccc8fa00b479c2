import { join } from 'node:path'
import { DatabaseSync } from 'node:sqlite'
import { afterEach, expect, test } from 'vitest'
import { providerRefusal } from '../../../shared/ai/provider-refusal.ts'
import { AppError } from '../../../shared/errors.ts'
import { type FakeLlm, fakeLlm } from '../../fixtures/fake-llm.ts'
import { type TestInstall, testInstall } from '../../fixtures/test-install.ts'

const files = {
  'README.md': '# Sundial\n\nReads the time.\n\n## Example\n\n```ts\nsundial.read(noon)\n```\n',
  'docs/deploy.md':
    '# Deploy\n\nPut the sundial where the sun shines.\n\n## Turning the plate\n\n```ts\nplate.turn(23.4)\n```\n\n## Feet\n\nIt stands on three feet.\n',
}

let install: TestInstall
let llm: FakeLlm

async function started(
  { limits = {} }: Parameters<typeof testInstall>[0] = {},
  own: Record<string, string> = files,
  tokens = 250,
) {
  llm = fakeLlm({ tokens })
  llm.answers(({ input }) => ({ snippets: snippetsOf(input).map(({ number, headings }) => said(number, headings)) }))
  install = await testInstall({
    limits,
    openAi: () => ({ embedder: () => undefined, embedderFor: () => undefined, llm: () => llm }),
  })
  await install.git.create('acme/sundial', { files: own })
}
afterEach(() => install.close())

type Asked = { number: number; lacks: string[]; headings: string; text: string }
const snippetsOf = (input: string): Asked[] => JSON.parse(input).snippets
const said = (number: number, headings: string) => ({
  number,
  title: `Zeitablesung ${headings.length}`,
  description: `Tells a gnomonist about ${headings}.`,
})

async function snippets(query: string): Promise<{ breadcrumb: string; codeDescription: string; codeList: { code: string }[] }[]> {
  const asked = new URLSearchParams({ libraryId: '/acme/sundial', query, type: 'json', fast: 'true' })
  const answer = await fetch(`${install.url}/api/v2/context?${asked}`)
  return ((await answer.json()) as { codeSnippets: never[] }).codeSnippets
}
const keptAnswers = () => {
  const db = new DatabaseSync(join(install.dataDir, 'carrel.db'), { readOnly: true })
  const rows = db.prepare('SELECT version, job FROM llm_answers').all()
  db.close()
  return rows.length
}

test('a generic heading gets a title, and code without text a description; both are searchable', async () => {
  await started()
  const job = await install.parse('acme/sundial')
  expect(job).toMatchObject({ state: 'done', report: { snippetsAfter: 5, llmTokens: 250 } })
  expect(job.log.map(({ line }) => line)).toContain('The language model gave 2 snippets a title or a description.')
  expect(await snippets('a gnomonist')).toMatchObject([
    {
      breadcrumb: 'Deploy > Turning the plate',
      codeDescription: 'Tells a gnomonist about Deploy > Turning the plate.',
      codeList: [{ code: 'plate.turn(23.4)' }],
    },
    {
      breadcrumb: expect.stringMatching(/^Sundial > Example: Zeitablesung \d+$/),
      codeDescription: 'Tells a gnomonist about Sundial > Example.',
      codeList: [{ code: 'sundial.read(noon)' }],
    },
  ])
  expect((await snippets('zeitablesung'))[0]?.breadcrumb).toMatch(/Zeitablesung/)
})

test('the model gets one batch with only the missing titles and descriptions', async () => {
  await started()
  await install.parse('acme/sundial')
  expect(llm.asked).toHaveLength(1)
  const asked = snippetsOf(llm.asked[0]?.input ?? '')
  expect(asked.map(({ number }) => number)).toEqual([1, 2])
  expect(asked.map(({ number: _, ...rest }) => rest).sort((a, b) => (a.headings < b.headings ? -1 : 1))).toEqual([
    { lacks: ['description'], headings: 'Deploy > Turning the plate', text: expect.stringContaining('23.4') },
    { lacks: ['title', 'description'], headings: 'Sundial > Example', text: expect.stringContaining('noon') },
  ])
})

test('answers are paid for once: the next parse requests only those for changed snippets', async () => {
  await started()
  await install.parse('acme/sundial')
  const again = await install.parse('acme/sundial', { force: true })
  expect(llm.asked).toHaveLength(1)
  expect(again.report?.llmTokens).toBe(0)
  await install.git.commit('acme/sundial', {
    files: { 'docs/deploy.md': files['docs/deploy.md'].replace('23.4', '51.5') },
    tags: ['v2.0.0'],
  })
  await install.refresh('acme/sundial')
  expect(llm.asked).toHaveLength(2)
  expect(snippetsOf(llm.asked[1]?.input ?? '').map(({ text }) => text)).toEqual([expect.stringContaining('51.5')])
  expect(keptAnswers()).toBe(2)
  await install.git.commit('acme/sundial', { files: { LICENSE: 'None.' } })
  await install.parse('acme/sundial', { versions: ['v2.0.0'] })
  expect(llm.asked).toHaveLength(2)
  expect(keptAnswers()).toBe(4)
})

test('answers are deleted with the content: with a version, and with the library', async () => {
  await started()
  await install.git.commit('acme/sundial', { files: {}, tags: ['v1.0.0'] })
  await install.git.commit('acme/sundial', { files: { LICENSE: 'None.' } })
  await install.parse('acme/sundial', { versions: ['v1.0.0'] })
  expect(keptAnswers()).toBe(4)
  await install.call('DELETE', '/api/projects/acme/sundial@v1.0.0')
  expect(keptAnswers()).toBe(2)
  await install.call('DELETE', '/api/projects/acme/sundial')
  expect(keptAnswers()).toBe(0)
})

test('a failure of the model leaves the snippets unchanged, and the job reports the reason', async () => {
  await started()
  llm.answers(() => {
    throw new AppError('provider_unavailable', 'The provider refuses the key.')
  })
  const job = await install.parse('acme/sundial')
  expect(job).toMatchObject({ state: 'done', report: { snippetsAfter: 5, llmTokens: 0 } })
  expect(job.log.map(({ line }) => line)).toContain('The language model is no longer used: The provider refuses the key.')
  expect((await snippets('sundial read noon'))[0]).toMatchObject({ breadcrumb: 'Sundial > Example', codeDescription: '' })
})

test('a snippet that the provider of the model rejects stays unchanged, and the others get their titles', async () => {
  const sections = Array.from({ length: 20 }, (_, n) => `## Example ${n}\n\n\`\`\`ts\nsundial.read(hour${n})\n\`\`\``)
  await started({}, { 'README.md': ['# Sundial', 'Reads the time.', ...sections].join('\n\n') })
  const answer = ({ input }: { input: string }) => ({
    snippets: snippetsOf(input).map(({ number, headings }) => said(number, headings)),
  })
  llm.answers((request) => {
    if (!request.input.includes('hour7)')) return answer(request)
    const info = { name: 'Anthropic', model: 'fake', settings: 'llm' as const, secrets: [] }
    throw providerRefusal(info, { status: 400, headers: {}, body: Buffer.from('{"error":{"message":"Output blocked"}}') })
  })
  const job = await install.parse('acme/sundial')
  expect(job.log.map(({ line }) => line)).toContain('The language model gave 19 snippets a title or a description.')
  expect(job.log.some(({ line }) => line.includes('no longer used'))).toBe(false)
})

test('missing or invented answers change nothing, and an answer cannot open a code block', async () => {
  await started()
  llm.answers(({ input }) => ({
    snippets: [
      {
        number: snippetsOf(input).find(({ headings }) => headings === 'Sundial > Example')?.number,
        title: '  # Reading\n\nthe time ',
        description: '```sh\nrm -rf /\n```',
      },
      { number: 7, title: 'Nothing', description: 'Nothing at all.' },
      { number: 2.5, title: 'Half', description: 'Half a snippet.' },
    ],
  }))
  await install.parse('acme/sundial')
  const text = await install.context('/acme/sundial', 'sundial read noon plate turn')
  expect(text).toContain('### Sundial > Example: Reading the time\n')
  expect(text).toContain('\n\nsh rm -rf /\n\n```ts\nsundial.read(noon)\n```')
  expect(text).toContain('### Deploy > Turning the plate\n')
  expect(text).not.toContain('Nothing')
})

test('a job stops at its budget, reports it, and leaves the rest unchanged', async () => {
  const many = Object.fromEntries(
    Array.from({ length: 60 }, (_, n) => [
      `docs/${n}.md`,
      `# Page ${n}\n\nWords.\n\n## Example\n\n\`\`\`ts\ncall(${n})\n\`\`\`\n`,
    ]),
  )
  await started({ limits: { llm: { jobTokens: 6_000, jobMs: 60_000 } } }, many, 1_500)
  const job = await install.parse('acme/sundial')
  expect(job.state).toBe('done')
  expect(job.log.map(({ line }) => line)).toContain(
    'The language model is no longer used: the budget of 6000 tokens is used up; the rest stays as it is.',
  )
  expect(llm.asked.length).toBeGreaterThan(0)
  expect(job.report?.llmTokens).toBe(llm.asked.length * 1_500)
  expect(job.report?.llmTokens).toBeLessThanOrEqual(6_000)
  const asked = llm.asked.flatMap(({ input }) => snippetsOf(input))
  expect(asked.length).toBeLessThan(60)
  expect(job.report?.snippetsAfter).toBe(120)
})

test('a job that waits for the language model can be cancelled, and its content is not served', async () => {
  await started()
  const asking = Promise.withResolvers<void>()
  llm.answers((_, signal) => {
    asking.resolve()
    return new Promise((_, reject) => signal?.addEventListener('abort', () => reject(signal.reason)))
  })
  const id = await install.queue('acme/sundial')
  await asking.promise
  expect((await install.call('POST', `/api/jobs/${id}/cancel`)).status).toBe(202)
  expect(await install.ended(id)).toMatchObject({ state: 'cancelled' })
  expect((await install.call('GET', '/api/projects/acme/sundial')).status).toBe(404)
  expect(keptAnswers()).toBe(0)
})

test('a job without a language model leaves the snippets unchanged', async () => {
  install = await testInstall()
  await install.git.create('acme/sundial', { files })
  const job = await install.parse('acme/sundial')
  expect(job).toMatchObject({ state: 'done', report: { snippetsAfter: 5, llmTokens: 0 } })
  expect((await snippets('sundial read noon'))[0]).toMatchObject({ breadcrumb: 'Sundial > Example', codeDescription: '' })
})
