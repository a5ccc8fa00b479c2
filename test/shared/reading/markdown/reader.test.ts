import { describe, expect, test } from 'vitest'
import { markdownReader } from '../../../../shared/reading/markdown/reader.ts'
import { codeOf, contextOf, pageText, proseOf } from '../page-text.ts'

const read = async (text: string) => markdownReader(text, contextOf('docs/page.md'))
const print = async (text: string) => pageText(await read(text))
const headings = async (text: string) => (await read(text)).sections.map((section) => section.headings)

describe('Markdown: title and sections', () => {
  test('the first top heading is the title, and deeper headings nest below it, skipped levels allowed', async () => {
    expect(
      await print('# Hono\n\nFast.\n\n## Setup\n\n#### Deep\n\nx\n\n### Less deep\n\ny\n\n## Use\n\nz'),
    ).toMatchInlineSnapshot(`
      "# Hono

      Fast.

      ## Setup

      ## Setup > Deep

      x

      ## Setup > Less deep

      y

      ## Use

      z"
    `)
  })

  test('front matter gives the title and, as the first prose, the description', async () => {
    expect(await print('---\ntitle: "A: b"\ndescription: What it is.\ntags: [x]\n---\n\nText.')).toMatchInlineSnapshot(`
      "# A: b

      What it is.

      Text."
    `)
    expect(await print('+++\ntitle = "Toml"\ndescription = "Lead"\n+++\nText.')).toMatchInlineSnapshot(`
      "# Toml

      Lead

      Text."
    `)
  })

  test('front matter that is no YAML still gives its title, and none of it is prose', async () => {
    expect(await print('---\ntitle: Use: the {{ thing }}\nbroken: [\n---\nText.')).toBe('# Use: the {{ thing }}\n\nText.')
  })

  test('a top heading that repeats the front matter is omitted', async () => {
    expect(await headings('---\ntitle: Same\n---\n# Same\n\nx')).toEqual([[]])
  })

  test('a top heading that differs from the front matter is a heading', async () => {
    expect(await headings('---\ntitle: Same\n---\n# Other\n\nx\n\n## Deep\n\ny')).toEqual([['Other'], ['Other', 'Deep']])
  })

  test('a page may have several top headings, or none', async () => {
    expect(await headings('# A\n\nx\n\n# B\n\ny\n\n## C\n\nz')).toEqual([[], ['B'], ['B', 'C']])
    expect(await read('## A\n\nx\n\n## B\n\ny')).toMatchObject({ sections: [{ headings: ['A'] }, { headings: ['B'] }] })
    expect((await read('## A\n\nx')).title).toBeUndefined()
  })

  test('a rule at the start of a page is not front matter', async () => {
    expect(await print('---\n\nText of the page\n\n---\n\nMore.')).toBe('# (no title)\n\nText of the page\n\nMore.')
  })

  test('heading text is plain: without links, ids, emphasis and closing marks, with the content of code', async () => {
    const text =
      '# T\n## The `app.get()` [guide](x) {#anchor} ##\n### **Bold** and _soft_ `__init__` __init__ 2 * 3 { #bold .x }\nSet *text*\n---\n## <a id="x"></a>Map&lt;K, V&gt;'
    expect(await headings(text)).toEqual([
      ['The app.get() guide'],
      ['The app.get() guide', 'Bold and soft __init__ __init__ 2 * 3'],
      ['Set text'],
      ['Map<K, V>'],
    ])
  })

  test('sections and blocks have the line numbers of the file', async () => {
    const { sections } = await read(
      '\uFEFF---\r\ntitle: T\r\n---\r\n\r\nlead\r\n\r\n## A\r\n\r\ntext\r\n\r\n```js\r\nx\r\n```\r\n',
    )
    expect(sections.map(({ line, blocks }) => [line, ...blocks.map((block) => block.line)])).toEqual([
      [1, 5],
      [7, 9, 11],
    ])
    expect(sections[1]?.blocks[1]).toMatchObject({ code: 'x' })
  })
})

