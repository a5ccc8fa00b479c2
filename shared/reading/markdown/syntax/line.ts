import type { Block } from '../../page/page.ts'
import type { IncludeDirective } from './include-directive.ts'
import type { Mark } from './scope.ts'

/**
 * A line as the parser sees it; `at` is its 1-based line in the page's file. A line with marks replaces the lines that open or close
 * containers, one with blocks replaces a table: the parser sees a thematic break. A line with an include is replaced by a file, with the indentation of its
 * text. `opener`: index of the line that opens the container of the marks, before containers were unwrapped.
 */
export type Line = { text: string; at: number; marks?: Mark[]; blocks?: Block[]; include?: IncludeDirective; opener?: number }

export type FenceRole = 'outside' | 'opening' | 'inside' | 'closing'

export type Fence = { mark: '`' | '~'; length: number; column: number; quoted: boolean; info: string }

export function toLines(text: string): Line[] {
  const start = text.startsWith('\uFEFF') ? 1 : 0
  return text
    .slice(start)
    .split(/\r\n|\n|\r/)
    .map((line, i) => ({ text: line, at: i + 1 }))
}

export const joinLines = (lines: Line[]): string => lines.map(({ text }) => text).join('\n')

/** The role of each line in fenced code blocks, also inside lists, quotes and components. */
export function fenceRoles(lines: Line[]): FenceRole[] {
  let open: Fence | undefined
  return lines.map(({ text }) => {
    if (open?.quoted && !text.trimStart().startsWith('>')) open = undefined
    if (open === undefined) {
      open = openingFence(text)
      return open === undefined ? 'outside' : 'opening'
    }
    if (!closesFence(text, open)) return 'inside'
    open = undefined
    return 'closing'
  })
}

const openingPattern = /^((?:[ \t>]|[-*+][ \t]|\d{1,9}[.)][ \t])*)(`{3,}|~{3,})(.*)/

export function openingFence(text: string): Fence | undefined {
  if (!text.includes('```') && !text.includes('~~~')) return undefined
  const [, prefix = '', run = '', info = ''] = openingPattern.exec(text) ?? []
  if (run === '') return undefined
  const mark = run.startsWith('`') ? '`' : '~'
  if (mark === '`' && info.includes('`')) return undefined
  return { mark, length: run.length, column: columns(prefix), quoted: prefix.includes('>'), info: info.trim() }
}

export function closesFence(text: string, fence: Fence): boolean {
  const run = text.trimEnd()
  const start = run.search(/[^ \t>]/)
  if (start < 0 || run.length - start < fence.length) return false
  for (let i = start; i < run.length; i++) if (run[i] !== fence.mark) return false
  return columns(run.slice(0, start)) < fence.column + 4
}

/** Code as the lines of a fence that is longer than any run in it. */
export function fenced(code: string[], info: string): string[] {
  const runs = code.flatMap((text) => text.match(/`{3,}/g) ?? [])
  const ticks = '`'.repeat(runs.reduce((max, run) => Math.max(max, run.length), 2) + 1)
  return [`${ticks}${info}`, ...code, ticks]
}

/** An info string of a language and a label. */
export const infoOf = (language: string, label = ''): string =>
  label === '' ? language : `${language} title="${label.replaceAll('"', "'")}"`.trimStart()

/** Indentation in columns; a tab reaches the next multiple of four. */
export function indentOf(text: string): number {
  let at = 0
  while (text[at] === ' ' || text[at] === '\t') at++
  return columns(text.slice(0, at))
}

/** The line without up to `count` columns of its indentation. */
export function dedent(text: string, count: number): string {
  let column = 0
  let at = 0
  while (column < count && (text[at] === ' ' || text[at] === '\t')) {
    column += text[at] === '\t' ? 4 - (column % 4) : 1
    at++
  }
  return ' '.repeat(Math.max(0, column - count)) + text.slice(at)
}

function columns(prefix: string): number {
  if (!prefix.includes('\t')) return prefix.length
  let column = 0
  for (const char of prefix) column += char === '\t' ? 4 - (column % 4) : 1
  return column
}
