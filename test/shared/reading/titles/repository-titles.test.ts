import { existsSync, symlinkSync } from 'node:fs'
import { join } from 'node:path'
import { expect, test } from 'vitest'
import { siteTitles } from '../../../../shared/reading/titles/repository-titles.ts'
import { tempDir } from '../../../fixtures/temp-dir.ts'
import { writeTree } from '../../../fixtures/write-tree.ts'

/** The titles and descriptions of a repository, as pairs. */
async function pairs(files: Record<string, string>, folders: string[] = []) {
  const root = tempDir()
  writeTree(root, files)
  return (await siteTitles(root, folders)).map(({ title, description }) => [title, description])
}

const acme = [['Acme', 'Anvils for all']]
const fields = `title: 'Acme', description: 'Anvils for all'`

test.each([
  ['.vitepress/config.ts', `import { defineConfig } from 'vitepress'\nexport default defineConfig({ lang: 'en', ${fields} })`],
  ['docs/.vitepress/config.mts', `export default withMermaid(defineConfig<Theme<A>>({ ${fields} }) satisfies UserConfig)`],
  ['docs/.vitepress/config/index.js', `const shared = { ${fields} }\nexport default defineConfig({ ...shared, locales: {} })`],
  ['docs/.vuepress/config.js', `module.exports = { locales: { '/zh/': { title: 'X' }, '/': { ${fields} } } }`],
  [
    'website/docusaurus.config.js',
    `module.exports = { title: "Acme", tagline: \`Anvils for all\`, themeConfig: { title: 'X' } };`,
  ],
  [
    'website/docusaurus.config.ts',
    `const tagline = 'Anvils ' + 'for all'
     const config: Config = { title: 'Acme' as const, tagline, themeConfig: { navbar: { title: 'X' } } }
     export default config`,
  ],
  [
    'docusaurus.config.ts',
    `export default async function createConfig(): Promise<Config> { return { 'title': 'Acme', tagline: 'Anvils for all' } }`,
  ],
  [
    'docs/astro.config.mjs',
    `export default defineConfig({ title: 'X', integrations: [starlight({ title: { de: 'Y', en: 'Acme' }, description: 'Anvils for all' })] })`,
  ],
  ['rspress.config.ts', `export default defineConfig(({ mode }: Env) => ({ ${fields} }))`],
  [
    'mkdocs.yml',
    `INHERIT: base.yml\nsite_name: Acme\nsite_description: >-\n  Anvils\n  for all\nnav: !ENV [NAV, x]\nplugins: !!python/name:x.y\n`,
  ],
  ['zensical.toml', '[project]\nsite_name = "Acme"\nsite_description = "Anvils for all"'],
  ['docs.json', '{"$schema": "https://mintlify.com/docs.json", "name": "Acme", "description": "Anvils for all"}'],
  ['docs/mint.json', '{"name": "Acme", "description": "Anvils for all", "navigation": []}'],
  ['docs/antora.yml', "name: acme\ntitle: 'Acme'\ndescription: Anvils for all\n"],
  ['book.toml', '[book]\ntitle = "Acme"\ndescription = "Anvils for all"'],
  ['guide/book.json', '{"title": "Acme", "description": "Anvils for all"}'],
  ['hugo.toml', 'title = "Acme"\n[params]\ndescription = "Anvils for all"'],
  ['docs/_config.yml', 'title: Acme # the name\ndescription: "Anvils for all"'],
])('the file %s gives title and description', async (path, content) => {
  expect(await pairs({ [path]: content })).toEqual(acme)
})

test.each([`project = "Acme"`, `import sys\nproject = u'Acme'  # the name\r\n`])(
  'the file conf.py of Sphinx gives a title',
  async (python) => {
    expect(await pairs({ 'docs/source/conf.py': python })).toEqual([['Acme', undefined]])
  },
)

test('a computed value is not a title', async () => {
  const computed = [
    `export default { title: process.env.TITLE || 'Acme', description: \`for \${who}\` }`,
    `export default { title: isNext ? 'Acme' : 'Other', description: 'Anvils'.toUpperCase() }`,
    `import { title, description } from './texts'\nexport default { title, description }`,
    `let title = 'Acme'\nexport default { title, ['description']: 'x' }`,
    `const a = 'x'\nfunction f() { const a = 'y' }\nexport default { title: a, description: a }`,
    `const a = a, b = { ...b, ...c }, c = b\nconst d = d\nexport default { ...b, title: d, description: a }`,
    `const sidebar = [{ title: 'Guide', description: 'x' }]\nexport const other = { title: 'Other' }`,
  ]
  for (const source of computed) expect(await pairs({ 'docusaurus.config.ts': source })).toEqual([[undefined, undefined]])
  expect(await pairs({ 'docs/conf.py': 'project = get("name")\nproject2 = "Acme"' })).toEqual([[undefined, undefined]])
})

test('a configuration file is never run', async () => {
  const root = tempDir()
  const mark = join(root, 'ran')
  const run = `require('fs').writeFileSync(${JSON.stringify(mark)}, ''); globalThis.ran = true`
  writeTree(root, {
    'docusaurus.config.js': `${run}; module.exports = { title: 'Acme' }`,
    'docs/astro.config.mjs': `${run}; export default starlight({ title: (() => { ${run}; return 'Acme' })() })`,
    'docs/conf.py': `open(${JSON.stringify(mark)}, "w")\nproject = "Acme"`,
  })
  expect((await siteTitles(root, [])).map(({ title }) => title)).toEqual(['Acme', undefined, 'Acme'])
  expect([existsSync(mark), 'ran' in globalThis]).toEqual([false, false])
})