describe('Markdown: prose', () => {
  test('links become their text and images their alternative text; emphasis, code and escapes stay', async () => {
    const text = `See [the *guide*](https://x.y/a_(b) "Title"), ![a logo](logo.png), [![build](b.svg)](https://ci) and **\`[x](y)\`** \\[z\\](w).
[ref][id], [id][], [ID], [\`Model\`][pkg.Model], row[0][1], [ ] task, [^1], <https://auto.link>, <me@x.y>.

[id]: https://example.com 'Example'
[^1]: A note with [link](x).`
    expect(await print(text)).toMatchInlineSnapshot(`
      "# (no title)

      See the *guide*, a logo, build and **\`[x](y)\`** \\[z\\](w).
      ref, id, ID, \`Model\`, row[0][1], [ ] task, [^1], https://auto.link, me@x.y.

      [^1]: A note with link."
    `)
  })

  test('tags are dropped and their text stays; text that only looks like a tag stays', async () => {
    const text =
      'A <b>bold</b> <Badge type="tip" text="^1.0" /> <kbd>Ctrl</kbd> <br> <!-- note --> `<div>` Promise<string> <your-key> a < b &amp; &copy; &#x41; &bogus;'
    expect(await print(text)).toMatchInlineSnapshot(`
      "# (no title)

      A bold  \`Ctrl\`    \`<div>\` Promise<string> <your-key> a < b & © A &bogus;"
    `)
  })

  test('lists, tables and quotes stay Markdown', async () => {
    const text =
      '- a [x](y)\n  - b\n    go on\n- c\n\n| a | b |\n|---|---|\n| [x](y) | `p|q` |\n\n> [!WARNING]\n> Hot [x](y)\n\nEnd'
    expect(await print(text)).toMatchInlineSnapshot(`
      "# (no title)

      - a x
        - b
          go on
      - c

      | a | b |
      |---|---|
      | x | \`p|q\` |

      > **Warning**
      > Hot x

      End"
    `)
  })

  test('HTML around prose is removed: titles, paragraphs, lists and tables keep their text', async () => {
    const text = `<h1 align="center">
  <img src="logo.svg" alt="Logo">
  Project
</h1>

<p align="center">
  <a href="x">Docs</a> · <code>npm i</code>
</p>
<ul>
<li>one</li>
<li>two <b>2</b></li>
</ul>
<table><tr><td>cell</td><td>next</td></tr></table>

<style>
.x { color: red }

p { color: red }
</style>
<script>
# no heading
</script>
<!-- hidden

# nor this -->
Tail`
    expect(await print(text)).toMatchInlineSnapshot(`
      "# Logo Project

      Docs · \`npm i\`

      - one
      - two 2

      | cell | next |
      | --- | --- |

      Tail"
    `)
  })
})

