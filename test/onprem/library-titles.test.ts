import { afterAll, beforeAll, expect, test } from 'vitest'
import { type TestInstall, testInstall } from '../fixtures/test-install.ts'

let install: TestInstall

beforeAll(async () => {
  install = await testInstall()
})
afterAll(() => install.close())

const vitepress = (title: string, description: string) =>
  `import { defineConfig } from 'vitepress'\nexport default defineConfig({ title: ${title}, description: ${description}, head: [] })\n`
const website = {
  'README.md': '# Repository for hono.dev\n\nThis is a repository for the Hono website.\n',
  'package.json': '{"name": "website", "description": "The website"}',
  'docs/guide.md': '# Guide\n\nThe lever turns.\n',
}

async function parsed(repo: string, files: Record<string, string>, more: Record<string, unknown> = {}) {
  await install.git.create(repo, { files })
  expect(await install.parse(repo, more)).toMatchObject({ state: 'done' })
  return listed(repo)
}

async function listed(repo: string) {
  const { title, description } = (await install.call('GET', `/api/projects/${repo}`)).body
  return [title, description]
}

test('a library has the title of its documentation site in searches, lists and for agents', async () => {
  const files = { ...website, '.vitepress/config.ts': vitepress(`'Hono'`, `'Web framework built on Web Standards'`) }
  expect(await parsed('honojs/website', files)).toEqual(['Hono', 'Web framework built on Web Standards'])
  const found = (await install.call('GET', '/api/v2/libs/search?libraryName=hono&query=routing')).body
  expect(found).toMatchObject({ results: [{ id: '/honojs/website', title: 'Hono' }] })
  const call = { name: 'resolve-library-id', arguments: { libraryName: 'hono', query: 'routing' } }
  const reply = await install.ask('/mcp', {
    method: 'POST',
    headers: { 'content-type': 'application/json', accept: 'application/json, text/event-stream' },
    body: JSON.stringify({ jsonrpc: '2.0', id: 1, method: 'tools/call', params: call }),
  })
  expect(await reply.text()).toContain('- Title: Hono\\n')
})

test('a library is found by the name under which its documentation imports it', async () => {
  const page = (n: number) =>
    `# Part ${n}\n\nTurn lever ${n}.\n\n\`\`\`python\nimport anvil.numpy as anp\nimport numpy as np\n\`\`\`\n`
  const pyproject = '[project]\nname = "anvil"\n'
  const files = { 'pyproject.toml': pyproject, 'docs/a.md': page(1), 'docs/b.md': page(2), 'docs/c.md': page(3) }
  await parsed('forge/hammer', files)
  const found = async (libraryName: string) =>
    (await install.call('GET', `/api/v2/libs/search?libraryName=${libraryName}&query=levers`)).body
  expect(await found('anp')).toMatchObject({ results: [{ id: '/forge/hammer' }] })
  expect(JSON.stringify(await found('np'))).not.toContain('/forge/hammer')
})

test('a title stays byte for byte when the same commit is parsed again', async () => {
  const files = { ...website, 'mkdocs.yml': 'site_name: "Acme  Anvils 🔨"\nsite_description: |\n  Anvils\n\n  for all\n' }
  const first = await parsed('same/docs', files)
  expect(first).toEqual(['Acme Anvils', 'Anvils for all'])
  await install.parse('same/docs')
  expect(await listed('same/docs')).toEqual(first)
  await install.parse('same/docs', { force: true })
  expect(await listed('same/docs')).toEqual(first)
})

test('the project file has precedence over other sources of the title', async () => {
  const projectFile = JSON.stringify({ projectTitle: 'Owner title', description: 'Owner description' })
  const files = { ...website, 'context7.json': projectFile, 'mkdocs.yml': 'site_name: Site\nsite_description: Site description' }
  expect(await parsed('owner/titled', files)).toEqual(['Owner title', 'Owner description'])
})

