import { readFile } from 'node:fs/promises'
import { getDocumentProxy } from 'unpdf'
import type { Page } from '../page/page.ts'
import { type Line, pdfLines, type TextItem } from './pdf-lines.ts'
import { pdfSections } from './pdf-sections.ts'

const maxPages = 2_000
/** Fewer letters per page are page numbers and stamps on scanned pages. */
const minCharsPerPage = 20

/**
 * Reads the text of a PDF: headings by the size of their font, code by its monospaced font. Files that are embedded are not read. Throws if it
 * is encrypted or damaged, and if its pages are images.
 */
export async function readPdf(path: string): Promise<Page> {
  const document = await open(new Uint8Array(await readFile(path)))
  try {
    const count = Math.min(document.numPages, maxPages)
    const pages: Line[][] = []
    for (let number = 1; number <= count; number += 1) {
      const page = await document.getPage(number)
      const { items, styles } = await page.getTextContent()
      const texts = items.filter((item): item is typeof item & TextItem => 'str' in item)
      pages.push(pdfLines(texts, (font) => styles[font]?.fontFamily === 'monospace'))
      page.cleanup()
    }
    const chars = pages.flat().reduce((sum, { text }) => sum + text.length, 0)
    if (chars < count * minCharsPerPage) throw new Error('it has no text: its pages are images, which are not read')
    const { info } = await document.getMetadata()
    const title = 'Title' in info && typeof info.Title === 'string' ? info.Title.trim() : ''
    const omitted =
      document.numPages > maxPages ? `it has ${document.numPages} pages; only the first ${maxPages} are read` : undefined
    return { ...(title !== '' && { title }), sections: pdfSections(pages), ...(omitted !== undefined && { omitted }) }
  } finally {
    await document.loadingTask.destroy()
  }
}

/** It runs no code of the document and fetches nothing. */
async function open(data: Uint8Array) {
  try {
    return await getDocumentProxy(data, { isEvalSupported: false, useSystemFonts: false, disableFontFace: true, verbosity: 0 })
  } catch (error) {
    const name = error instanceof Error ? error.name : ''
    throw new Error(name === 'PasswordException' ? 'it is encrypted with a password' : 'it is no PDF, or it is damaged')
  }
}
