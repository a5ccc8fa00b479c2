import { symlinkSync } from 'node:fs'
import { join } from 'node:path'
import { expect, test } from 'vitest'
import { readPage } from '../../../../shared/reading/read-page.ts'
import { readmeTitles } from '../../../../shared/reading/titles/readme-titles.ts'
import { tempDir } from '../../../fixtures/temp-dir.ts'
import { writeTree } from '../../../fixtures/write-tree.ts'

async function titled(text: string, name = 'README.md') {
  const root = tempDir()
  writeTree(root, { [name]: text })
  const { title, description } = await readmeTitles(root, readPage)
  return [title, description]
}

const sentence = 'Fast anvils for all coyotes.'

test.each([
  ['a heading', `# Acme\n\n${sentence}\n`],
  ['an underlined heading', `Acme\n====\n\n${sentence}`],
  ['Windows line ends and a byte order mark', `\uFEFF# Acme\r\n\r\n${sentence}\r\n`],
  ['front matter', `---\ntitle: x\n---\n\n# Acme\n\n${sentence}`],
  ['a link', `# [Acme](https://acme.example)\n\n${sentence}`],
  ['emoji', `# :rocket: Acme 🚀\n\n🔥 ${sentence} 🔥`],
  [
    'badges',
    `# Acme [![npm](https://img.example/npm.svg)](https://npm.example) ![build][ref]\n\n[![build](x.svg)](y)\n\n${sentence}`,
  ],
  [
    'a heading in HTML',
    `<h1 align="center">\n  <a href="x"><img src="x.png"/>Acme</a>\n</h1>\n\n<p align="center">Fast <b>anvils</b> for all coyotes.</p>`,
  ],
  ['a logo', `<h1 align="center"><img src="x.png" alt="Acme Logo"></h1>\n\n${sentence}`],
  ['an image', `# ![Acme](logo.png)\n\n${sentence}`],
  ['a heading inside HTML', `<div align="center">\n\n# Acme\n\n**${sentence}**\n\n</div>`],
  ['a quote', `# Acme\n\n> Fast *anvils*\n> for all coyotes.\n`],
  [
    'rows of links',
    `# Acme\n\n[English](a) | [Deutsch](b)\n\n<h4><a href="x">Website</a> | <a href="y">Blog</a></h4>\n\n${sentence}`,
  ],
  ['alerts and lists', `# Acme\n\n> [!NOTE]\n> This is the next version.\n\n- one of many\n\n${sentence}`],
  ['an address', `# Acme\n\n[**https://docs.anvils.example.org**](https://docs.anvils.example.org)\n\n${sentence}`],
  ['comments', `<!-- <h1>Old</h1> -->\n# Acme <!-- omit in toc -->\n\n${sentence}`],
])('a README with %s has a title and a description', async (_, text) => {
  expect(await titled(text)).toEqual(['Acme', sentence])
})

test.each([
  ['README.rst', `Acme\n====\n\n.. image:: x.png\n\n${sentence}\n\nInstall\n-------\n\nRun it.\n`],
  [
    'README.rst',
    `Acme\n====\n\n.. image:: x.svg\n   :alt: Package on the index\n\n|build-status| |docs of it|\n\n:Web: https://acme.example/docs\n:Keywords: fast, anvils, for,\n  all, coyotes\n\n${sentence}\n\n.. |build-status| image:: y.svg\n`,
  ],
  [
    'readme.adoc',
    `image:https://ci.example/b.svg["Revved up by some builder", link="x"]\n\n= Acme\n\nimage::y.png[The logo of it]\n\n${sentence}\n`,
  ],
  ['readme.adoc', `= Acme\n\n${sentence}\n\n== Install\n`],
  ['Readme.markdown', `# Acme\n\n${sentence}`],
])('the file %s is read in its format', async (name, text) => {
  expect(await titled(text, name)).toEqual(['Acme', sentence])
})

test('a README that begins with its sponsors has no title', async () => {
  const text = `.. image:: x.png\n\n:Version: 1\n\nDonations\n=========\n\nPlease send money to us.\n`
  expect(await titled(text, 'README.rst')).toEqual([undefined, undefined])
})

test('a README that is written like a manual page is named by its section Name', async () => {
  expect((await titled('Name\n====\n\nkit_module - Paints everything at once.\n'))[0]).toBe('kit_module')
})

test('a heading that is not at the top, or is a sentence, is not a title', async () => {
  expect(await titled(`${sentence}\n\n## Install\n\n# Acme\n`)).toEqual([undefined, sentence])
  expect((await titled(`# ${'All the anvils '.repeat(5)}`))[0]).toBeUndefined()
  expect(await titled('# Acme\n\n## Install\n\nThis is how to install it.\n')).toEqual(['Acme', undefined])
})

test('a long description is cut between words', async () => {
  const [, description = ''] = await titled(`# Acme\n\n${'anvils for all '.repeat(50)}`)
  expect(description.length).toBeLessThanOrEqual(200)
  expect(description).toMatch(/ (anvils|for|all)…$/)
})

test('a README that is a link is read only inside the repository', async () => {
  const outside = tempDir()
  const root = tempDir()
  writeTree(outside, { 'README.md': '# Outside' })
  writeTree(root, { 'packages/acme/README.md': '# Acme' })
  symlinkSync('packages/acme/README.md', join(root, 'README.md'))
  expect((await readmeTitles(root, readPage)).title).toBe('Acme')
  const other = tempDir()
  symlinkSync(join(outside, 'README.md'), join(other, 'README.md'))
  expect(await readmeTitles(other, readPage)).toEqual({})
  expect(await readmeTitles(join(root, 'missing'), readPage)).toEqual({})
})

test.each(['<h1>', '<img ', '![', '![a](', '<!--', '>', '[', '# ', '_', '*a ', '# a\n', '<b '])(
  'a megabyte of %s is read before the limit of a test',
  async (part) => {
    expect(await titled(part.repeat(1_000_000 / part.length))).toBeDefined()
  },
)
