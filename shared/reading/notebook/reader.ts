import { markdownReader } from '../markdown/reader.ts'
import { joinLines, toLines } from '../markdown/syntax/line.ts'
import { withoutUnclosed } from '../markdown/without-unclosed.ts'
import type { Block, Page, Reader } from '../page/page.ts'
import { type NotebookCell, readNotebookCells } from './read-notebook-cells.ts'

/** Language of the fences that represent code cells in the joined Markdown; their body is the number of the cell. */
const placeholder = 'carrel-notebook-cell'

/** Reads a notebook as one page, so that headings apply to the cells after them. Throws if the text is not a notebook. */
export const notebookReader: Reader = async (text, context): Promise<Page> => {
  const cells = readNotebookCells(text)
  const markdown = cells.map((cell, index) =>
    cell.kind === 'markdown' ? closed(cell.text) : `\`\`\`${placeholder}\n${index}\n\`\`\``,
  )
  const page = await markdownReader(markdown.join('\n\n'), context)
  const sections = page.sections.map((section) => ({
    ...section,
    line: 0,
    blocks: section.blocks.flatMap((block) => restore(block, cells)),
  }))
  return { ...page, sections }
}

function restore(block: Block, cells: NotebookCell[]): Block[] {
  const cell = block.kind === 'code' && block.language === placeholder ? cells[Number(block.code)] : undefined
  if (cell?.kind !== 'code') return [{ ...block, line: 0 }]
  const code: Block = { kind: 'code', code: cell.code, language: cell.language, line: 0 }
  return cell.output === '' ? [code] : [code, { kind: 'code', code: cell.output, language: 'text', line: 0 }]
}

/** Closes fences and comments that a cell leaves open: they would swallow the cells after it. */
function closed(source: string): string {
  const text = joinLines(withoutUnclosed(toLines(source)))
  let fence = ''
  for (const line of text.split('\n')) {
    const [, mark = '', info = ''] = /^ {0,3}(`{3,}|~{3,})(.*)/.exec(line) ?? []
    if (fence === '') fence = mark
    else if (mark.startsWith(fence) && info.trim() === '') fence = ''
  }
  const comment = text.lastIndexOf('<!--') > text.lastIndexOf('-->') ? '\n-->' : ''
  return fence === '' ? text + comment : `${text}\n${fence}`
}