test('the documentation folders are searched first, then the root, then the usual folders', async () => {
  const at = (folder: string) => ({ [`${folder}mkdocs.yml`]: `site_name: ${folder === '' ? 'root' : folder.slice(0, -1)}` })
  const folders = ['packages/docs/', 'website/', 'docs/', 'docs/en/', '', 'sub/one/', 'sub/', 'other/', 'Doc/']
  const files = Object.assign({}, ...folders.map(at)) as Record<string, string>
  const usual = ['docs', 'docs/en', 'Doc', 'website', 'packages/docs']
  expect((await pairs(files)).map(([title]) => title)).toEqual(['root', ...usual])
  const chosen = ['sub/one/*.md', 'website', '../other', '/']
  expect((await pairs(files, chosen)).map(([title]) => title)).toEqual([
    'sub/one',
    'sub',
    'website',
    'root',
    ...usual.filter((each) => each !== 'website'),
  ])
})

test('files and folders outside the repository are not read', async () => {
  const outside = tempDir()
  const root = tempDir()
  writeTree(outside, { 'mkdocs.yml': 'site_name: Outside' })
  writeTree(root, { 'config/mkdocs.yml': 'site_name: Inside' })
  symlinkSync(join(outside, 'mkdocs.yml'), join(root, 'mkdocs.yml'))
  symlinkSync(outside, join(root, 'docs'))
  symlinkSync('config/mkdocs.yml', join(root, 'mkdocs.yaml'))
  expect(await siteTitles(root, ['docs', 'docs/..', '..'])).toEqual([{ title: 'Inside', description: undefined }])
})

test('other files with the same names, and broken ones, give no title', async () => {
  const files = {
    'docs.json': '{"name": "a list of documents"}',
    'mint.json': '{',
    'book.toml': '= = =',
    'book.json': '[]',
    'mkdocs.yml': 'site_name: [Acme\nsite_description: *missing',
    'hugo.yaml': 'title: 7',
    'docusaurus.config.js': `'unclosed`,
    'astro.config.mjs': `export default defineConfig({ title: 'Blog' })`,
    'docs/mkdocs.yml': '\0\0\0',
    'docs/docusaurus.config.js': `export default { title: 'Large' }\n${' '.repeat(2 ** 18)}`,
    'site/mkdocs.yml': `site_name: Large\n${'#'.repeat(2 ** 20)}`,
  }
  expect((await pairs(files)).filter(([title, description]) => title !== undefined || description !== undefined)).toEqual([])
})

test('a field of more than 2,000 characters is no title', async () => {
  const long = `site_name: >\n${'  Long name\n'.repeat(200)}site_description: Anvils\n`
  expect(await pairs({ 'mkdocs.yml': long })).toEqual([[undefined, 'Anvils']])
})

const fill = (part: string, length = 1_000_000) => part.repeat(length / part.length)
const script = (part: string) => fill(part, 250_000)

test.each<[string, string, string]>([
  ['nested brackets', 'docusaurus.config.js', `export default ${script('[')}`],
  ['nested calls', 'docusaurus.config.js', `export default ${script('f(')}`],
  ['arguments', 'docusaurus.config.js', `export default f(${script('async,')})`],
  ['arrow functions', 'docusaurus.config.js', `export default ${script('()=>')}`],
  ['constants', 'docusaurus.config.js', script('const a ')],
  ['type arguments', 'docusaurus.config.ts', `export default f(${script('a<')})`],
  ['exports', 'docusaurus.config.js', script('export default a\n')],
  ['templates', 'docusaurus.config.js', `export default { title: ${script('`${')}`],
  [
    'constants that double',
    'docusaurus.config.js',
    `${Array.from({ length: 30 }, (_, n) => `const a${n} = a${n + 1} + a${n + 1}\n`).join('')}const a30 = '${script('x')}'\nexport default { title: a0, description: a22 }`,
  ],
  [
    'repeated properties',
    'docusaurus.config.js',
    `const a = {${'b:1,'.repeat(30_000)}}\nexport default {${'title:a,'.repeat(15_000)}}`,
  ],
  ['nested keys', 'mkdocs.yml', `site_name: ${'{? '.repeat(600)}`],
  ['closed nested keys', 'mkdocs.yml', `site_name: ${'{? '.repeat(18)}a${' : b}'.repeat(18)}`],
  ['anchors', 'mkdocs.yml', `site_name: ${fill('&a ')}`],
  ['aliases', 'mkdocs.yml', `x: &a [1]\nsite_name: [${fill('*a,')}]`],
  ['lines of YAML', 'mkdocs.yml', fill('x:\n')],
  ['dotted keys', 'book.toml', `a${fill('.a')} = 1`],
  ['nested JSON', 'docs.json', fill('[')],
  ['lines of Python', 'docs/conf.py', fill('project = "\n')],
])('hostile content gives no title: %s', async (_, path, content) => {
  expect((await pairs({ [path]: content })).flat().filter((text) => text !== undefined)).toEqual([])
})
