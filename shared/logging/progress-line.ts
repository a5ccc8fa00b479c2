import { visibleText } from '../text/visible-text.ts'
import type { JobFigures } from './show-progress.ts'

const barColumns = 20
const minStageColumns = 20

/** One line about a running job, in at most `columns` columns: `/honojs/website [=====>      ] 45 % Reading files (120 of 266), 12 s`. */
export function progressLine(libraryId: string, figures: JobFigures, seconds: number, columns: number): string {
  const { stage, filesDone, filesTotal } = figures
  const share = filesTotal > 0 ? Math.min(1, filesDone / filesTotal) : undefined
  const bar = share === undefined ? '' : `${barOf(share)} ${Math.floor(share * 100)} % `
  const count = share === undefined ? '' : ` (${filesDone} of ${filesTotal})`
  const text = visibleText(`${stage === '' ? 'Starting' : stage}${count}, ${seconds} s`).replaceAll('\n', ' ')
  const name = visibleText(libraryId).replaceAll('\n', ' ')
  const full = `${name} ${bar}${text}`
  if (widthOf(full) <= columns) return full
  const withoutBar = `${name} ${text}`
  return widthOf(name) + minStageColumns > columns ? cut(text, columns) : cut(withoutBar, columns)
}

function barOf(share: number): string {
  const filled = Math.floor(share * barColumns)
  return `[${'='.repeat(filled)}${filled < barColumns ? '>' : ''}${' '.repeat(Math.max(0, barColumns - filled - 1))}]`
}

/** A character outside ASCII may take two columns. */
const widthOf = (text: string): number => [...text].reduce((sum, each) => sum + (each > '\u007f' ? 2 : 1), 0)

function cut(text: string, columns: number): string {
  let kept = ''
  for (const each of text) {
    if (widthOf(kept + each) > columns) break
    kept += each
  }
  return kept
}
