import { cleanInline, plainText } from '../markdown/syntax/clean-inline.ts'
import type { Block } from '../page/page.ts'
import { textOf } from './values.ts'

const inline = { references: new Set<string>(), jsx: false }
const maxTitleLength = 120

/** A description as one line for a list: links become their text, and `fencedCode` returns its fenced code. */
export const inlineText = (description: unknown): string =>
  cleanInline(cutFences(textOf(description)).prose, inline)
    .replace(/\s+/g, ' ')
    .trim()

/** The fenced code of a description that `inlineText` prints. */
export const fencedCode = (description: unknown): Block[] => cutFences(textOf(description)).code

/** A short text without markup; empty for a text that is no title: one of several paragraphs, or a long one. */
export function titleText(text: string): string {
  const title = /\n\s*\n/.test(text) ? '' : plainText(text.slice(0, 4 * maxTitleLength), inline)
  return title.length <= maxTitleLength ? title.replace(/\.$/, '') : ''
}

function cutFences(text: string): { prose: string; code: Block[] } {
  if (!/```|~~~/.test(text)) return { prose: text, code: [] }
  const prose: string[] = []
  const code: Block[] = []
  let open: { mark: string; language: string; lines: string[] } | undefined
  const close = () => {
    if (open) code.push({ kind: 'code', code: open.lines.join('\n'), language: open.language, line: 0 })
    open = undefined
  }
  for (const line of text.split('\n')) {
    const [, mark = '', language = ''] = /^\s{0,8}(`{3,}|~{3,})\s{0,8}([\w+#-]*)/.exec(line) ?? []
    if (open && mark.startsWith(open.mark) && language === '') close()
    else if (open) open.lines.push(line)
    else if (mark === '') prose.push(line)
    else open = { mark, language: language.toLowerCase(), lines: [] }
  }
  close()
  return { prose: prose.join('\n'), code: code.filter((block) => block.kind === 'code' && block.code.trim() !== '') }
}
