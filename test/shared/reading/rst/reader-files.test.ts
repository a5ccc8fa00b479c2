import { describe, expect, test } from 'vitest'
import { findRstIncludes } from '../../../../shared/reading/rst/find-rst-includes.ts'
import { rstReader } from '../../../../shared/reading/rst/reader.ts'
import { codeOf, contextOf, pageText } from '../page-text.ts'

const read = async (text: string, files: Record<string, string>) => rstReader(text, contextOf('docs/guide/page.rst', files))

const python = `import os

class Box:
    def open(self):
        return 1

    def close(self):
        return 2

# [start]
run()
# [end]
`

describe('reStructuredText: files of the repository', () => {
  test('an included file is part of the page, with its titles', async () => {
    const files = { 'CHANGES.rst': 'Version 2\n---------\n\n- new\n' }
    expect(pageText(await read('Changes\n=======\n\n.. include:: ../../CHANGES.rst\n', files))).toBe(
      '# Changes\n\n## Version 2\n\n- new',
    )
  })

  test('a path from / is searched for in the folder of the documentation, then in the root', async () => {
    const text = '.. literalinclude:: /snippets/a.py\n\n.. literalinclude:: /examples/b.py\n'
    const found = codeOf(await read(text, { 'docs/snippets/a.py': 'a()', 'examples/b.py': 'b()' }))
    expect(found.map(({ code, language, label }) => [code, language, label])).toEqual([
      ['a()', 'python', 'a.py'],
      ['b()', 'python', 'b.py'],
    ])
  })

  test.each([
    [':lines: 1, 10-11', 'import os\n# [start]\nrun()'],
    [':lines: 10-', '# [start]\nrun()\n# [end]'],
    [':start-after: [start]\n   :end-before: [end]', 'run()'],
    [':pyobject: Box.close\n   :dedent:', 'def close(self):\n    return 2'],
    [':pyobject: Missing\n   :lines: 11', 'run()'],
  ])('a listing contains the lines that literalinclude selects with %s', async (options, expected) => {
    const [block] = codeOf(await read(`.. literalinclude:: box.py\n   ${options}\n`, { 'docs/guide/box.py': python }))
    expect(block?.code).toBe(expected)
  })

  test('a target that is outside, absent or a URL leaves only the text around it', async () => {
    const targets = ['/etc/passwd', '../../../secret', 'https://example.com/x.rst', '<isonum.txt>', 'missing.rst']
    const text = targets.map((target) => `.. include:: ${target}\n`).join('\n')
    expect(pageText(await read(`Before.\n\n${text}\nAfter.`, { '../secret': 'no', 'etc/passwd2': 'no' }))).toBe(
      '# (no title)\n\nBefore.\n\nAfter.',
    )
  })

  test('files that include each other are included once, and a file that includes itself many times stops at a limit', async () => {
    const cycle = { 'docs/guide/a.rst': 'A\n\n.. include:: b.rst\n', 'docs/guide/b.rst': 'B\n\n.. include:: a.rst\n' }
    expect(pageText(await read('.. include:: a.rst\n', cycle))).toBe('# (no title)\n\nA\n\nB')
    const names = Array.from({ length: 9 }, (_, level) => `docs/guide/${level}.rst`)
    const bomb = Object.fromEntries(names.map((name, level) => [name, `x\n\n${`.. include:: ${level + 1}.rst\n\n`.repeat(20)}`]))
    const page = await read('.. include:: 0.rst\n', bomb)
    expect(page.sections[0]?.blocks.length).toBeLessThan(10_000)
  })

  test('substitutions of an included file apply to the page, and a file of another format is a separate page', async () => {
    const files = { 'docs/names.txt': '.. |name| replace:: Carrel\n', 'README.md': '# Read me' }
    expect(pageText(await read('.. include:: /names.txt\n\n|name|\n\n.. include:: /README.md\n', files))).toBe(
      '# (no title)\n\nCarrel',
    )
    expect(findRstIncludes('.. include:: ../README.md\n', { path: 'docs/index.rst' })).toEqual([])
  })

  test('included files are found without parsing, except listings', () => {
    const text =
      '.. include:: ../../README.rst\n\n   .. include:: /shared/note.rst\n\n.. literalinclude:: x.py\n.. include:: https://x.y/z\n'
    expect(findRstIncludes(text, { path: 'docs/guide/page.rst' })).toEqual([
      'README.rst',
      'docs/shared/note.rst',
      'docs/guide/shared/note.rst',
      'shared/note.rst',
    ])
  })
})
