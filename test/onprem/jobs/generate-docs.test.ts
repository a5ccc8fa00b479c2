import { afterEach, expect, test } from 'vitest'
import { AppError } from '../../../shared/errors.ts'
import { type FakeLlm, fakeLlm } from '../../fixtures/fake-llm.ts'
import { type LoggedJob, type TestInstall, testInstall } from '../../fixtures/test-install.ts'

const kettle = `export function boil(litres: number): void {\n  heat(litres)\n}\n`
const files = {
  'package.json': JSON.stringify({ name: 'kettle', main: './dist/kettle.js' }),
  'src/kettle.ts': kettle,
  'src/heat.ts': 'export function heat(litres: number): number {\n  return litres * 4184\n}\n',
  'src/kettle.test.ts': `import { boil } from './kettle.ts'\nboil(1) // the test is not documentation\n`,
  'node_modules/other/index.js': 'module.exports = () => "somebody else wrote this, not the library"\n',
  'dist/kettle.js': 'export function boil(litres) { heat(litres) } // what was built from it\n',
}

let install: TestInstall
let llm: FakeLlm | undefined

async function started(own: Record<string, string> = files): Promise<FakeLlm> {
  const model = fakeLlm({ tokens: 300 })
  model.answers(({ input }) => pageOf(JSON.parse(input)))
  llm = model
  install = await testInstall({
    limits: { retryPausesMs: [] },
    openAi: () => ({ embedder: () => undefined, embedderFor: () => undefined, llm: () => llm }),
  })
  await install.git.create('acme/kettle', { files: own })
  return model
}
afterEach(() => install.close())

const pageOf = ({ path, text }: { path: string; text: string }) => ({
  title: `About ${path.split('/').at(-1)}`,
  sections: [
    {
      heading: 'What it is for',
      markdown: `It handles samovars of ${text.length} characters.\n\n\`\`\`ts\ncallIt('${path}')\n\`\`\``,
    },
  ],
})
const sources = (asked: { input: string }[]) => asked.map(({ input }) => JSON.parse(input).path as string)
const library = async () => (await install.call('GET', '/api/projects/acme/kettle')).body
const lines = ({ log }: LoggedJob) => log.map(({ line }) => line)

test('a repository without documents gets generated documentation, each part with its source file', async () => {
  const model = await started()
  const job = await install.parse('acme/kettle', { generateDocs: true })
  expect(job).toMatchObject({ state: 'done', report: { filesRead: 2, snippetsAfter: 2, llmTokens: 600, skipped: [] } })
  expect(lines(job)).toContain('The language model wrote 2 snippets of documentation from source files.')
  expect(sources(model.asked).sort()).toEqual(['src/heat.ts', 'src/kettle.ts'])
  const { commit } = await library()
  const text = await install.context('/acme/kettle', 'samovar kettle.ts callIt')
  const blob = `${install.git.url}/acme/kettle/blob/${commit}/src/kettle.ts`
  expect(text).toContain(
    `### About kettle.ts > What it is for\n\nSource: ${blob}\n\nVersion: kettle main, commit of 2023-11-14\n\nGenerated from \`src/kettle.ts\` by a language model.\n\nIt handles samovars of ${kettle.length} characters.\n\n\`\`\`ts\ncallIt('src/kettle.ts')\n\`\`\``,
  )
  expect(await library()).toMatchObject({ generated: true, totalSnippets: 2 })
})

test('a refresh generates again, and pays only for changed files', async () => {
  const model = await started()
  await install.parse('acme/kettle', { generateDocs: true })
  await install.git.commit('acme/kettle', {
    files: { 'src/heat.ts': 'export function heat(litres: number): number {\n  return litres * 5000\n}\n' },
  })
  const job = await install.refresh('acme/kettle')
  expect(job).toMatchObject({ state: 'done', report: { snippetsAfter: 2, llmTokens: 300 } })
  expect(sources(model.asked.slice(2))).toEqual(['src/heat.ts'])
  expect(await library()).toMatchObject({ generated: true })
})

test('a parse without generateDocs generates no pages', async () => {
  const model = await started({ ...files, 'README.md': '# Kettle\n\nBoils water.\n' })
  const job = await install.parse('acme/kettle')
  expect(job).toMatchObject({ state: 'done', report: { snippetsAfter: 1 } })
  expect(model.asked).toEqual([])
  expect(await library()).toMatchObject({ generated: false })
})

