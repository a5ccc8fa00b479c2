import { describe, expect, test } from 'vitest'
import { rstReader } from '../../../../shared/reading/rst/reader.ts'
import { codeOf, contextOf, pageText } from '../page-text.ts'

const read = async (text: string, files: Record<string, string> = {}) => rstReader(text, contextOf('docs/guide/page.rst', files))
const print = async (text: string, files?: Record<string, string>) => pageText(await read(text, files))

describe('reStructuredText: code', () => {
  test('a paragraph that ends with `::` before a directive announces no literal block', async () => {
    const text = `List them::

.. code-block:: terminal

    $ kit list

    Types
    =====

     Psr\\Log\\LoggerInterface

Then this::

.. note:: Text.

Next
`
    expect(await print(text)).toBe(`# (no title)

List them:

~~~ terminal
$ kit list

Types
=====

 Psr\\Log\\LoggerInterface
~~~

Then this:

**Note:** Text.

Next`)
  })

  test('a prompt has the language of its shell, and keeps the label of its tab', async () => {
    const text =
      '.. tabs::\n\n   .. tab:: Linux\n\n      .. prompt:: bash $\n\n         kit run\n\n.. prompt:: python >>> auto\n\n   >>> run()\n\n.. prompt::\n\n   ls\n'
    expect(codeOf(await read(text)).map(({ code, language, label }) => [language, code, label])).toEqual([
      ['bash', 'kit run', 'Linux'],
      ['python', '>>> run()', undefined],
      ['shell', 'ls', undefined],
    ])
  })

  test('the arguments of only and of containers are no text, and what is only printed is omitted', async () => {
    const text =
      '.. only:: html\n\n   Web.\n\n.. only:: latex or epub\n\n   Paper.\n\n.. container:: wide\n\n   Wide.\n\n.. grid:: 1 2\n\n   Grid.\n'
    expect(await print(text)).toBe('# (no title)\n\nWeb.\n\nWide.\n\nGrid.')
  })

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

.. code-block:: js
   no.blank.row()

.. code-block:: not a language
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
      ['js', 'no.blank.row()'],
      ['ruby', 'not a language'],
    ])
  })

  test('adjacent tabs without a frame are one group', async () => {
    const tab = (name: string) => `.. tab:: ${name}\n\n   .. code-block:: sh\n\n      run ${name}\n\n`
    const found = codeOf(await read(`${tab('a')}${tab('b')}.. tabs::\n\n   .. code-tab:: py\n\n      c\n`))
    expect(found.map(({ label, group }) => [label, group])).toEqual([
      ['a', 1],
      ['b', 1],
      [undefined, 2],
    ])
  })

  test('tabs give their code a label and one group, and their prose starts with the label', async () => {
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

  test('object descriptions keep their signature, the options with text, and their body', async () => {
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

  test('directives without text are dropped, and text of unknown directives stays', async () => {
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
