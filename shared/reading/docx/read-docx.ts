import JSZip from 'jszip'
import mammoth from 'mammoth'
import { AppError } from '../../errors.ts'
import { type CheckedZip, openZip } from '../../zip/open-zip.ts'
import { htmlReader } from '../html/reader.ts'
import type { Page } from '../page/page.ts'

const mb = 2 ** 20
const zipLimits = { zipEntries: 10_000, unpackedBytes: 500 * mb }
/** Limit of the text with its markup. */
const textBytes = 30 * mb
/** The parts that hold text, its styles and lists. Images, embedded files and macros are not unpacked. */
const textPart = /^(?:\[Content_Types\]\.xml|_rels\/\.rels|word\/(?:_rels\/)?[\w-]{1,60}\.xml(?:\.rels)?)$/
const monospaced = /mono|courier|consolas|menlo|inconsolata|source code|fira code|lucida console/i
const styleMap = [
  "p[style-name='Code'] => pre:separator('\\n')",
  "p[style-name='Source Code'] => pre:separator('\\n')",
  "p[style-name='HTML Preformatted'] => pre:separator('\\n')",
  "p[style-name='Title'] => h1:fresh",
]

/** Reads a Word document: headings, lists and tables by their styles, code by its style or its monospaced font. Throws if it is encrypted or damaged. */
export async function readDocx(path: string): Promise<Page> {
  const buffer = await textParts(path)
  const { value } = await mammoth.convertToHtml(
    { buffer },
    { styleMap, ignoreEmptyParagraphs: false, transformDocument: markCode },
  )
  return htmlReader(value, { path: 'document.html', readFile: () => undefined })
}

/** A zip of the parts with text, whose sizes were checked while they were unpacked. */
async function textParts(path: string): Promise<Buffer> {
  const zip = await openZip(path, zipLimits).catch((error: unknown) => {
    const isLarge = error instanceof AppError && error.code === 'payload_too_large'
    throw new Error(isLarge ? unpacksTo(zipLimits.unpackedBytes) : 'it is no Word document, or it is encrypted or damaged')
  })
  try {
    const parts = zip.files.filter(({ name }) => textPart.test(name))
    if (!parts.some(({ name }) => name === 'word/document.xml')) throw new Error('it is no Word document')
    if (parts.reduce((sum, { sizeBytes }) => sum + sizeBytes, 0) > textBytes) throw new Error(unpacksTo(textBytes))
    const checked = new JSZip()
    for (const { name } of parts) checked.file(name, await contentOf(zip, name))
    return await checked.generateAsync({ type: 'nodebuffer', compression: 'STORE' })
  } finally {
    zip.close()
  }
}

async function contentOf(zip: CheckedZip, name: string): Promise<Buffer> {
  const chunks: Buffer[] = []
  for await (const chunk of (await zip.read(name)) as AsyncIterable<Buffer>) chunks.push(chunk)
  return Buffer.concat(chunks)
}

const unpacksTo = (bytes: number): string => `it unpacks to more than ${bytes / mb} MB`

type Element = { type: string; children?: Element[]; font?: string | null; value?: string; styleName?: string | null }

/** Gives paragraphs whose text is all in a monospaced font the style of code. */
function markCode(element: Element): Element {
  if (element.type !== 'paragraph') return element.children ? { ...element, children: element.children.map(markCode) } : element
  const runs = (element.children ?? []).filter((child) => child.type === 'run' && textOf(child) !== '')
  const isCode = runs.length > 0 && runs.every(({ font }) => monospaced.test(font ?? ''))
  return isCode ? { ...element, styleName: 'Code' } : element
}

const textOf = (element: Element): string => element.value ?? (element.children ?? []).map(textOf).join('')
