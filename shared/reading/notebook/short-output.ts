import { stripVTControlCharacters } from 'node:util'

/** One output of a code cell, in notebook format 3 or 4. */
export type CellOutput = {
  output_type: string
  text?: string
  data?: { 'text/plain'?: string; 'application/vnd.jupyter.widget-view+json'?: unknown }
  ename?: string
  evalue?: string
}

const maxLines = 10
const maxCharacters = 500

/** The first lines of a cell's output, without images, widgets and reprs that only name an object. */
export function shortOutput(outputs: CellOutput[]): string {
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
