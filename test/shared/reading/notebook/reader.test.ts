import { describe, expect, test } from 'vitest'
import { notebookReader } from '../../../../shared/reading/notebook/reader.ts'
import { codeOf, contextOf, pageText } from '../page-text.ts'

const context = contextOf('guide.ipynb')
const read = (notebook: unknown) => notebookReader(JSON.stringify(notebook), context)
const markdown = (source: string | string[]) => ({ cell_type: 'markdown', source })
const code = (source: string, outputs: unknown[] = []) => ({ cell_type: 'code', source, outputs })

describe('a notebook', () => {
  test('is one page in which headings apply to the cells below them', async () => {
    const page = await read({
      nbformat: 4,
      metadata: { language_info: { name: 'Julia' } },
      cells: [
        markdown('# Guide'),
        markdown(['## Setup\n', '\n', 'Install it.']),
        code('using Acme'),
        markdown('More.'),
        code('run()'),
      ],
    })
    expect(pageText(page)).toMatchInlineSnapshot(`
      "# Guide

      ## Setup

      Install it.

      ~~~ julia
      using Acme
      ~~~

      More.

      ~~~ julia
      run()
      ~~~"
    `)
  })

  test('may have format 3', async () => {
    const page = await read({
      nbformat: 3,
      metadata: {},
      worksheets: [
        {
          cells: [
            { cell_type: 'heading', level: 1, source: 'Guide' },
            { cell_type: 'code', language: 'python', input: ['a = 1\n', 'a'], outputs: [{ output_type: 'pyout', text: ['1'] }] },
          ],
        },
      ],
    })
    expect(pageText(page)).toMatchInlineSnapshot(`
      "# Guide

      ~~~ python
      a = 1
      a
      ~~~

      ~~~ text
      1
      ~~~"
    `)
  })

  test('keeps code verbatim, whatever it contains', async () => {
    const source = 'text = """\n```python\n~~~~\n"""\n\tx\r\n<!-- --8<-- "x" -->'
    expect(codeOf(await read({ cells: [code(source)] })).map((block) => block.code)).toEqual([source])
  })

  test.each([
    ['%%bash\nls', 'bash'],
    ['%%sh\nls', 'bash'],
    ['%%time\nf()', 'python'],
    ['%%html\n<b>', 'html'],
    ['!pip install acme', 'python'],
  ])('reads the language $1 from "$0"', async (source, language) => {
    expect(codeOf(await read({ cells: [code(source)] })).map((block) => block.language)).toEqual([language])
  })

  test('keeps the first lines of printed output and no images', async () => {
    const many = Array.from({ length: 30 }, (_, index) => `line ${index}\n`)
    const page = await read({
      cells: [
        code('a', [{ output_type: 'stream', text: many }]),
        code('b', [{ output_type: 'execute_result', data: { 'text/plain': ['   x\n', '0  1'], 'text/html': '<table>' } }]),
        code('c', [{ output_type: 'display_data', data: { 'text/plain': '<Figure size 640x480>', 'image/png': 'iVBO' } }]),
        code('d', [
          { output_type: 'display_data', data: { 'text/plain': 'Slider()', 'application/vnd.jupyter.widget-view+json': {} } },
        ]),
        code('e', [{ output_type: 'error', ename: 'KeyError', evalue: "'x'", traceback: ['\u001b[31mlong\u001b[0m'] }]),
        code('f', [{ output_type: 'stream', text: `\u001b[31m${'y'.repeat(1_000)}\u001b[0m` }]),
      ],
    })
    const outputs = codeOf(page).flatMap((block) => (block.language === 'text' ? [block.code] : []))
    expect(outputs).toEqual([`${many.slice(0, 10).join('')}…`, 'x\n0  1', "KeyError: 'x'", `${'y'.repeat(500)}\n…`])
  })

  test.each(['```python\nnever closed', '<!-- never closed', '~~~~\n~~~\nnot closed'])(
    'keeps a cell that leaves %j open apart from the cells below it',
    async (open) => {
      const page = await read({ cells: [markdown(open), code('first()'), markdown('## Next'), code('second()')] })
      expect(codeOf(page).map((block) => block.code)).toEqual(expect.arrayContaining(['first()', 'second()']))
      expect(page.sections.at(-1)?.blocks.at(-1)).toMatchObject({ code: 'second()' })
    },
  )

  test('skips invalid cells', async () => {
    expect(codeOf(await read({ cells: [7, null, {}, { cell_type: 'code', source: 7 }, code('kept()')] }))).toHaveLength(1)
  })

  test.each([
    ['{', 'not a notebook: its JSON is broken'],
    ['[]', 'not a notebook: it has no cells'],
    ['{"cells": 7}', 'not a notebook: it has no cells'],
    ['{}', 'not a notebook: it has no cells'],
  ])('is rejected with a clear message if it is %s', async (text, sentence) => {
    await expect(notebookReader(text, context)).rejects.toThrow(sentence)
  })
})

test.each(['<style>\n.x {}', '<script>', '<!-- later'])(
  'a cell of a notebook that leaves %j open takes no text from the next',
  async (open) => {
    const text = pageText(await read({ cells: [markdown(open), code('run()'), markdown('More.')] }))
    expect(text).toContain('run()')
    expect(text).toContain('More.')
  },
)

test('a cell of another type is prose, and a line that is not text is dropped', async () => {
  const cells = [
    { cell_type: 'sql', source: 'Words' },
    { cell_type: 'code', source: ['a = 1\n', null, 'b = 2'], outputs: [] },
  ]
  const text = pageText(await read({ cells }))
  expect(text).toContain('Words')
  expect(text).toContain('a = 1\nb = 2')
})
