import { stripVTControlCharacters } from 'node:util'
import { z } from 'zod'

export type NotebookCell = { kind: 'markdown'; text: string } | { kind: 'code'; code: string; language: string; output: string }

const Text = z
  .union([
    z.string(),
    z
      .array(z.unknown())
      .transform((lines) => lines.filter((line) => typeof line === 'string' || typeof line === 'number').join('')),
  ])
  .optional()
  .catch(undefined)
const Output = z.object({
  output_type: z.string().catch(''),
  text: Text,
  data: z
    .object({ 'text/plain': Text, 'application/vnd.jupyter.widget-view+json': z.unknown().optional() })
    .optional()
    .catch(undefined),
  ename: Text,
  evalue: Text,
})
const Cell = z.object({
  cell_type: z.string(),
  source: Text,
  input: Text,
  level: z.number().int().min(1).max(6).catch(1),
  language: Text,
  outputs: z.array(Output).catch([]),
})
const Cells = z.array(Cell.catch({ cell_type: 'unreadable', level: 1, outputs: [] }))
const Notebook = z.object({
  cells: Cells.optional(),
  worksheets: z.array(z.object({ cells: Cells })).optional(),
  metadata: z
    .object({
      language_info: z.object({ name: Text }).optional().catch(undefined),
      kernelspec: z.object({ language: Text, name: Text }).optional().catch(undefined),
      language: Text,
    })
    .catch({}),
})

const languageOfMagic: Record<string, string> = {
  bash: 'bash',
  sh: 'bash',
  script: 'bash',
  cmd: 'batch',
  javascript: 'javascript',
  js: 'javascript',
  html: 'html',
  latex: 'latex',
  sql: 'sql',
  ruby: 'ruby',
  perl: 'perl',
  cython: 'cython',
  R: 'r',
}

/** The cells of a Jupyter notebook of format 3 or 4, in order. Throws if the text is not a notebook. */
export function readNotebookCells(text: string): NotebookCell[] {
  const { cells, worksheets, metadata } = parseNotebook(text)
  const language = (metadata.language_info?.name ?? metadata.kernelspec?.language ?? metadata.language ?? 'python').toLowerCase()
  return (cells ?? worksheets?.flatMap((sheet) => sheet.cells) ?? []).flatMap((cell) => toCell(cell, language))
}

function parseNotebook(text: string): z.infer<typeof Notebook> {
  const notebook = Notebook.safeParse(parseJson(text)).data
  if (notebook === undefined || (notebook.cells ?? notebook.worksheets) === undefined)
    throw new Error('not a notebook: it has no cells')
  return notebook
}

function parseJson(text: string): unknown {
  try {
    return JSON.parse(text)
  } catch {
    throw new Error('not a notebook: its JSON is broken')
  }
}

function toCell(cell: z.infer<typeof Cell>, language: string): NotebookCell[] {
  const source = cell.source ?? cell.input ?? ''
  if (source.trim() === '') return []
  if (cell.cell_type === 'heading') return [{ kind: 'markdown', text: `${'#'.repeat(cell.level)} ${source}` }]
  if (cell.cell_type !== 'code') return [{ kind: 'markdown', text: source }]
  const magic = languageOfMagic[/^%%(\w{1,20})/.exec(source)?.[1] ?? '']
  return [
    {
      kind: 'code',
      code: source,
      language: magic ?? cell.language?.toLowerCase() ?? language,
      output: shortOutput(cell.outputs),
    },
  ]
}

/** One output of a code cell, in notebook format 3 or 4. */
type CellOutput = {
  output_type: string
  text?: string
  data?: { 'text/plain'?: string; 'application/vnd.jupyter.widget-view+json'?: unknown }
  ename?: string
  evalue?: string
}

const maxLines = 10
const maxCharacters = 500

/** The first lines of a cell's output, without images, widgets and reprs that only name an object. */
function shortOutput(outputs: CellOutput[]): string {
  const text = stripVTControlCharacters(outputs.map(textOf).filter(Boolean).join('\n')).trim()
  const lines = text.split('\n', maxLines + 1)
  const short = lines.slice(0, maxLines).join('\n').slice(0, maxCharacters).trimEnd()
  return short.length < text.length ? `${short}\n…` : short
}

function textOf({ output_type: type, text, data, ename, evalue }: CellOutput): string {
  if (type === 'error' || type === 'pyerr') return `${ename ?? 'Error'}: ${evalue ?? ''}`
  if (data?.['application/vnd.jupyter.widget-view+json'] !== undefined) return ''
  const printed = (text ?? data?.['text/plain'] ?? '').slice(0, maxCharacters * 4)
  return /^<[^\n]{1,200}>$/.test(printed.trim()) ? '' : printed
}