describe('Markdown: code', () => {
  test('a fence is a separate block of code at any depth, and the prose around it stays in order', async () => {
    const text = `1. First

   \`\`\`sh
   run

     deep
   \`\`\`

   then
   - nested
     ~~~
     tilde
     ~~~
2. Second

> quoted
> \`\`\`js
> q()
> \`\`\`
> after

<details>
<summary>More <i>info</i></summary>
\`\`\`py
hidden()

<b>kept</b>
\`\`\`
text
</details>
`
    expect(await print(text)).toMatchInlineSnapshot(`
      "# (no title)

      1. First

      ~~~ sh
      run

        deep
      ~~~

      then

      - nested

      ~~~
      tilde
      ~~~

      2. Second

      quoted

      ~~~ js
      q()
      ~~~

      after

      **More info**

      ~~~ py
      hidden()

      <b>kept</b>
      ~~~

      text"
    `)
  })

  test('indented code and <pre> are code, too', async () => {
    const text =
      'Text:\n\n    <div>\n      x\n\n<pre><code class="language-ts">if (a &lt; b)\n  <b>c</b>\n</code></pre>\n\n<pre lang="sh">ls</pre>'
    expect(await print(text)).toMatchInlineSnapshot(`
      "# (no title)

      Text:

      ~~~
      <div>
        x
      ~~~

      ~~~ ts
      if (a < b)
        c
      ~~~

      ~~~ sh
      ls
      ~~~"
    `)
  })

  test('a fence that is indented further than CommonMark allows is code in its language, as in Python-Markdown', async () => {
    expect(codeOf(await read('* item\n\n      ```python\n      x = 1\n      ```\n\n* next'))).toMatchObject([
      { language: 'python', code: 'x = 1', line: 3 },
    ])
  })

  test('headings and fences right below HTML are not part of it', async () => {
    expect(await print('<div>\n## Heading\ntext\n</div>\n```js\nx\n```\n</div>\n## Next\nmore')).toMatchInlineSnapshot(`
      "# (no title)

      ## Heading

      text

      ~~~ js
      x
      ~~~

      ## Next

      more"
    `)
  })

  test('a fence that is never closed reaches to the end', async () => {
    expect(await print('# T\n\n```js\na\n\n## b')).toBe('# T\n\n~~~ js\na\n\n## b\n~~~')
  })

  test.each([
    ['js', { language: 'js' }],
    ['JavaScript title="src/app.js" {1,3}', { language: 'javascript', label: 'src/app.js' }],
    ["ts filename='a b.ts'", { language: 'ts', label: 'a b.ts' }],
    ['js:src/app.js', { language: 'js', label: 'src/app.js' }],
    ['ts{1,3} [vite.config.ts]', { language: 'ts', label: 'vite.config.ts' }],
    ['{.python hl_lines="1 2"}', { language: 'python' }],
    ['{ .yaml title="x.yml" }', { language: 'yaml', label: 'x.yml' }],
    ['{r, echo=FALSE}', { language: 'r' }],
    ['{code-block} python', { language: 'python' }],
    ['python {title="x.py" test="skip"}', { language: 'python', label: 'x.py' }],
    ['rust,no_run', { language: 'rust' }],
    ['ts twoslash', { language: 'ts' }],
    ['c++', { language: 'c++' }],
    ['', { language: '' }],
  ])('a fence with the words "%s" has a language and a label', async (info, expected) => {
    const [code] = codeOf(await read(`\`\`\`${info}\nx\n\`\`\``))
    expect({ language: code?.language, ...(code?.label && { label: code.label }) }).toEqual(expected)
  })
})

