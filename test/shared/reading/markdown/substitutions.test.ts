import { expect, test } from 'vitest'
import { markdownReader } from '../../../../shared/reading/markdown/reader.ts'
import { contextOf, pageText } from '../page-text.ts'

const print = async (text: string, files: Record<string, string> = {}) =>
  pageText(await markdownReader(text, contextOf('explore/page.md', files)))

test('names of docset.yml are replaced in the title, headings and text, and unknown ones stay', async () => {
  const files = {
    'docset.yml': 'project: x\nsubs:\n  es: "Elasticsearch"\n  stack-version: 9.1\n',
    'explore/part.md': 'Also {{es}}.',
  }
  const text =
    '---\ntitle: Query {{es}}\n---\n\n## Pivot in {{es}} [pivot-table]\n\n# Pivot a table [pivot-table]  {{es}}\n\n{{es}} {{stack-version}} and {{ other }}, `{{es}}`.\n\n```yaml\n{{es}}\n```\n\n:::{include} part.md\n:::'
  expect(await print(text, files)).toMatchInlineSnapshot(`
    "# Query Elasticsearch

    ## Pivot in Elasticsearch

    ## Pivot a table Elasticsearch

    Elasticsearch 9.1 and {{ other }}, \`Elasticsearch\`.

    ~~~ yaml
    {{es}}
    ~~~

    Also Elasticsearch."
  `)
})

test.each(['sub:\n  kit: The Kit', 'myst:\n  substitutions:\n    kit: The Kit', 'substitutions: {kit: The Kit}'])(
  'names of front matter are replaced: %j',
  async (front) => {
    expect(await print(`---\n${front}\n---\nUse {{kit}} or {{ kit }}.`)).toBe('# (no title)\n\nUse The Kit or The Kit.')
  },
)

test('names that grow a page without limit stay', async () => {
  const front = `sub:\n  big: ${'x'.repeat(100_000)}`
  const text = await print(`---\n${front}\n---\n${'{{big}}\n\n'.repeat(50)}`)
  expect(text.length).toBeLessThan(300_000)
})

test('a docset.yml that is no YAML replaces nothing', async () => {
  expect(await print('Use {{es}}.', { 'docset.yml': 'subs: [\n' })).toBe('# (no title)\n\nUse {{es}}.')
})
