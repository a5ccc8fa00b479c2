import type { ReaderContext } from '../../page/page.ts'
import { languageOf } from '../../rst/read-code.ts'
import { fenced, infoOf, type Line } from '../syntax/line.ts'
import { type Directive, directiveReader, mayHoldDirectives } from './directive.ts'
import { codeLanguage, isContainer, isDroppedDirective, isPlainAdmonition, versionLead } from './directive-kinds.ts'
import { readRstBody } from './rst-body.ts'
import { csvTable, listTable } from './tables.ts'

/**
 * Rewrites MyST directives as Markdown that other readers know: containers become `:::` blocks, listings become fences, tables become pipe
 * tables, files become includes. A fence of another name stays code.
 */
export function rewriteDirectives(lines: Line[], context: ReaderContext): Line[] {
  if (!mayHoldDirectives(lines)) return lines
  const read = directiveReader(lines)
  const out: Line[] = []
  const open: Directive[] = []
  for (let i = 0; i < lines.length; i++) {
    const line = lines[i] as Line
    const limit = open.at(-1)?.to ?? lines.length
    if (i === limit) {
      out.push({ ...line, text: closing(open.pop() as Directive) })
      continue
    }
    const directive = read.directive(i, limit)
    const leaf = directive && leafLines(directive, context)
    if (directive && leaf) {
      out.push(...leaf)
      i = directive.to
    } else if (directive && isContainer(directive.name)) {
      out.push(...opening(directive))
      open.push(directive)
      i = directive.content - 1
    } else {
      const end = read.endOfFence(i, limit) ?? i
      out.push(...lines.slice(i, end + 1))
      i = end
    }
  }
  return out
}

function opening(directive: Directive): Line[] {
  const { name, argument, indent, length, at, mark } = directive
  const line = (text: string): Line => ({ text: indent + text, at })
  const colons = ':'.repeat(length)
  const lead = versionLead(name)
  if (lead) {
    const [version = '', ...words] = argument.split(' ')
    return [line(`${colons}{admonition} ${lead} ${version}`), line(words.join(' '))]
  }
  if (mark !== ':' && isPlainAdmonition(name) && argument !== '') return [line(`${colons}{${name}}`), line(argument)]
  const title = isContainer(name) === 'titled' ? argument.replaceAll(/[{}]/g, '') : ''
  return [line(`${colons}{${name}} ${title}`.trimEnd())]
}

const closing = ({ indent, length }: Directive): string => indent + ':'.repeat(length)

/** The lines that replace a whole directive; undefined if it is a container, or unknown. */
function leafLines(directive: Directive, context: ReaderContext): Line[] | undefined {
  const { name, argument, options, indent, at } = directive
  const printed = (texts: string[]): Line[] => ['', ...texts, ''].map((text) => ({ text: text === '' ? '' : indent + text, at }))
  const body = () => directive.body.map(({ text }) => text)
  if (isDroppedDirective(name)) return []
  if (name === 'include') return [included(directive)]
  if (name === 'literalinclude') return [listing(directive)]
  if (name === 'list-table') return printed(listTable(body(), { title: argument, options }))
  if (name === 'csv-table' || name === 'csv-include') {
    const file = name === 'csv-include' ? argument : options.get('file')
    const text = file === undefined ? body().join('\n') : (context.readFile(file) ?? '')
    return printed(csvTable(text, { title: name === 'csv-include' ? (options.get('caption') ?? '') : argument, options }))
  }
  if (name === 'image') return printed([options.get('alt') ?? ''])
  if (name === 'eval-rst') return printed(readRstBody(body().join('\n'), context))
  if (name.startsWith('auto')) return printed(argument === '' ? [] : [`\`${argument.replaceAll('`', '')}\``])
  const language = codeLanguage(name, argument)
  if (language === undefined) return undefined
  const caption = options.get('caption') ?? options.get('filename')
  return codeLines(directive, infoOf(language, caption))
}

/** Code with the origin of each of its lines. */
function codeLines({ body, indent, at }: Directive, info: string): Line[] {
  const [first = '', ...rest] = fenced(
    body.map(({ text }) => text),
    info,
  )
  const origins = [...body.map((line) => line.at), body.at(-1)?.at ?? at]
  return [
    { text: indent + first, at },
    ...rest.map((text, i) => ({ text: text === '' ? '' : indent + text, at: origins[i] ?? at })),
  ]
}

function included({ argument, options, indent, at }: Directive): Line {
  const language = options.get('code') ?? (options.has('literal') ? '' : undefined)
  const part = options.size === 0 ? {} : { options }
  return { text: indent, at, include: { path: argument, part, ...(language !== undefined && { listing: { language } }) } }
}

function listing({ argument, options, indent, at }: Directive): Line {
  const language = options.get('language') ?? languageOf(argument)
  const label = options.get('caption') || (argument.split('/').at(-1) ?? '')
  return { text: indent, at, include: { path: argument, part: { options }, listing: { language, label } } }
}
