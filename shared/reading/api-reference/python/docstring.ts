import type { Piece } from '../../page/build-page.ts'
import { rstDocs, withoutIndent } from '../markdown-docs.ts'
import { childrenOf, lineOf, type SourceNode } from '../parse-source.ts'

/** A line that is only a name which the library replaces when it is imported. */
const placeholder = /^[ \t]{0,99}(?:\$\{?\w{1,60}\}?|%\(\w{1,60}\)s)[ \t]{0,99}$/gm
/** Titles of sections in the style of Google. */
const sectionTitle =
  /^(?:Args|Arguments|Parameters|Params|Returns?|Yields?|Raises|Attributes|Keyword Arg(?:ument)?s|Other Parameters|Examples?|Notes?|Warnings?|See Also|References|Todo):$/
const argument = /^(\*{0,2}[\w.]{1,80})(?: ?\(([^()\n]{0,200})\))?: (.*)$/

/** The string that an expression begins with: `"…"`, `"…" % values` or `"…".format(…)`. */
export function stringOf(node: SourceNode | null | undefined): SourceNode | undefined {
  let at = node ?? undefined
  for (let depth = 0; at && depth < 6; depth++) {
    if (at.type === 'string') return at
    if (at.type === 'concatenated_string') return at
    at = childrenOf(at)[0]
  }
  return undefined
}

/** The docstring of a module, class or function body. */
export function docstringOf(body: SourceNode | null | undefined): SourceNode | undefined {
  const [first] = childrenOf(body).filter(({ type }) => type !== 'comment')
  if (first?.type !== 'expression_statement') return undefined
  const [expression] = childrenOf(first)
  return expression && /string$/.test(expression.type) ? expression : undefined
}

/** A docstring as blocks: numpydoc, Google style and plain reStructuredText. */
export function docstringPieces(node: SourceNode | undefined): Piece[] {
  if (!node) return []
  const text = withoutIndent(literalText(node)).replace(placeholder, '')
  return text.trim() === '' ? [] : rstDocs(withListedNames(withGoogleSections(text)), lineOf(node))
}

/** The value of a string literal; several literals next to each other are one. */
export function literalText(node: SourceNode): string {
  if (node.type === 'concatenated_string') return childrenOf(node).map(literalText).join('')
  const [, prefix = '', quote = ''] = /^([A-Za-z]{0,3})("""|'''|"|')/.exec(node.text) ?? []
  const inner = node.text.slice(prefix.length + quote.length, -quote.length || undefined)
  return /r/i.test(prefix) ? inner : inner.replace(/\\(\r?\n|[\\'"abfnrtv])/g, (_, mark: string) => escapes[mark] ?? '')
}

const escapes: Record<string, string> = { '\\': '\\', "'": "'", '"': '"', n: '\n', r: '\r', t: '\t' }

/** Rewrites the sections of Google's style, such as `Args:`, as those of numpydoc. Keeps the number of lines, except for one per section. */
function withGoogleSections(text: string): string {
  const rows = text.split('\n')
  if (!rows.some((row, at) => sectionTitle.test(row) && isIndented(rows[at + 1]))) return text
  const written: string[] = []
  let indent = -1
  for (const [at, row] of rows.entries()) {
    if (sectionTitle.test(row) && isIndented(rows[at + 1])) {
      const next = rows[at + 1] ?? ''
      indent = next.length - next.trimStart().length
      written.push(row.slice(0, -1), '-'.repeat(Math.max(4, row.length - 1)))
    } else if (indent > 0 && (row === '' || row.startsWith(' '.repeat(indent)))) {
      const [, name, type, rest] = argument.exec(row.slice(indent)) ?? []
      if (name === undefined) written.push(row.slice(indent))
      else written.push(type === undefined ? name : `${name} : ${type}`, `    ${rest}`)
    } else {
      indent = -1
      written.push(row)
    }
  }
  return written.join('\n')
}

const isIndented = (row: string | undefined): boolean => /^ +\S/.test(row ?? '')

/** Rewrites the names of a section `See Also`, which are terms without definitions, as a list. Keeps the number of lines. */
function withListedNames(text: string): string {
  let isInside = false
  const rows = text.split('\n')
  return rows
    .map((row, at) => {
      if (/^-{3,}$/.test(rows[at + 1] ?? '')) isInside = row === 'See Also'
      if (!isInside || row === '' || row === 'See Also' || /^-{3,}$/.test(row) || /^\.\. /.test(row)) return row
      return row.startsWith(' ') ? `  ${row.trimStart()}` : `* ${row}`
    })
    .join('\n')
}
