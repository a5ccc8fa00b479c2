import { describe, expect, test } from 'vitest'
import { findMarkdownIncludes } from '../../../../shared/reading/markdown/expand-includes.ts'
import { markdownReader, mdxReader } from '../../../../shared/reading/markdown/reader.ts'
import { codeOf, contextOf, pageText, proseOf } from '../page-text.ts'

const print = async (text: string, files: Record<string, string>, path = 'docs/guide/page.md') => {
  const read = path.endsWith('.mdx') ? mdxReader : markdownReader
  return pageText(await read(text, contextOf(path, files)))
}
const code = async (text: string, files: Record<string, string>) =>
  codeOf(await markdownReader(text, contextOf('docs/guide/page.md', files))).map((block) => block.code)

const script =
  '# ANCHOR: all\nimport x\n\ndef main():\n    # --8<-- [start:body]\n    # ANCHOR: body\n    run()\n    stop()\n    # ANCHOR_END: body\n    # --8<-- [end:body]\n# ANCHOR_END: all\n'

describe('Markdown includes', () => {
  test('MkDocs snippets are inserted from the folders that MkDocs searches', async () => {
    const files = { 'docs/snippets/a.md': '---\ntitle: no\n---\nFrom a.\n\n--8<-- "includes/b.md"', 'includes/b.md': 'From b.' }
    expect(await print('Before\n\n--8<-- "snippets/a.md"\n\nAfter', files)).toBe(
      '# (no title)\n\nBefore\n\nFrom a.\n\nFrom b.\n\nAfter',
    )
    expect(await print('--8<--\nsnippets/a.md\nincludes/b.md\n--8<--', files)).toBe('# (no title)\n\nFrom a.\n\nFrom b.\nFrom b.')
  })

  test.each([
    ['--8<-- "src/x.py:4:7"', 'def main():\n    run()'],
    ['--8<-- "src/x.py:body"', 'run()\nstop()'],
    ['--8<-- "src/x.py:2:2,4:4"', 'import x\ndef main():'],
    ['{{#include ../../src/x.py:body}}', 'run()\nstop()'],
    ['{{#rustdoc_include ../../src/x.py:2:3}}', 'import x\n'],
    ['{!../../src/x.py!}', 'import x\n\ndef main():\n    run()\n    stop()'],
    ['{!> ../../src/x.py[ln:2]!}', 'import x'],
  ])('a fence with the directive %s contains the listing', async (directive, expected) => {
    expect(await code(`\`\`\`python\n${directive}\n\`\`\``, { 'src/x.py': script })).toEqual([expected])
  })

  test('FastAPI and VitePress listings outside a fence become code of their language', async () => {
    const files = { 'docs_src/a.py': 'a = 1\nb = 2\n', 'src/b.ts': '// #region r\nconst b = 1\n// #endregion r\n' }
    expect(
      await print('{* ../../docs_src/a.py ln[1:1] hl[1] *}\n\n<<< @/src/b.ts#r{1} [b.ts]\n\n<<< @/docs_src/a.py{2}', files),
    ).toMatchInlineSnapshot(`
      "# (no title)

      ~~~ py
      a = 1
      ~~~

      ~~~ ts, "b.ts"
      const b = 1
      ~~~

      ~~~ py
      a = 1
      b = 2
      ~~~"
    `)
  })

  test('VitePress and DocFX documents are inserted', async () => {
    const files = { 'docs/guide/part.md': 'one\n\ntwo\n\nthree', 'docs/includes/note.md': 'A note.' }
    expect(await print('<!--@include: ./part.md{3,5}-->\n\n[!INCLUDE [x](../includes/note.md)]', files)).toBe(
      '# (no title)\n\ntwo\n\nthree\n\nA note.',
    )
  })

  test('an included file keeps its place in a list, and its lines are those of its file', async () => {
    const page = await markdownReader(
      '1. Do\n\n    --8<-- "a.md"\n2. Then',
      contextOf('page.md', { 'a.md': 'Text\n\n```sh\nrun\n```' }),
    )
    expect(page.sections[0]?.blocks).toMatchObject([
      { text: '1. Do', line: 1 },
      { text: 'Text', line: 1, file: 'a.md' },
      { code: 'run', line: 3, file: 'a.md' },
      { text: '2. Then', line: 4 },
    ])
  })

  test('a listing that contains fences does not end the fence it is inserted into', async () => {
    expect(await code('```md5\n--8<-- "a.txt"\n```\n\n## Next', { 'a.txt': 'x\n```js\ny\n```\nz' })).toEqual([
      'x\n```js\ny\n```\nz',
    ])
  })

  test.each(['/etc/passwd', '../../../../etc/passwd', 'https://example.com/x.md', 'file:///etc/passwd', 'missing.md', '..'])(
    'a path that is outside or missing leaves no text: %s',
    async (path) => {
      const asked: string[] = []
      const text = `Before\n\n--8<-- "${path}"\n\n\`\`\`sh\n--8<-- "${path}"\n\`\`\`\n\nAfter`
      const page = await markdownReader(text, { path: 'docs/page.md', readFile: (each) => void asked.push(each) })
      expect(pageText(page)).toBe('# (no title)\n\nBefore\n\nAfter')
      expect(asked.filter((each) => each.startsWith('/') || each.includes('..') || each.includes(':'))).toEqual([])
    },
  )

  test('a file that includes itself, directly or not, is included once', async () => {
    const files = { 'a.md': 'a\n\n--8<-- "b.md"', 'b.md': 'b\n\n--8<-- "a.md"\n\n--8<-- "b.md"' }
    expect(proseOf(await markdownReader('--8<-- "a.md"', contextOf('page.md', files)))).toBe('a\n\nb')
  })

  test('includes that multiply stop at a limit', async () => {
    const files = Object.fromEntries(
      [...'abcdefgh'].map((name, i) => [`${name}.md`, `--8<-- "${'abcdefghi'[i + 1]}.md"\n`.repeat(30) + 'word '.repeat(4000)]),
    )
    const prose = proseOf(await markdownReader('--8<-- "a.md"', contextOf('page.md', files)))
    expect(prose.length).toBeGreaterThan(100_000)
    expect(prose.length).toBeLessThan(2_100_000)
  })

  test('a page reads at most 1,000 other files', async () => {
    const page = await markdownReader('--8<-- "a.md"\n\n'.repeat(1200), contextOf('page.md', { 'a.md': 'x' }))
    expect(page.sections[0]?.blocks).toHaveLength(1000)
  })

  test('directives shown as Markdown are unchanged', async () => {
    expect(await code('```md\n--8<-- "a.md"\n<<< @/x.ts\n```\n\n```ts\n<<< @/x.ts\n```', { 'a.md': 'x', 'x.ts': 'y' })).toEqual([
      '--8<-- "a.md"\n<<< @/x.ts',
      '<<< @/x.ts',
    ])
  })
})

