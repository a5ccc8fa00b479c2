import { writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { expect, test } from 'vitest'
import { readBinaryPage } from '../../../../shared/reading/read-page.ts'
import { makePdf } from '../../../fixtures/documents.ts'
import { tempDir } from '../../../fixtures/temp-dir.ts'
import { pageText } from '../page-text.ts'

function read(content: Buffer | string) {
  const file = join(tempDir(), 'a.pdf')
  writeFileSync(file, content)
  return readBinaryPage(file, file)
}

const words = 'The pump moves water from the lower tank to the upper tank, and stops when the upper tank is full. '

test('a PDF has headings by font size, paragraphs, code by its font, and a section per page', async () => {
  const pdf = await makePdf(
    (doc) => {
      for (const [at, title] of ['Install the pump', 'Run the pump', 'Clean the pump'].entries()) {
        if (at > 0) doc.addPage()
        doc
          .font('Helvetica')
          .fontSize(8)
          .text(`Pump manual, page ${at + 1}`, 72, 40)
        doc.fontSize(20).text(title, 72, 90)
        doc.fontSize(11).text(words.repeat(3)).moveDown().text(`Second paragraph of ${title}. ${words}`)
        if (at === 1) doc.moveDown().font('Courier').fontSize(10).text('pump start \\\n  --tank upper\n\npump stop')
        doc.font('Helvetica').fontSize(14).moveDown().text('Notes').fontSize(11).text(`Keep it dry: ${title}.`)
      }
    },
    { info: { Title: 'Pump manual' } },
  )
  const page = await read(pdf)
  expect(pageText(page)).toMatchInlineSnapshot(`
    "# Pump manual

    ## Install the pump

    The pump moves water from the lower tank to the upper tank, and stops when the upper tank is full. The pump moves water from the lower tank to the upper tank, and stops when the upper tank is full. The pump moves water from the lower tank to the upper tank, and stops when the upper tank is full.

    Second paragraph of Install the pump. The pump moves water from the lower tank to the upper tank, and stops when the upper tank is full.

    ## Install the pump > Notes

    Keep it dry: Install the pump.

    ## Run the pump

    The pump moves water from the lower tank to the upper tank, and stops when the upper tank is full. The pump moves water from the lower tank to the upper tank, and stops when the upper tank is full. The pump moves water from the lower tank to the upper tank, and stops when the upper tank is full.

    Second paragraph of Run the pump. The pump moves water from the lower tank to the upper tank, and stops when the upper tank is full.

    ~~~
    pump start \\
      --tank upper

    pump stop
    ~~~

    ## Run the pump > Notes

    Keep it dry: Run the pump.

    ## Clean the pump

    The pump moves water from the lower tank to the upper tank, and stops when the upper tank is full. The pump moves water from the lower tank to the upper tank, and stops when the upper tank is full. The pump moves water from the lower tank to the upper tank, and stops when the upper tank is full.

    Second paragraph of Clean the pump. The pump moves water from the lower tank to the upper tank, and stops when the upper tank is full.

    ## Clean the pump > Notes

    Keep it dry: Clean the pump."
  `)
  expect(page.sections.map(({ line }) => line)).toEqual([1, 1, 2, 2, 3, 3])
})

test('an encrypted PDF is rejected, and one that everybody may open is read', async () => {
  const text = (doc: { text(text: string): unknown }) => doc.text(words)
  await expect(read(await makePdf(text, { userPassword: 'secret' }))).rejects.toThrow('it is encrypted with a password')
  expect(pageText(await read(await makePdf(text, { ownerPassword: 'secret' })))).toContain('The pump moves water')
})

test('a PDF without text is rejected', async () => {
  await expect(read(await makePdf((doc) => doc.rect(50, 50, 100, 100).fill('red')))).rejects.toThrow('its pages are images')
})

test.each(['', '%PDF-1.7\n', 'no PDF at all', `%PDF-1.7\n${'1 0 obj <<'.repeat(100)}`])(
  'a damaged PDF is rejected: %#',
  async (text) => {
    await expect(read(text)).rejects.toThrow(/it is no PDF, or it is damaged|its pages are images/)
  },
)

test('an embedded file of a PDF is not read', async () => {
  const pdf = await makePdf((doc) => {
    doc.file(Buffer.from('the secret recipe'), { name: 'recipe.txt' })
    doc.text(words)
  })
  expect(JSON.stringify(await read(pdf))).not.toContain('secret recipe')
})

test('a PDF with 5,000 pages is read up to its limit', async () => {
  const pdf = await makePdf((doc) => {
    for (let at = 1; at <= 5_000; at += 1) {
      if (at > 1) doc.addPage()
      doc.text(`${'abcdefgh'.charAt(at % 8)}${words}`.repeat(2))
    }
  })
  const page = await read(pdf)
  expect([page.sections.length, page.omitted]).toEqual([2_000, 'it has 5000 pages; only the first 2000 are read'])
})
