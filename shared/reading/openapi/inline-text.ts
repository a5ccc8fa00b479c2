import type { Block } from '../page/page.ts'
import { textOf } from './values.ts'

/** A description as one line for a list: links become their text, and `fencedCode` returns its fenced code. */
export function inlineText(description: unknown): string {
  return cutFences(textOf(description))
    .prose.replace(/!?\[([^[\]]{0,200})\]\([^()\s]{0,500}\)/g, '$1')
    .replace(/\s+/g, ' ')
    .trim()
}

/** The fenced code of a description that `inlineText` prints. */
export const fencedCode = (description: unknown): Block[] => cutFences(textOf(description)).code

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
