import { describe, expect, test } from 'vitest'
import { rstReader } from '../../../../shared/reading/rst/reader.ts'
import { contextOf, pageText, proseOf } from '../page-text.ts'

const read = async (text: string, files: Record<string, string> = {}) => rstReader(text, contextOf('docs/guide/page.rst', files))
const print = async (text: string, files?: Record<string, string>) => pageText(await read(text, files))

describe('reStructuredText: sections', () => {
  test('the first section title is the page title, and adornments give levels in the order in which they appear', async () => {
    const text = `
=====
Flask
=====

Lead.

Install
-------

Deeper
~~~~~~

Use
---

Text.
`
    expect(await print(text)).toMatchInlineSnapshot(`
      "# Flask

      Lead.

      ## Install

      ## Install > Deeper

      ## Use

      Text."
    `)
  })

  test('an underline of four characters makes a longer title', async () => {
    expect((await read('A long title\n====\n\ntext')).title).toBe('A long title')
  })

  test('an underline of less than four characters is text below a longer title', async () => {
    expect(await read('A long title\n===\n\ntext')).toMatchObject({ sections: [{ blocks: [{ text: 'A long title\n===' }, {}] }] })
  })

  test('headings and blocks have their line', async () => {
    const page = await read('Title\n=====\n\nSub\n---\n\nText::\n\n   code\n')
    expect(page.sections).toEqual([
      {
        headings: ['Sub'],
        line: 4,
        blocks: [
          { kind: 'prose', text: 'Text:', line: 7 },
          { kind: 'code', code: 'code', language: '', line: 9 },
        ],
      },
    ])
  })
})

describe('inline markup of reStructuredText', () => {
  test.each([
    [':class:`~flask.Flask` and :meth:`.Flask.run`', '`Flask` and `Flask.run()`'],
    [':doc:`Getting started </start>` or :ref:`that <label>`', 'Getting started or that'],
    ['``a * b`` and `x <https://x.y>`_ and `two words`_', '`a * b` and x and two words'],
    ['Known_ stays a word, foo_bar and other_ too', 'Known stays a word, foo_bar and other_ too'],
    ['H\\ :sub:`2`\\ O, \\*args, \\_x', 'H2O, \\*args, _x'],
    ['|name| and |unknown| and |code|_', 'Carrel and |unknown| and `run()`'],
    ['see [1]_ and :pep:`8` and :rfc:`2119`', 'see [1] and PEP 8 and RFC 2119'],
    [':kbd:`Ctrl+C` :file:`a/b c.py` `default`', '`Ctrl+C` `a/b c.py` `default`'],
    ['an unclosed ``literal and `role', 'an unclosed ``literal and `role'],
  ])('becomes Markdown: %s', async (source, expected) => {
    const names = '.. _known: https://k\n.. |name| replace:: Carrel\n.. |code| replace:: ``run()``\n'
    expect(proseOf(await read(`${source}\n\n${names}`))).toBe(expected)
  })
})

describe('reStructuredText: lists', () => {
  test('bullets, enumerations, definitions, fields and options become Markdown, and code in them is a separate block', async () => {
    const text = `
- one

  - nested
- two::

    in a list

  after
#. first
#. second

term : class
   What it is.

   .. code-block:: sh

      in a definition

:param name: who
-v, --verbose  Say more
               and more.

| line
| block

A. Smith wrote this
and that.
`
    expect(await print(text)).toMatchInlineSnapshot(`
      "# (no title)

      - one
        - nested
      - two:

      ~~~
      in a list
      ~~~

      after

      1. first
      2. second

      **term** (class): What it is.

      ~~~ sh
      in a definition
      ~~~

      **param name:** who

      \`-v, --verbose\`: Say more
      and more.

      line
      block

      A. Smith wrote this
      and that."
    `)
  })

  test('a list right after a definition is a list again', async () => {
    expect(proseOf(await read('term\n  body\n\n- item\n  goes on\n'))).toBe('**term**: body\n\n- item\n  goes on')
  })
})

describe('reStructuredText: tables', () => {
  test('a grid table keeps every cell, spans in their first column, code below its row', async () => {
    const text = `
+-------+--------+
| Key   | Value  |
+=======+========+
| a     | one    |
|       | line   |
+-------+--------+
| spans both     |
+-------+--------+
| down  | x::    |
|       |        |
|       |   c()  |
+       +--------+
| more  | last   |
+-------+--------+
`
    expect(await print(text)).toMatchInlineSnapshot(`
      "# (no title)

      | Key | Value |
      | --- | --- |
      | a | one line |
      | spans both |
      | down | x: |

      ~~~
      c()
      ~~~

      | Key | Value |
      | --- | --- |
      | more | last |"
    `)
  })

  test('simple, list and CSV tables become Markdown tables', async () => {
    const text = `
=====  ======
Name   Does
=====  ======
a      first
       row
b|c    second
=====  ======

.. list-table:: Frozen
   :header-rows: 1

   * - Treat
     - Price
   * - Ice
     - 2

.. csv-table::
   :header: x, y

   "1, 2", "say ""hi"""
`
    expect(await print(text)).toMatchInlineSnapshot(`
      "# (no title)

      | Name | Does |
      | --- | --- |
      | a | first row |
      | b\\|c | second |

      **Frozen**

      | Treat | Price |
      | --- | --- |
      | Ice | 2 |

      | x | y |
      | --- | --- |
      | 1, 2 | say "hi" |"
    `)
  })
})