describe('MDX imports', () => {
  const files = {
    'snippets/hint.mdx': '---\ntitle: x\n---\nUse {name} with {props.what}.\n\n```sh\n{name}\n```',
    'docs/guide/part.md': 'A part.',
    'snippets/tags.mdx':
      'export const Notice = ({ version }) => (\n  <Note>Since {version}</Note>\n)\n\nexport const latest = "1.2.3"\n',
  }

  test('documents replace their components, with plain string properties filled in', async () => {
    const text = `import Hint from '/snippets/hint.mdx'
import Part from './part.md'
import { Notice, latest } from "/snippets/tags.mdx"

Version {latest}. <Part />

<Hint
  name="carrel"
  what="care"
/>

<Notice version="1.1" />

\`\`\`jsx
<Part />
\`\`\`
`
    expect(await print(text, files, 'docs/guide/page.mdx')).toMatchInlineSnapshot(`
      "# (no title)

      Version 1.2.3. A part.

      Use carrel with care.

      ~~~ sh
      {name}
      ~~~

      **Note**

      Since 1.1

      ~~~ jsx
      <Part />
      ~~~"
    `)
  })

  test('a document that is missing leaves the text around its component', async () => {
    expect(await print("import X from './none.mdx'\n\nBefore <X /> after", {}, 'docs/guide/page.mdx')).toBe(
      '# (no title)\n\nBefore  after',
    )
  })
})