test.each([
  [
    'README',
    'acme/one',
    { ...website, 'README.md': '# Acme Anvils\n\nAnvils for all coyotes.\n' },
    ['Acme Anvils', 'Anvils for all coyotes.'],
  ],
  [
    'manifest',
    'acme/two',
    { 'a.md': 'x', 'package.json': '{"name": "anvils", "description": "All anvils"}' },
    ['anvils', 'All anvils'],
  ],
  ['name of the repository', 'acme/anvils', { 'a.md': 'x' }, ['anvils', 'Documentation of acme/anvils']],
  [
    'name of the owner',
    'acme/Docs-Site',
    { 'a.md': 'x', 'README.md': '# Documentation\n' },
    ['acme', 'Documentation of acme/Docs-Site'],
  ],
  [
    'owner, if a template was not changed',
    'anvilco/website',
    {
      'README.md': '# Website\n\nThis website is built using [Docusaurus](https://docusaurus.io/), a modern generator.\n',
      'docusaurus.config.js': `module.exports = { title: 'My Site', tagline: 'Dinosaurs are cool' }`,
      'docs/intro.md': '# Tutorial\n\nThe lever turns.\n',
    },
    ['anvilco', 'Documentation of anvilco/website'],
  ],
])('the title comes from the %s if there is no documentation site', async (_, repo, files, expected) => {
  expect(await parsed(repo, files)).toEqual(expected)
})

test('the configuration of the folder that is read has precedence over that of the root', async () => {
  const files = {
    'docusaurus.config.js': `module.exports = { title: 'Blog' }\n`,
    'mkdocs.yml': 'site_name: Root',
    'packages/anvil/mkdocs.yml': 'site_name: Anvil',
    'packages/anvil/docs/use.md': '# Use\n\nThe lever turns.\n',
  }
  expect((await parsed('many/sites', files, { folders: ['packages/anvil/docs'] }))[0]).toBe('Anvil')
})

test('a computed value or a hostile configuration leaves the title to the next source', async () => {
  const readme = { 'README.md': '# Acme Anvils\n\nAnvils for all coyotes.\n' }
  const expected = ['Acme Anvils', 'Anvils for all coyotes.']
  const computed = { '.vitepress/config.ts': vitepress('process.env.TITLE', '[1, 2].join()') }
  expect(await parsed('hostile/computed', { ...readme, ...computed })).toEqual(expected)
  const hostile = {
    '.vitepress/config.ts': `export default ${'['.repeat(250_000)}`,
    'docusaurus.config.js': `module.exports = { title: 'Acme', tagline: ${'('.repeat(900_000)}`,
    'mkdocs.yml': `x: &x [a]\nsite_name: [${'*x,'.repeat(300_000)}]\n`,
    'docs/conf.py': 'project = "\n'.repeat(80_000),
    'docs.json': '['.repeat(1_000_000),
  }
  expect(await parsed('hostile/large', { ...readme, ...hostile })).toEqual(expected)
  expect((await install.ask('/api/health')).status).toBe(200)
})

test('a title has one line, without control and format characters, and is limited', async () => {
  const files = {
    ...website,
    'mkdocs.yml': `site_name: "A\\u202Ecme\\n\\e[31m <b>Anvils</b>\\u200B"\nsite_description: "${'for all '.repeat(100)}"\n`,
  }
  const [title, description] = await parsed('soiled/docs', files)
  expect(title).toBe('Acme [31m Anvils')
  expect(description).toMatch(/^(for all )+for(?: all)?…$/)
  expect(String(description).length).toBeLessThanOrEqual(500)
  const long = { 'README.md': '# Acme\n', 'mkdocs.yml': `site_name: ${'Anvil '.repeat(20)}` }
  expect((await parsed('long/anvil', { ...long, 'a.md': 'The lever turns.' }))[0]).toBe('Acme')
})

test('a repository named docs has the name of its owner, also while it waits', async () => {
  await install.git.create('waiting/docs', { files: {} })
  await install.parse('waiting/docs')
  expect(await listed('waiting/docs')).toEqual(['waiting', 'Documentation of waiting/docs'])
})