describe('Markdown: containers', () => {
  test('bodies of MkDocs admonitions are Markdown in any place', async () => {
    const text = `!!! note "A *title*"
    Body [x](y)

        indented code

    ??? warning

        \`\`\`py title="x.py"
        if x:
            y
        \`\`\`

    ## Not of the page
## Heading
1. Step

    !!! tip inline end
        In the list

    rest
2. Next

!!! danger ""
    Untitled`
    expect(await print(text)).toMatchInlineSnapshot(`
      "# (no title)

      **A title**

      Body x

      ~~~
      indented code
      ~~~

      **Warning**

      ~~~ py, "x.py"
      if x:
          y
      ~~~

      **Not of the page**

      ## Heading

      1. Step

      **Tip**

      In the list

      rest

      2. Next

      Untitled"
    `)
  })

  test('a tab of MkDocs is named without icons and the marks of code', async () => {
    const text =
      '=== ":octicons-file-code-16: `birds.yml`"\n\n    ```yaml\n    nests: 2\n    ```\n\n=== ":material-bird:"\n\n    ```js\n    fly()\n    ```'
    expect(codeOf(await read(text)).map(({ label }) => label)).toEqual(['birds.yml', ':material-bird:'])
  })

  test('tabs of MkDocs are variants of one example, named by their tab', async () => {
    const text =
      '=== "npm"\n\n    ```sh\n    npm i\n    ```\n\n=== "yarn"\n\n    Run:\n\n    ```sh\n    yarn\n    ```\n\nAfter\n\n=== "a"\n    ```sh\n    a\n    ```'
    expect(await print(text)).toMatchInlineSnapshot(`
      "# (no title)

      ~~~ sh, "npm", group 1
      npm i
      ~~~

      **yarn**

      Run:

      ~~~ sh, "yarn", group 1
      yarn
      ~~~

      After

      ~~~ sh, "a", group 2
      a
      ~~~"
    `)
  })

  test('::: containers of VitePress and Docusaurus keep their titles, their headings end with them', async () => {
    const text = `:::tip[Do *this*]
Text
:::
## After
::: code-group
\`\`\`sh [npm]
npm i
\`\`\`
\`\`\`sh [yarn]
yarn
\`\`\`
:::
::::note Outer
:::danger
Inner
:::
::::
::: details Click me {open}
hidden
:::`
    expect(await print(text)).toMatchInlineSnapshot(`
      "# (no title)

      **Do this**

      Text

      ## After

      ~~~ sh, "npm", group 1
      npm i
      ~~~

      ~~~ sh, "yarn", group 1
      yarn
      ~~~

      **Outer**

      **Danger**

      Inner

      **Click me**

      hidden"
    `)
  })

  test('a mkdocstrings stub is no container', async () => {
    expect(await print('# API\n\n::: pkg.module\n    options:\n      members: [a]\n\n## Next\n\nText')).toMatchInlineSnapshot(`
      "# API

      \`pkg.module\`

      ## Next

      Text"
    `)
  })

  test('a container shown in a fence or in indented code is code', async () => {
    const text = '```md\n!!! note\n    x\n\n::: tip\ny\n:::\n```\n\nText:\n\n    !!! note\n        x\n'
    expect(await print(text)).toBe(
      '# (no title)\n\n~~~ md\n!!! note\n    x\n\n::: tip\ny\n:::\n~~~\n\nText:\n\n~~~\n!!! note\n    x\n~~~',
    )
  })

  test('components in Markdown give their titles, and their code its names', async () => {
    const text = `import Tabs from '@theme/Tabs'

<Tabs>
  <TabItem value="js" label="JavaScript">

    \`\`\`js
    x
    \`\`\`

  </TabItem>
  <TabItem value="py">

    \`\`\`py
    y
    \`\`\`

  </TabItem>
</Tabs>
## After`
    expect(await print(text)).toMatchInlineSnapshot(`
      "# (no title)

      ~~~ js, "JavaScript", group 1
      x
      ~~~

      ~~~ py, "py", group 1
      y
      ~~~

      ## After"
    `)
  })
})

test('prose never contains a fence, and a page loses no text', async () => {
  const prose = proseOf(await read('a\n```js\nx\n```\nb\n> ~~~\n> y\n> ~~~\n\n- c\n  ````md\n  ```\n  ````\n'))
  expect(prose).toBe('a\n\nb\n\n- c')
})

test('a page that is written like a manual page is named by its section Name', async () => {
  const text = 'Name\n====\n\n`kit_module` - Paints everything.\n\nSynopsis\n========\n\nText.'
  expect((await markdownReader(text, contextOf('README.md'))).title).toBe('kit_module')
  expect((await markdownReader('# Name\n\nThe name of a kit.', contextOf('README.md'))).title).toBe('Name')
})

test('links back to the top are no text', async () => {
  const links = ['[Back to TOC](#table-of-contents)', '**[⬆ back to top](#kit)**', '[(go to top)](#top)']
  const text = links.map((link) => `Text.\n\n${link}\n\n`).join('')
  expect(pageText(await markdownReader(`${text}See [back to top](#kit) in text.`, contextOf('a.md')))).toBe(
    '# (no title)\n\nText.\n\nText.\n\nText.\n\nSee back to top in text.',
  )
})

test('a description that the page begins with is not repeated', async () => {
  const description = 'The kit_paint generates a random version. It uses kit/mix https://example.com/mix to paint.'
  const page = (text: string) => markdownReader(`---\ndescription: "${description}"\n---\n# Kit\n\n${text}`, contextOf('a.md'))
  const repeated = 'The `kit_paint` generates a *random* version.\n\nIt uses [kit/mix](https://example.com/mix) to paint. More.'
  const shown = repeated.replace('[kit/mix](https://example.com/mix)', 'kit/mix')
  expect(pageText(await page(repeated))).toBe(`# Kit\n\n${shown}`)
  expect(pageText(await page('Other.'))).toBe(`# Kit\n\n${description}\n\nOther.`)
})
