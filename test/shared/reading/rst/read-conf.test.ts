import { describe, expect, test } from 'vitest'
import { rstReader } from '../../../../shared/reading/rst/reader.ts'
import { codeOf, contextOf, pageText, proseOf } from '../page-text.ts'

const read = async (text: string, files: Record<string, string>) => rstReader(text, contextOf('docs/guide/page.rst', files))
const prose = async (text: string, conf: string) => proseOf(await read(text, { 'docs/conf.py': conf }))

describe('the conf.py of Sphinx', () => {
  test('gives the release, the version and the names of its prolog and epilog, also in titles', async () => {
    const conf = `import kit
project = u'Kit'
version = release = "2.1.3"  # of the package
rst_prolog = r"""
.. |maker| replace:: The *Makers*
"""
rst_epilog = (
    '.. |more| replace:: more\\n'
    ".. |it| replace:: of it"
)
`
    const page = await read('Kit |release|\n=============\n\nNew in |Version|\n--------------\n\n|maker| made |more| |it|.\n', {
      'docs/conf.py': conf,
    })
    expect(pageText(page)).toBe('# Kit 2.1.3\n\n## New in 2.1.3\n\nThe *Makers* made more of it.')
  })

  test('is the nearest above the page, or in a folder of settings, with what it imports', async () => {
    const files = {
      'conf.py': "release = '1'",
      'docs/config/conf.py': 'from shared.all import *',
      'docs/shared/all.py': "release = '2'",
    }
    expect(proseOf(await read('|release|', files))).toBe('2')
    expect(proseOf(await read('|release|', { ...files, 'docs/guide/conf.py': "release = '3'" }))).toBe('3')
  })

  test('gives the short version of a release if it calculates the version', async () => {
    expect(await prose('|version| |release|', "release = '3.12.1rc2'\nversion = '.'.join(release.split('.')[:2])")).toBe(
      '3.12 3.12.1rc2',
    )
  })

  test('is never run: what is no literal string stays as it is written', async () => {
    const conf = [
      'release = kit.__version__',
      "version = '%s' % kit",
      "version = f'{kit}'",
      "  release = 'in a block'",
      "release = 'open",
    ]
    expect(await prose('|release| |version|', conf.join('\n'))).toBe('|release| |version|')
  })

  test('gives the language of literal blocks, which a page may change', async () => {
    const page = await read('Run::\n\n    a();\n\n.. highlight:: yaml\n\nSet::\n\n    b: 1\n', {
      'docs/conf.py': "highlight_language = 'php'",
    })
    expect(codeOf(page).map(({ language }) => language)).toEqual(['php', 'yaml'])
    const plain = await read('Run::\n\n    a();\n', { 'docs/conf.py': "highlight_language = 'none'" })
    expect(codeOf(plain)[0]?.language).toBe('')
  })

  test('loses to what a page defines itself', async () => {
    expect(await prose('|release|\n\n.. |release| replace:: mine\n', "release = '1'")).toBe('mine')
  })

  test.each([
    "release = '",
    'release = """',
    `release = (${"'a' ".repeat(50_000)}`,
    'release = '.repeat(50_000),
    `x = ${'('.repeat(100_000)}`,
  ])('is read within the limit of a test if it is broken', async (conf) => {
    expect(await prose('|release|', conf)).toBe('|release|')
  })
})
