import { mkdir, writeFile } from 'node:fs/promises'
import { dirname, join } from 'node:path'
import { describe, expect, test } from 'vitest'
import { documentation, type Library, packageDocuments } from '../../bench/documentation.ts'
import { byFormat, merged, questionsFor, slices } from '../../bench/libraries.ts'
import { proseWriter, vocabularyOf } from '../../bench/words.ts'
import { git } from '../../fixtures/git-repository.ts'
import { tempDir } from '../../fixtures/temp-dir.ts'

async function folderOf(files: Record<string, string>): Promise<string> {
  const folder = tempDir()
  for (const [path, text] of Object.entries(files)) {
    await mkdir(dirname(join(folder, path)), { recursive: true })
    await writeFile(join(folder, path), text)
  }
  return folder
}

const library = (files: Record<string, string>, questions: string[] = []): Library => ({
  name: 'lib',
  files: new Map(Object.entries(files)),
  questions,
})

describe('the text of a benchmark', () => {
  test('consists of the documents in the given folders, as one library per folder', async () => {
    const first = await folderOf({ 'guide/b.md': 'B', 'a.rst': 'A', 'code.ts': 'x', 'node_modules/c/README.md': 'C' })
    const second = await folderOf({ 'only.adoc': 'O' })
    const { libraries } = await documentation({ docs: [first, second], kit: 'ignored' }, tempDir())
    expect(libraries.map(({ files }) => [...files])).toEqual([
      [
        ['a.rst', 'A'],
        ['guide/b.md', 'B'],
      ],
      [['only.adoc', 'O']],
    ])
  })

  test('is rejected if a folder has no documents', async () => {
    const folder = await folderOf({ 'code.ts': 'x' })
    await expect(documentation({ docs: [folder] }, tempDir())).rejects.toThrow('has no documentation')
  })

  test('consists of the repositories of a kit, with its questions', async () => {
    const source = await folderOf({ 'docs/a.md': '# A' })
    const kit = await folderOf({
      'public/corpora.json': JSON.stringify([{ corpus: 'acme', bundle: 'acme.bundle' }]),
      'public/queries.json': JSON.stringify([
        { corpus: 'acme', query: 'what is A?' },
        { corpus: 'other', query: 'what is B?' },
      ]),
    })
    await git(source, ['init', '--quiet', '--initial-branch', 'main'])
    await git(source, ['add', '.'])
    await git(source, ['-c', 'user.name=T', '-c', 'user.email=t@example.com', 'commit', '--quiet', '-m', 'docs'])
    await git(source, ['bundle', 'create', '--quiet', join(kit, 'public/acme.bundle'), 'main'])
    const { libraries } = await documentation({ kit }, tempDir())
    expect(libraries).toEqual([{ name: 'acme', files: new Map([['docs/a.md', '# A']]), questions: ['what is A?'] }])
  })

  test('consists of the documentation of installed packages, without changelogs, licenses and duplicates', async () => {
    const modules = await folderOf({
      'a/README.md': 'A',
      'a/CHANGELOG.md': 'changes',
      'a/LICENSE.md': 'license',
      '@b/c/docs/guide.mdx': 'C',
      '@b/d/README.md': 'A',
    })
    expect([...packageDocuments(modules).keys()]).toEqual(['@b/c/docs/guide.mdx', '@b/d/README.md'])
    const { libraries } = await documentation({}, tempDir())
    expect(libraries[0]?.files.size).toBeGreaterThan(500)
  })
})

describe('the libraries of a benchmark', () => {
  const texts = {
    source: 'test',
    libraries: [library({ 'a.md': '# Alpha beta\n', 'b.mdx': '12345' }), { ...library({ 'a.md': 'x' }), name: 'other' }],
  }

  test('are merged into one library with a folder each', () => {
    expect([...merged(texts).files.keys()]).toEqual(['lib/a.md', 'lib/b.mdx', 'other/a.md'])
  })

  test('are cut into slices of a given size without duplicate files', () => {
    expect(slices(texts, 3, 10).map(({ files }) => [...files.keys()])).toEqual([
      ['lib/a.md'],
      ['lib/b.mdx', 'other/a.md', 'lib/a.md'],
      ['other/a.md', 'lib/a.md'],
    ])
    expect(slices(texts, 1, 1000).map(({ files }) => files.size)).toEqual([3])
  })

  test('are divided by format, without the formats of few files', () => {
    expect(byFormat(texts, 2).map(({ format, library: { files } }) => [format, files.size])).toEqual([['Markdown', 2]])
  })

  test('get the questions of a kit, or questions made from their headings', () => {
    expect(questionsFor(library({ 'a.md': '# Alpha beta\n', 'b.rst': 'Gamma delta\n===========\n' }), 20, 1)).toEqual(
      expect.arrayContaining(['how do I use Alpha beta', 'how do I use Gamma delta']),
    )
    expect(questionsFor(library({}, ['what is A?']), 1, 1)).toEqual(['what is A?'])
  })

  test('are searched for headings only once', () => {
    const searched = library({ 'a.md': '# Alpha beta\n' })
    const first = questionsFor(searched, 3, 1)
    searched.files.clear()
    expect(questionsFor(searched, 3, 1)).toEqual(first)
  })
})

test('generated prose has real words, the exact length and no sentence twice', () => {
  const vocabulary = vocabularyOf({
    source: 'test',
    libraries: [library({ 'a.md': 'one two two three three three four five six' })],
  })
  expect(vocabulary.slice(0, 2)).toEqual(['three', 'two'])
  const write = proseWriter(vocabulary, 1)
  const text = write(20_000) + write(20_000)
  expect(text).toHaveLength(40_000)
  const sentences = text.split('. ')
  expect(new Set(sentences).size).toBe(sentences.length)
})
