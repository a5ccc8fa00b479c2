import { fenceRoles, type Line } from './syntax/line.ts'

const moduleStart = /^(?:import\s+(?:["']|[\w$*{])|export\s+(?:const|let|var|default|function|async|class|type|interface|\{|\*))/
const wholeImport = /^import\s[^"'\n]*["'][^"'\n]+["']$/
const maxStatementLines = 400

/** True if a `.md` file holds MDX, as Docusaurus allows: it has imports, exports or components made for MDX. */
export function looksLikeMdx(lines: Line[]): boolean {
  if (!lines.some(({ text }) => isMdx(text))) return false
  const roles = fenceRoles(lines)
  return lines.some(({ text }, i) => roles[i] === 'outside' && isMdx(text))
}

const tell =
  /^(?:export\s+(?:const|default|function)\s|\s*<(?:Tabs|TabItem|CodeGroup|Steps|Accordion|AccordionGroup)\b|#{1,6}\s.*\{\/\*[^{}]*\*\/\}\s*$)/
const isMdx = (text: string): boolean => text.length < 1000 && (tell.test(text) || isWholeImport(text))

/** A line of whole imports: `import a from 'a'; import b from 'b'`. */
const isWholeImport = (text: string): boolean =>
  text.startsWith('import') && text.split(';').every((each) => each.trim() === '' || wholeImport.test(each.trim()))

const writerside =
  /^\s*<(?:tabs|tab|tldr|procedure|step|chapter|deflist|def|show-structure|link-summary|card-summary|web-summary|code-block|primary-label)\b/

/** True if a page holds elements of Writerside, whose content is Markdown like that of components. */
export function isWriterside(lines: Line[]): boolean {
  if (!lines.some(({ text }) => writerside.test(text))) return false
  const roles = fenceRoles(lines)
  return lines.some(({ text }, i) => roles[i] === 'outside' && writerside.test(text))
}

/** Blanks imports, exports and comments. */
export function withoutModule(lines: Line[]): Line[] {
  const roles = fenceRoles(lines)
  const out = [...lines]
  const blank = (from: number, to: number) => {
    for (let i = from; i < to; i++) out[i] = { text: '', at: lines[i]?.at ?? 1 }
  }
  for (let i = 0; i < lines.length; i++) {
    const text = lines[i]?.text ?? ''
    if (roles[i] !== 'outside') continue
    const start = text.trimStart()
    const end = moduleStart.test(text)
      ? endOfStatement(lines, i)
      : start.startsWith('{/*')
        ? endOfComment(lines, i, '*/}')
        : start.startsWith('<!--')
          ? endOfComment(lines, i, '-->')
          : i
    blank(i, end)
    i = Math.max(i, end - 1)
  }
  return out
}

/** A statement ends at the first blank line outside its brackets. Prose may start with "import a" too; it is no statement. */
function endOfStatement(lines: Line[], start: number): number {
  const first = lines[start]?.text ?? ''
  if (isWholeImport(first)) return start + 1
  if (first.startsWith('import') && !/^import\s+(?:\{|[\w$*,\s]+\{)[^}]*$/.test(first)) return start
  let depth = 0
  const last = Math.min(lines.length, start + maxStatementLines)
  for (let i = start; i < last; i++) {
    const text = lines[i]?.text ?? ''
    if (text.trim() === '' && depth <= 0) return i
    depth += (text.match(/[([{]/g) ?? []).length - (text.match(/[)\]}]/g) ?? []).length
    if (first.startsWith('import') && depth <= 0) return i + 1
  }
  return start + 1
}

function endOfComment(lines: Line[], start: number, mark: string): number {
  const last = Math.min(lines.length, start + maxStatementLines)
  for (let i = start; i < last; i++) if (lines[i]?.text.trimEnd().endsWith(mark)) return i + 1
  return start
}
