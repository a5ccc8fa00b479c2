import { join } from 'node:path'
import { expect, test } from 'vitest'
import { defaultGitHosts } from '../../../shared/reading/git/git-hosts.ts'
import { parseRepoUrl } from '../../../shared/reading/git/repo-address.ts'
import { readDocument } from '../../../shared/reading/read-document.ts'
import { tempDir } from '../../fixtures/temp-dir.ts'
import { writeTree } from '../../fixtures/write-tree.ts'

/** Each listing has a number, so that it is recognised after a reader has changed the text around it. */
const listing = (number: number) =>
  `const listing${number} = '${'`'.repeat(number % 3)}'\nif (ready) {\n  call(listing${number})\n}`
const fenced = (number: number, indent = '') =>
  ['```ts', ...listing(number).split('\n'), '```'].map((line) => indent + line).join('\n')
const indented = (number: number) => listing(number).replace(/^/gm, '    ')

const sameWords = Array.from({ length: 80 }, (_, i) => `word${i}`).join(' ')

const files: Record<string, string> = {
  'twins.md': `# Twins\n\n## One\n\n${sameWords}\n\n${fenced(65)}\n\n## Two\n\n${sameWords}\n\n${fenced(66)}\n`,
  'guide.md': `# Guide\n\nText.\n\n${fenced(0)}\n\n- item\n\n${fenced(1, '  ')}\n\n> quote\n>\n${fenced(2, '> ')}\n\n!!! note "Note"\n\n${fenced(3, '    ')}\n\n=== "A"\n\n${fenced(4, '    ')}\n\n=== "B"\n\n${fenced(5, '    ')}\n\n::: code-group\n\n${fenced(6)}\n\n${fenced(7)}\n\n:::\n\n<details>\n\n${fenced(8)}\n\n</details>\n\n~~~~js\n${listing(9)}\n~~~~\n`,
  'page.mdx': `import X from 'x'\n\n# Page\n\n<Tabs>\n  <Tab title="A">\n${fenced(10, '    ')}\n  </Tab>\n  <Tab title="B">\n${fenced(11, '    ')}\n  </Tab>\n</Tabs>\n\n<Steps>\n<Step title="One">\n\n${fenced(12)}\n\n</Step>\n</Steps>\n\n${fenced(13)}\n`,
  'broken.mdx': `# Broken\n\n<Tabs>\n\n${fenced(14)}\n\n{never closed\n\n${fenced(15)}\n`,
  'manual.rst': `Manual\n======\n\nShown::\n\n${indented(16)}\n\n.. code-block:: ts\n\n${indented(17)}\n\n.. note::\n\n    .. code-block:: ts\n\n${listing(18).replace(/^/gm, '        ')}\n`,
  'book.adoc': `= Book\n\n[source,ts]\n----\n${listing(19)}\n----\n\n* item\n+\n----\n${listing(20)}\n----\n\n====\n[source,ts]\n----\n${listing(21)}\n----\n====\n`,
  'page.html': `<html><body><main><h1>Page</h1><p>Text that explains what the listing below does in some words.</p><pre><code class="language-ts">${listing(22)}</code></pre></main></body></html>`,
  'notes.ipynb': JSON.stringify({
    nbformat: 4,
    nbformat_minor: 5,
    metadata: {},
    cells: [
      { cell_type: 'markdown', metadata: {}, source: ['# Notes\n', '\n', ...fenced(23).split(/(?<=\n)/)] },
      { cell_type: 'code', metadata: {}, execution_count: 1, outputs: [], source: listing(24).split(/(?<=\n)/) },
    ],
  }),
  'long.md': `# Long\n\n${Array.from({ length: 40 }, (_, i) => `Paragraph ${i} says something about what stands around the listing that follows it, at some length.\n\n${fenced(25 + i)}`).join('\n\n')}\n`,
}

test('every fenced block of every format is found again, and no snippet has an odd number of fences', async () => {
  const root = tempDir()
  writeTree(root, files)
  const address = parseRepoUrl('https://github.com/acme/docs', defaultGitHosts)
  const listings = Array.from({ length: 67 }, (_, i) => i)
  const found = new Set<number>()
  for (const path of Object.keys(files)) {
    const result = await readDocument({ root, path, address, commit: 'c0ffee', fileBytes: 1e6 })
    if ('skipped' in result) throw new Error(`${path}: ${result.skipped}`)
    for (const chunk of result.page.chunks) {
      for (const { code } of chunk.code) for (const each of listings) if (code.includes(listing(each))) found.add(each)
      const fences = chunk.content.split('\n').filter((line) => /^`{3,}/.test(line))
      expect(fences.length % 2, join(path, chunk.breadcrumb.join(' > '))).toBe(0)
    }
  }
  expect(listings.filter((each) => !found.has(each))).toEqual([])
})