test('a change of generateDocs to on reads an unchanged commit again, and to off removes the generated pages', async () => {
  await started({ ...files, 'README.md': '# Kettle\n\nBoils water in a samovar.\n' })
  await install.parse('acme/kettle')
  expect(await install.parse('acme/kettle', { generateDocs: true })).toMatchObject({ report: { snippetsAfter: 3 } })
  expect(await library()).toMatchObject({ generated: true })
  expect(await install.parse('acme/kettle', { force: true })).toMatchObject({ report: { snippetsAfter: 1 } })
  expect(await library()).toMatchObject({ generated: false })
  expect(await install.context('/acme/kettle', 'samovar')).not.toContain('Generated from')
})

test('a repository with documentation gets no generated pages', async () => {
  const guide = Array.from({ length: 20 }, (_, n) => `## Part ${n} of the guide\n\nHow to boil ${n} litres.\n`).join('\n')
  const model = await started({ ...files, 'docs/guide.md': `# Guide\n\n${guide}` })
  const job = await install.parse('acme/kettle', { generateDocs: true })
  expect(lines(job)).toContain('Nothing is generated: the repository has documentation of its own.')
  expect(model.asked).toEqual([])
  expect(await library()).toMatchObject({ generated: false })
})

test('a file without generated documentation is in the report, and is not paid for twice', async () => {
  const model = await started()
  model.answers(({ input }) => {
    const source = JSON.parse(input)
    return source.path === 'src/heat.ts' ? { title: '', sections: [] } : pageOf(source)
  })
  const skipped = [{ path: 'src/heat.ts', reason: 'the language model found nothing in it to document' }]
  expect(await install.parse('acme/kettle', { generateDocs: true })).toMatchObject({ state: 'done', report: { skipped } })
  expect(await install.parse('acme/kettle', { generateDocs: true, force: true })).toMatchObject({
    report: { llmTokens: 0, skipped },
  })
  expect(model.asked).toHaveLength(2)
})

test('a failure of the model fails the job with the message of the provider', async () => {
  const model = await started()
  model.answers(() => {
    throw new AppError('provider_unavailable', 'The provider refuses the key.')
  })
  expect(await install.parse('acme/kettle', { generateDocs: true })).toMatchObject({
    state: 'failed',
    error: 'no_snippets_found: No documentation could be generated. The provider refuses the key.',
  })
})

test('a model that fails at a refresh does not remove earlier generated pages', async () => {
  const model = await started()
  await install.parse('acme/kettle', { generateDocs: true })
  await install.git.commit('acme/kettle', {
    files: { 'src/heat.ts': 'export function heat(): number {\n  return 4184 * 4184\n}\n' },
  })
  model.answers(() => {
    throw new AppError('provider_unavailable', 'The provider refuses the key.')
  })
  expect(await install.refresh('acme/kettle')).toMatchObject({
    state: 'failed',
    error:
      'no_snippets_found: Not all documentation could be generated, so fewer than the current 2 snippets would be served. The provider refuses the key. The old content stays.',
  })
  expect(await library()).toMatchObject({ generated: true, totalSnippets: 2 })
  expect(await install.parse('acme/kettle', { generateDocs: true, force: true })).toMatchObject({
    state: 'done',
    report: { snippetsAfter: 1 },
  })
})

test('headings and code fences in a generated page stay data below its source', async () => {
  const model = await started()
  model.answers(({ input }) => ({
    title: '# Kettle\n# Second title',
    sections: [
      {
        heading: JSON.parse(input).path,
        markdown:
          '# Not a page\n\nOpens a samovar.\n\n```sh\n# a comment\nsamovar --open\n```\n\n[include](../../../etc/passwd)\n\n--8<-- "/etc/passwd"',
      },
    ],
  }))
  await install.parse('acme/kettle', { generateDocs: true })
  const text = await install.context('/acme/kettle', 'open a samovar')
  expect(text).toContain('### Kettle # Second title > src/kettle.ts > Not a page\n')
  expect(text).toContain('# a comment\nsamovar --open')
  expect(text).not.toContain('root:')
})

test('parse and refresh are rejected without a language model, with the settings to change', async () => {
  await started()
  await install.parse('acme/kettle', { generateDocs: true })
  llm = undefined
  const message =
    'Documentation is generated by a language model, and none is set: set llm.provider and llm.model, or add /acme/kettle without generateDocs.'
  const refused = { status: 400, body: { error: 'validation_error', message, fields: expect.any(Array) } }
  const repoUrl = `${install.git.url}/acme/kettle`
  expect(await install.call('POST', '/api/parse', { repoUrl, generateDocs: true })).toEqual(refused)
  expect(await install.call('POST', '/api/projects/acme/kettle/refresh')).toEqual(refused)
  expect(await library()).toMatchObject({ generated: true, totalSnippets: 2 })
})
