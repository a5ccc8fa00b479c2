import { mkdirSync, mkdtempSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { dirname, join } from 'node:path'
import { describe, expect, test } from 'vitest'
import { mdxReader } from '../../../../shared/reading/markdown/reader.ts'
import { readDocument } from '../../../../shared/reading/read-document.ts'
import { codeOf, contextOf, pageText } from '../page-text.ts'

const files = { 'docs/app.js': "const a = '{b}'\n\n  run(a)\n", 'docs/b.ts': 'b()\n', 'src/c.yaml': 'c: 1\n' }
const page = async (text: string) => mdxReader(text, contextOf('docs/page.mdx', files))

describe('code behind imports', () => {
  test('is read from files that are imported as text', async () => {
    const text = `import CodeBlock from '@theme/CodeBlock'
import Src from '!!raw-loader!./app.js'
import TheB from './b.ts?raw'
import C from '!!raw-loader!@site/src/c.yaml';
import Gone from '!!raw-loader!./gone.js'

<CodeBlock title="app.js">{Src}</CodeBlock>

<CodeBlock
  language="tsx">
  {TheB}
</CodeBlock>

- <Code code={C} lang="yaml" title="kit.yaml" />

<CodeBlock>{Gone}</CodeBlock>

Text.`
    expect(codeOf(await page(text))).toMatchObject([
      { code: "const a = '{b}'\n\n  run(a)", language: 'javascript', label: 'app.js' },
      { code: 'b()', language: 'tsx', label: 'b.ts' },
      { code: 'c: 1', label: 'kit.yaml' },
    ])
    expect(pageText(await page(text))).not.toContain('import')
  })

  test('is not read from outside the repository', async () => {
    const outside = await mdxReader("import S from '!!raw-loader!../../s.js'\n\n<CodeBlock>{S}</CodeBlock>\n\nText.", {
      path: 'docs/page.mdx',
      readFile: (path) => (path.startsWith('..') ? 'SECRET' : undefined),
    })
    expect(pageText(outside)).toBe('# (no title)\n\nText.')
  })
})

test('values that a page exports are filled in, and unknown ones are not text', async () => {
  const text = `export const meta = { name: 'Kit', 'since': "2.0", deep: { name: 'no' }, count: 3 }
export const version = "1.2";

{meta.name} {version} has {meta.count} parts since {meta.since}, {meta.deep}.

\`\`\`js
log({meta.name})
\`\`\``
  expect(pageText(await page(text))).toBe('# (no title)\n\nKit 1.2 has 3 parts since 2.0, .\n\n~~~ js\nlog({meta.name})\n~~~')
})

describe('a document that is imported by an alias', () => {
  const read = async (documents: string[]) => {
    const root = mkdtempSync(join(tmpdir(), 'imports-'))
    const text = 'import Note from "@global/1.20.0.mdx"\n\nBefore.\n\n<Note />'
    for (const [path, content] of [['docs/page.mdx', text], ...documents.map((path) => [path, `The note of ${path}.`])]) {
      mkdirSync(dirname(join(root, path ?? '')), { recursive: true })
      writeFileSync(join(root, path ?? ''), content ?? '')
    }
    const address = { platform: 'github' as const, webUrl: 'https://github.com/a/b' }
    const result = await readDocument({ root, path: 'docs/page.mdx', address, commit: root, fileBytes: 1e6 })
    return {
      text: 'page' in result ? result.page.chunks.map(({ content }) => content).join('\n') : '',
      consulted: result.consulted,
    }
  }

  test('is found by the end of its path if only one document has it', async () => {
    const { text, consulted } = await read(['shared/global/1.20.0.mdx', 'other/1.20.0.mdx'])
    expect(text).toContain('The note of shared/global/1.20.0.mdx.')
    expect(consulted).toBe('too many')
  })

  test('is found without the name of the alias', async () => {
    expect((await read(['notes/1.20.0.mdx'])).text).toContain('The note of notes/1.20.0.mdx.')
  })

  test('is omitted if several documents could be meant', async () => {
    expect((await read(['a/1.20.0.mdx', 'b/1.20.0.mdx'])).text).not.toContain('The note')
  })
})
