import type { Page, Reader } from './page.ts'
import { buildPage, type Heading, type Piece } from './page-builder.ts'

const looked = 20_000

/** Reads plain text. What is Markdown or reStructuredText under another name, as `llms.txt` and older manuals are, is read as such. */
export const splitText: Reader = async (text, context): Promise<Page> => {
  const head = text.slice(0, looked)
  if (isMarkdown(head)) return (await import('./split-markdown.ts')).splitMarkdown(text, context)
  if (/^\.\. [a-z][\w:-]{0,40}::( |$)/m.test(head)) return (await import('./split-rst.ts')).splitRst(text, context)
  return buildPage(piecesOf(text.replace(/\r\n?/g, '\n').split('\n')))
}

const isMarkdown = (text: string): boolean =>
  /^\s{0,100}#{1,3} \S/.test(text) && /^(```|~~~|[-*+] |\d{1,3}\. |#{2,6} |> |.{0,200}\]\()/m.test(text)

function piecesOf(lines: string[]): Piece[] {
  const pieces: Piece[] = []
  const marks: string[] = []
  let prose: string[] = []
  const endProse = (end: number) => {
    const body = prose.join('\n').trimEnd()
    if (body.trim() !== '') pieces.push({ kind: 'prose', text: body.replace(/^\n+/, ''), line: end - prose.length + 1 })
    prose = []
  }
  for (let at = 0; at < lines.length; ) {
    const heading = isBlank(lines[at - 1]) ? underlined(lines, at, marks) : undefined
    const codeEnd = heading ? at : endOfCode(lines, at)
    if (heading ?? codeEnd > at) endProse(at)
    if (heading) {
      pieces.push(heading)
      at += 2
    } else if (codeEnd > at) {
      pieces.push(codeOf(lines.slice(at, codeEnd), at + 1))
      at = codeEnd
    } else {
      prose.push(lines[at] ?? '')
      at += 1
    }
  }
  endProse(lines.length)
  return pieces
}
