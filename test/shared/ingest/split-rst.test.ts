import { describe, expect, test } from 'vitest'
import { splitRst } from '../../../shared/ingest/split-rst.ts'
import { codeOf, contextOf, pageText, proseOf } from './page-text.ts'

const read = async (text: string, files: Record<string, string> = {}) => splitRst(text, contextOf('docs/guide/page.rst', files))
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

  test('an underline shorter than its title counts from four characters on, and a shorter one is text', async () => {
    expect((await read('A long title\n====\n\ntext')).title).toBe('A long title')
    expect(await read('A long title\n===\n\ntext')).toMatchObject({ sections: [{ blocks: [{ text: 'A long title\n===' }, {}] }] })
  })

  test('headings and blocks know their line', async () => {
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

describe('reStructuredText: inline markup', () => {
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
  ])('%s', async (source, expected) => {
    const names = '.. _known: https://k\n.. |name| replace:: Carrel\n.. |code| replace:: ``run()``\n'
    expect(proseOf(await read(`${source}\n\n${names}`))).toBe(expected)
  })
})

describe('reStructuredText: lists', () => {
  test('bullets, enumerations, definitions, fields and options become Markdown, and code in them stands on its own', async () => {
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

  test('simple, list and CSV tables are Markdown tables', async () => {
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

describe('reStructuredText: code', () => {
  test('every way to write a listing is found, in order, with its language', async () => {
    const text = `
.. highlight:: ruby

Literal::

    puts 1

.. code-block:: python
   :linenos:
   :caption: app.py

   def f():

       pass

.. code:: js

   a()

.. sourcecode:: console

   $ ls

.. parsed-literal::

   pip install **x**

>>> 1 + 1
2

.. note::

   - Deep::

        deep

Quoted::

> a
> b

Broken:
.. code-block:: sh

   still found

.. code-block::

   default
`
    const found = codeOf(await read(text)).map(({ code, language, label }) => [language, code, ...(label ? [label] : [])])
    expect(found).toEqual([
      ['ruby', 'puts 1'],
      ['python', 'def f():\n\n    pass', 'app.py'],
      ['js', 'a()'],
      ['console', '$ ls'],
      ['', 'pip install **x**'],
      ['pycon', '>>> 1 + 1\n2'],
      ['ruby', 'deep'],
      ['ruby', '> a\n> b'],
      ['sh', 'still found'],
      ['ruby', 'default'],
    ])
  })

  test('tabs give their code a label and one group, and say the label where there is prose', async () => {
    const text = `
.. tabs::

   .. group-tab:: Linux

      .. code-block:: sh

         ./run

   .. group-tab:: Windows

      In a shell:

      .. code-block:: bat

         run

.. tabs::

   .. code-tab:: py Python tab

      print(1)
`
    expect(await print(text)).toMatchInlineSnapshot(`
      "# (no title)

      ~~~ sh, "Linux", group 1
      ./run
      ~~~

      **Windows**

      In a shell:

      ~~~ bat, "Windows", group 1
      run
      ~~~

      ~~~ py, "Python tab", group 2
      print(1)
      ~~~"
    `)
  })
})

describe('reStructuredText: directives', () => {
  test('admonitions and versions keep their name', async () => {
    const text = `
.. warning:: Never
   do it.

.. admonition:: In detail

   More.

.. versionadded:: 2.0
   The \`\`x\`\` option.

.. deprecated:: 3.0

   Use y.
`
    expect(await print(text)).toMatchInlineSnapshot(`
      "# (no title)

      **Warning:** Never
      do it.

      **In detail**

      More.

      **Added in version 2.0:** The \`x\` option.

      **Deprecated since version 3.0:**

      Use y."
    `)
  })

  test('object descriptions keep signature, options that tell something, and body', async () => {
    const text = `
.. py:function:: load(path, *, mode='r') -> str
                 load(file)
   :noindex:

   Reads it.

   :param path: where

   >>> load('x')

.. autoclass:: flask.Flask
   :members:

.. confval:: DEBUG
   :default: \`\`False\`\`
`
    expect(await print(text)).toMatchInlineSnapshot(`
      "# (no title)

      \`load(path, *, mode='r') -> str\`

      \`load(file)\`

      Reads it.

      **param path:** where

      ~~~ pycon
      >>> load('x')
      ~~~

      \`flask.Flask\`

      \`DEBUG\`

      **default:** \`False\`"
    `)
  })

  test('what makes no text is dropped, and what an unknown directive says stays', async () => {
    const text = `
.. toctree::
   :maxdepth: 2

   other

.. a comment
   over two lines
.. _target:
.. raw:: html

   <b>x</b>

.. image:: logo.png
   :alt: The logo

.. frobnicate:: an argument
   :opt: 1

   Its *body*.

.. [note] A footnote.

----

End.
`
    expect(await print(text)).toMatchInlineSnapshot(`
      "# (no title)

      The logo

      an argument

      Its *body*.

      [note] A footnote.

      End."
    `)
  })
})
