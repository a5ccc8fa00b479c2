import { expect, test } from 'vitest'
import { markdownReader } from '../../../../shared/reading/markdown/reader.ts'
import { codeOf, contextOf, pageText } from '../page-text.ts'

const print = async (text: string, path = 'docs/page.md') => pageText(await markdownReader(text, contextOf(path)))

test('blocks of slashes are tabs and notes', async () => {
  const text = `Use it:

//// tab | Python 3.10+

\`\`\`python
def run(): ...
\`\`\`

////

//// tab | Python 3.9

/// note | Careful
    attrs: {class: inner}

Text with **words**.

# Not a heading of the page
///

\`\`\`python
def go(): ...
\`\`\`

////

/// details | More
    open: True
    type: warning

Hidden at first.
///

/// tip

A tip.

///

Text after.`
  expect(await print(text)).toMatchInlineSnapshot(`
    "# (no title)

    Use it:

    ~~~ python, "Python 3.10+", group 1
    def run(): ...
    ~~~

    **Python 3.9**

    **Careful**

    Text with **words**.

    **Not a heading of the page**

    ~~~ python, "Python 3.9", group 1
    def go(): ...
    ~~~

    **More**

    Hidden at first.

    **Tip**

    A tip.

    Text after."
  `)
})

test('tabs that other text separates are two groups', async () => {
  const tab = (name: string) => `/// tab | ${name}\n\`\`\`sh\n${name}\n\`\`\`\n///`
  const page = await markdownReader(`${tab('a')}\n\n${tab('b')}\n\nOr:\n\n${tab('c')}`, contextOf('page.md'))
  expect(codeOf(page).map(({ label, group }) => [label, group])).toEqual([
    ['a', 1],
    ['b', 1],
    ['c', 2],
  ])
})

test('the arguments of html blocks and captions are no titles', async () => {
  expect(await print('/// html | div.grid\n\nInside.\n///\n\n/// caption\nFigure of a kit\n///')).toBe(
    '# (no title)\n\nInside.\n\nFigure of a kit',
  )
})

test('an unclosed block of slashes, a comment with slashes and slashes in code are text', async () => {
  expect(await print('/// note | Careful\n\nText.')).toBe('# (no title)\n\n/// note | Careful\n\nText.')
  expect(await print('```rust\n/// note\nfn x() {}\n///\n```')).toBe('# (no title)\n\n~~~ rust\n/// note\nfn x() {}\n///\n~~~')
})

test('keys are inline code', async () => {
  expect(await print('Press ++ctrl+alt+del++ or ++"Any key"++, not c++ or i++x++.')).toBe(
    '# (no title)\n\nPress `Ctrl+Alt+Del` or `Any key`, not c++ or i++x++.',
  )
})

test('attribute lists alone on a line are no text', async () => {
  expect(
    await print(
      'Some text (1)\n{ .annotate }\n\n1.  A note.\n\n{: #x .wide }\n![Alt](a.png)\n{ style="width: 1em" }\n\n{ a set }',
    ),
  ).toBe('# (no title)\n\nSome text (1)\n\n1.  A note.\n\nAlt\n\n{ a set }')
})

test('an object of mkdocstrings is its name, without its options', async () => {
  const text = `# Router

::: kit.Router
    options:
        members:
            - add

            - remove
        show_root_heading: true

## Functions

::: run
    handler: python

- Item

  ::: kit.tools:Saw

After.`
  expect(await print(text)).toMatchInlineSnapshot(`
    "# Router

    \`kit.Router\`

    ## Functions

    \`run\`

    - Item

      \`kit.tools:Saw\`

    After."
  `)
})

test('tabs of DocFX end at a rule, and the heading below is not inside the last one', async () => {
  const text = `# Install

# [Python](#tab/python)

\`\`\`python
pip
\`\`\`

# [Node.js](#tab/node)

Run \`npm\`.

\`\`\`sh
npm i
\`\`\`

---

## Next

Text.

### [Linux](#tab/linux)

apt

## Last

End.`
  expect(await print(text)).toMatchInlineSnapshot(`
    "# Install

    ~~~ python, "Python", group 1
    pip
    ~~~

    **Node.js**

    Run \`npm\`.

    ~~~ sh, "Node.js", group 1
    npm i
    ~~~

    ## Next

    Text.

    **Linux**

    apt

    ## Last

    End."
  `)
})

test('the notices of Grav are notes', async () => {
  expect(await print('Text.\n\n! Be careful\n! with it.\n\n!!! See [this](x).\n\n!!! note\n    Python.\n\n!!!! Done')).toBe(
    '# (no title)\n\nText.\n\n> **Warning**\n> Be careful\n> with it.\n\n> **Note**\n> See this.\n\n**Note**\n\nPython.\n\n> **Tip**\n> Done',
  )
})

test('rule names of an mdBook are no text', async () => {
  expect(await print('# Unions\n\nr[items.union]\n\nr[items.union.intro]\nA union has fields. `r[x.y]` stays.')).toBe(
    '# Unions\n\nA union has fields. `r[x.y]` stays.',
  )
})