describe('Mintlify snippets', () => {
  const files = {
    'snippets/auth.mdx': '---\ntitle: x\n---\nSend the key.\n\n<Snippet file="parts/key.mdx" />',
    'docs/snippets/parts/key.mdx': 'Keys start with cr.\n\n<Snippet file="auth.mdx" />',
    'snippets/word.mdx': 'forty-two',
    'snippets/secret.ts': 'not a document',
  }

  test('are inserted where the page names them, also nested, but never in themselves', async () => {
    const text = 'Before <Snippet file="word.mdx" /> and\n\n<Snippet\n  file={"auth.mdx"}\n></Snippet>\n\nAfter'
    expect(await print(text, files, 'docs/guide/page.mdx')).toBe(
      '# (no title)\n\nBefore forty-two and\n\nSend the key.\n\nKeys start with cr.\n\nAfter',
    )
    expect(await print('<Snippet file="word.mdx" />', files, 'page.md')).toBe('# (no title)\n\nforty-two')
  })

  test('are never code, files outside the repository or other components of that name', async () => {
    const outside = '<Snippet file="../../../../secret.mdx" />\n\nAfter'
    expect(await print(outside, { '../secret.mdx': 'outside', '../../secret.mdx': 'outside' })).toBe('# (no title)\n\nAfter')
    expect(await print('<Snippet file="secret.ts">Own words</Snippet>', files, 'page.mdx')).toBe('# (no title)\n\nOwn words')
    expect(await print('<Snippet file="secret.ts" />\n\nAfter', files, 'page.mdx')).toBe('# (no title)\n\nAfter')
    const shown = 'Write `<Snippet file="word.mdx" />`:\n\n```mdx\n<Snippet file="word.mdx" />\n```'
    expect(await print(shown, files, 'page.mdx')).toContain('Write `<Snippet file="word.mdx" />`:')
    expect(await print(shown, files, 'page.mdx')).not.toContain('forty-two')
    expect(findMarkdownIncludes(`${shown}\n\n<Snippet file="secret.ts" />`, { path: 'page.mdx' })).toEqual([])
    const imported = 'import { Snippet } from "./ui.mdx"\n\n<Snippet file="word.mdx" />'
    expect(await print(imported, { ...files, 'ui.mdx': 'export const Snippet = () => <b>Other</b>' }, 'page.mdx')).not.toContain(
      'forty-two',
    )
  })

  test('are read before the limit of a test if one line has a hundred thousand of them', async () => {
    expect(await print('`<Snippet file="word.mdx"` '.repeat(100_000), files, 'page.mdx')).not.toContain('forty-two')
    expect(findMarkdownIncludes('<Snippet `x` '.repeat(100_000), { path: 'page.mdx' })).toEqual([])
  })
})

describe('findMarkdownIncludes', () => {
  const find = (text: string, path = 'docs/guide/page.md') => findMarkdownIncludes(text, { path })

  test('finds the documents that are included whole, at every possible path', () => {
    expect(find('--8<-- "snippets/a.md"\n<!--@include: ./b.md-->\n{{#include ../c.md}}')).toMatchInlineSnapshot(`
      [
        "docs/guide/snippets/a.md",
        "docs/snippets/a.md",
        "snippets/a.md",
        "docs/guide/_includes/snippets/a.md",
        "docs/_includes/snippets/a.md",
        "_includes/snippets/a.md",
        "codeSnippets/snippets/a.md",
        "docs/snippets/snippets/a.md",
        "docs/includes/snippets/a.md",
        "snippets/snippets/a.md",
        "includes/snippets/a.md",
        "src/snippets/a.md",
        "docs/guide/b.md",
        "docs/c.md",
      ]
    `)
    expect(find("import A from '@site/docs/_a.mdx'\nimport B from './b.tsx'", 'docs/page.mdx')).toMatchInlineSnapshot(`
      [
        "docs/_a.mdx",
        "docs/docs/_a.mdx",
        "docs/_includes/docs/_a.mdx",
        "_includes/docs/_a.mdx",
        "codeSnippets/docs/_a.mdx",
        "docs/snippets/docs/_a.mdx",
        "docs/includes/docs/_a.mdx",
        "snippets/docs/_a.mdx",
        "includes/docs/_a.mdx",
        "src/docs/_a.mdx",
      ]
    `)
  })

  test('names the snippets of Mintlify in a folder of that name', () => {
    expect(find('<Snippet\n  file="parts/a.mdx"\n/>', 'docs/page.mdx').slice(0, 2)).toEqual([
      'snippets/parts/a.mdx',
      'docs/snippets/parts/a.mdx',
    ])
  })

  test('does not name code, parts of documents and content of fences, which are read as separate pages', () => {
    expect(find('--8<-- "a.py"\n--8<-- "a.md:part"\n--8<-- "b.md:1:2"\n<<< @/c.md\n```\n--8<-- "d.md"\n```')).toEqual([])
  })

  test('names only the likeliest of pages that exist in every folder', () => {
    expect(find('--8<-- "README.md"')).toEqual(['docs/guide/README.md'])
  })
})
