import { writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { expect, test } from 'vitest'
import { readBinaryPage } from '../../../../shared/reading/read-page.ts'
import { docxParts, zipParts } from '../../../fixtures/documents.ts'
import { tempDir } from '../../../fixtures/temp-dir.ts'
import { pageText } from '../page-text.ts'

function read(content: Buffer | string) {
  const file = join(tempDir(), 'a.docx')
  writeFileSync(file, content)
  return readBinaryPage(file, file)
}

test('a Word document has headings, and code by its style or font', async () => {
  const parts = docxParts([
    ['Pump manual', 'Heading1'],
    ['Keep it dry.'],
    ['Start', 'Heading2'],
    ['Run this:'],
    ['pump start', '', 'Courier New'],
    ['  --tank upper', '', 'Courier New'],
    ['Or this:'],
    ['pump &lt;name&gt;', 'SourceCode'],
  ])
  expect(pageText(await read(await zipParts(parts)))).toMatchInlineSnapshot(`
    "# Pump manual

    Keep it dry.

    ## Start

    Run this:

    ~~~
    pump start
      --tank upper
    ~~~

    Or this:

    ~~~
    pump <name>
    ~~~"
  `)
})

test('a zip bomb, a zip without text and a damaged file are rejected', async () => {
  const parts = docxParts([['Text']])
  const bomb = { ...parts, 'word/document.xml': `<w:document>${' '.repeat(31 * 2 ** 20)}</w:document>` }
  await expect(read(await zipParts(bomb))).rejects.toThrow('it unpacks to more than 30 MB')
  await expect(read(await zipParts({ 'a.md': 'x' }))).rejects.toThrow('it is no Word document')
  await expect(read('PK')).rejects.toThrow('it is no Word document, or it is encrypted or damaged')
})

test('the embedded files and entities of a Word document are not read', async () => {
  const parts = docxParts([['Text &x;']])
  const text = `<!DOCTYPE d [<!ENTITY x SYSTEM "file:///etc/passwd">]>${parts['word/document.xml']}`
  const entities = { ...parts, 'word/embeddings/secret.txt': 'secret', 'word/document.xml': text }
  const page = await read(await zipParts(entities)).catch(({ message }: Error) => message)
  expect(JSON.stringify(page)).not.toMatch(/secret|root:/)
})
