import { describe, expect, test } from 'vitest'
import { findMarkdownIncludes } from '../../../../shared/reading/markdown/expand-includes.ts'
import { markdownReader } from '../../../../shared/reading/markdown/reader.ts'
import { codeOf, contextOf, pageText } from '../page-text.ts'

const print = async (text: string, files: Record<string, string> = {}) =>
  pageText(await markdownReader(text, contextOf('docs/page.md', files)))

describe('MyST directives', () => {
  test('files are included, whole and in parts, as text and as code', async () => {
    const files = {
      'docs/part/shared.md': '---\ntitle: x\n---\nShared.\n\n```{note}\nNested.\n```\n',
      'docs/part/app.py': 'import kit\n\n\ndef run():\n    return 1\n\n\ndef stop():\n    return 0\n',
    }
    const text = `Before

\`\`\`{include} part/shared.md
\`\`\`

\`\`\`{literalinclude} part/app.py
:language: python
:pyobject: run
\`\`\`

:::{literalinclude} part/app.py
:start-at: def stop
:caption: The end
:::

\`\`\`{include} part/app.py
:code: python
:lines: 1
\`\`\`

:::{include} part/absent.md
:::`
    expect(await print(text, files)).toMatchInlineSnapshot(`
      "# (no title)

      Before

      Shared.

      **Note**

      Nested.

      ~~~ python, "app.py"
      def run():
          return 1
      ~~~

      ~~~ python, "The end"
      def stop():
          return 0
      ~~~

      ~~~ python
      import kit
      ~~~"
    `)
  })

  test('a document that a directive includes whole is no page of its own', () => {
    const text = '```{include} b.md\n```\n\n:::{include} c.md\n:start-after: x\n:::\n\n```md\n:::{include} d.md\n:::\n```'
    expect(findMarkdownIncludes(text, { path: 'a.md' })).toContain('b.md')
    expect(findMarkdownIncludes(text, { path: 'a.md' })).not.toContain('c.md')
    expect(findMarkdownIncludes(text, { path: 'a.md' })).not.toContain('d.md')
  })

  test('a file that includes itself is read once', async () => {
    const files = { 'docs/a.md': 'A\n\n```{include} b.md\n```', 'docs/b.md': 'B\n\n```{include} a.md\n```' }
    expect(await print('```{include} a.md\n```', files)).toBe('# (no title)\n\nA\n\nB')
  })

  test('a file outside the repository is not included', async () => {
    const page = await markdownReader('```{include} ../../secret.md\n```\n\nText', {
      path: 'docs/page.md',
      readFile: (path) => (path.startsWith('..') || path.startsWith('/') ? 'SECRET' : undefined),
    })
    expect(pageText(page)).toBe('# (no title)\n\nText')
  })

  test('options of code blocks are labels or nothing, and never code', async () => {
    const text = `\`\`\`{code-block} python
:caption: app.py
:emphasize-lines: 1,2
run()
\`\`\`

\`\`\`\`{code-cell} ipython3
---
tags: [hide-input]
---
\`\`\`
x
\`\`\`\`

\`\`\`{code-cell}
:tags: [raises-exception]

def f():
    :not-an-option: x
\`\`\`

\`\`\`{mermaid}
graph LR
\`\`\`

\`\`\`{r, echo=FALSE}
x <- 1
\`\`\``
    expect(await print(text)).toMatchInlineSnapshot(`
      "# (no title)

      ~~~ python, "app.py"
      run()
      ~~~

      ~~~ python
      \`\`\`
      x
      ~~~

      ~~~

      def f():
          :not-an-option: x
      ~~~

      ~~~ mermaid
      graph LR
      ~~~

      ~~~ r
      x <- 1
      ~~~"
    `)
  })

  test('admonitions, cards and versions are notes, and their bodies are Markdown of the page', async () => {
    const text = `\`\`\`\`{note}
:class: wide
Needs **version 3**.

\`\`\`python
run()
\`\`\`
\`\`\`\`

\`\`\`{tip} Short text
\`\`\`

\`\`\`{admonition} Careful
Hot.
\`\`\`

:::{seealso}
The {doc}\`guide <a/b>\`.
:::

\`\`\`{versionadded} 3.1 It is new.
More.
\`\`\`

::::{grid} 1 2 2 3
:gutter: 1

:::{grid-item-card} Start
:link: start
Begin here.
:::
::::

\`\`\`{figure} img/a.png
:alt: A kit
:width: 10

The caption.
\`\`\`

\`\`\`{image} a.png
:alt: The alternative
\`\`\`

\`\`\`{toctree}
:maxdepth: 1
a
b
\`\`\``
    expect(await print(text)).toMatchInlineSnapshot(`
      "# (no title)

      **Note**

      Needs **version 3**.

      ~~~ python
      run()
      ~~~

      **Tip**

      Short text

      **Careful**

      Hot.

      **See also**

      The guide.

      **Added in version 3.1**

      It is new.
      More.

      **Start**

      Begin here.

      The caption.

      The alternative"
    `)
  })

  test('tabs of MyST label their code', async () => {
    const text =
      '````{tab-set}\n```{tab-item} npm\n:sync: a\nnpm i\n```\n\n```{tab-item} pnpm\nRun it.\n```\n````\n\n::::{tab-set}\n:::{tab-item} Linux\n```sh\napt\n```\n:::\n::::'
    expect(await print(text)).toMatchInlineSnapshot(`
      "# (no title)

      **npm**

      npm i

      **pnpm**

      Run it.

      ~~~ sh, "Linux", group 2
      apt
      ~~~"
    `)
  })

  test('tables of lists and of comma-separated values are tables', async () => {
    const text = `\`\`\`{list-table} Options
:header-rows: 1

* - Option
  - Meaning
* - \`a|b\`
  - One **or**
    two.
* - c
  - \`\`\`sh
    run
    \`\`\`
\`\`\`

:::{csv-table}
:header: Name, Age
"Ada, Countess", 36
:::

\`\`\`{csv-table} From a file
:file: data.csv
:header-rows: 1
\`\`\``
    expect(await print(text, { 'docs/data.csv': 'k,v\n1,2\n' })).toMatchInlineSnapshot(`
      "# (no title)

      **Options**

      | Option | Meaning |
      | --- | --- |
      | \`a\\|b\` | One **or** two. |
      | c |  |

      ~~~ sh
      run
      ~~~

      | Name | Age |
      | --- | --- |
      | Ada, Countess | 36 |

      **From a file**

      | k | v |
      | --- | --- |
      | 1 | 2 |"
    `)
  })

  test('targets and roles are no text', async () => {
    const text =
      '(target)=\n(a-b:c.d)=\n## Run {func}`kit.run`\n\nRun {command}`kit`, see {func}`jax.jit`, {py:meth}`~kit.Kit.run`, {ref}`the part <target>` and {term}`word`. A {literal} `x` stays.'
    expect(await print(text)).toMatchInlineSnapshot(`
      "# (no title)

      ## Run kit.run()

      Run \`kit\`, see \`jax.jit()\`, \`run()\`, the part and word. A {literal} \`x\` stays."
    `)
  })

  test('reStructuredText inside MyST is read', async () => {
    const text =
      '```{eval-rst}\n.. autofunction:: kit.run\n\nSee :func:`kit.stop`::\n\n   stop()\n```\n\n```{autoclass} kit.Kit\n:members:\n```'
    expect(await print(text)).toMatchInlineSnapshot(`
      "# (no title)

      \`kit.run\`

      See \`kit.stop()\`:

      ~~~
      stop()
      ~~~

      \`kit.Kit\`"
    `)
  })

  test('a directive shown in a fence, or without an end, is code', async () => {
    const text = '````md\n```{note}\nx\n```\n````\n\n```{unknown} arg\n:opt: x\ny\n```\n\n```{note}\nno end'
    expect(codeOf(await markdownReader(text, contextOf('a.md'))).map(({ code }) => code)).toEqual([
      '```{note}\nx\n```',
      ':opt: x\ny',
      'no end',
    ])
  })

  test.each([
    ['openers', '```{note}\n'.repeat(100_000)],
    ['openers of colons', ':::{note}\n'.repeat(100_000)],
    ['directives', '```{note}\n```\n'.repeat(50_000)],
    ['openers and shorter runs', `${'``````{note}\n'.repeat(50_000)}${'```\n'.repeat(50_000)}`],
    ['includes of the page', '```{include} page.md\n```\n'.repeat(30_000)],
  ])('many %s are read within the limit of a test', async (_, text) => {
    const page = await markdownReader(text, contextOf('docs/page.md', { 'docs/page.md': text }))
    expect(page.sections).toBeInstanceOf(Array)
  })
})
