import type { Piece } from '../page/build-page.ts'
import { prose, tabBlocks, withLead } from '../page/compose-blocks.ts'
import { lineOfRows } from '../page/included-lines.ts'
import { collectNames } from './collect-names.ts'
import { contentOf, type Directive, parseDirective } from './directive.ts'
import { endOfIndented, itemBody, lineAt, toLines } from './lines.ts'
import { isCodeDirective, readCode, readLiteralInclude } from './read-code.ts'
import { otherFormat, readIncluded, selectRows } from './read-included.ts'
import { rstInline } from './rst-inline.ts'
import { type BlockReader, inlineProse, type RstState, readBody, signature } from './rst-state.ts'
import { readCsvTable, readListTable } from './rst-tables.ts'

/** Reads blocks that start with `.. `: directives, footnotes, targets, substitutions and comments. */
export const readExplicit: BlockReader = (lines, at, state) => {
  const row = lines.text[at] ?? ''
  if (!/^(\.\.|__)( |$)/.test(row)) return undefined
  const parsed = parseDirective(lines, at)
  if (parsed) return { pieces: readDirective(parsed.directive, state), next: parsed.next }
  const next = endOfIndented(lines, at + 1)
  const note = /^\.\. (\[[^\]\s]{1,80}\])(?: |$)/.exec(row)
  if (!note) return { pieces: [], next: row === '..' && lines.text[at + 1] === '' ? at + 1 : next }
  return { pieces: withLead(note[1] ?? '', readBody(itemBody(lines, at, next, note[0].length), state), lineAt(lines, at)), next }
}

type Handler = (directive: Directive, state: RstState) => Piece[]

const silent =
  'toctree index contents sectnum raw meta default-role role currentmodule py:currentmodule rst-class cssclass tabularcolumns target-notes header footer sectionauthor codeauthor moduleauthor'
const admonitions = 'note warning tip hint important attention caution danger error seealso todo admonition topic sidebar'
const objects =
  'module class function method classmethod staticmethod attribute property data exception decorator decoratormethod type var macro struct union enum enumerator member concept alias describe object option cmdoption program envvar confval setting templatetag templatefilter fieldlookup django-admin click rst:directive rst:role'

/** Directives whose argument is no text. */
const wrappers = 'container compound grid grid-item hlist ifconfig div'
/** Builders that make no pages for a browser. */
const printed = /^(?:not\s+html|(?:latex|epub|man|texinfo|pdf|text|gettext|xml)(?:\s+or\s+\w+)*)$/

const handlers = new Map<string, Handler>([
  ...silent.split(' ').map((name): [string, Handler] => [name, () => []]),
  ...admonitions.split(' ').map((name): [string, Handler] => [name, readAdmonition]),
  ...objects.split(' ').map((name): [string, Handler] => [name, readObject]),
  ['versionadded', (directive, state) => readVersion('Added in version', directive, state)],
  ['versionchanged', (directive, state) => readVersion('Changed in version', directive, state)],
  ['deprecated', (directive, state) => readVersion('Deprecated since version', directive, state)],
  ['versionremoved', (directive, state) => readVersion('Removed in version', directive, state)],
  ...wrappers.split(' ').map((name): [string, Handler] => [name, ({ body }, state) => readBody(body, state)]),
  ['only', readOnly],
  ['highlight', setLanguage],
  ['literalinclude', readLiteralInclude],
  ['include', readInclude],
  ['csv-table', readCsvTable],
  ['list-table', readListTable],
  ['image', readImage],
  ['figure', readImage],
  ['tab-item', readTab],
  ['tab', readTab],
  ['group-tab', readTab],
  ['tabs', readTabs],
  ['tab-set', readTabs],
  ['tab-set-code', readTabs],
])

function readDirective(directive: Directive, state: RstState): Piece[] {
  if (isCodeDirective(directive)) return readCode(directive, state)
  const { name } = directive
  const handler = handlers.get(name) ?? (/^auto|^[a-z]{1,20}:./.test(name) ? readObject : readUnknown)
  return handler(directive, state)
}

/** A directive of an unknown extension: its text is kept. */
function readUnknown(directive: Directive, state: RstState): Piece[] {
  const { argument, options, body, line } = directive
  const title = ['caption', 'title', 'header'].map((key) => options.get(key)).filter((value) => value !== undefined)
  const lead = [rstInline(argument.join('\n'), state.names), ...title].join('\n')
  return [...prose(lead, line), ...readBody(body, state)]
}

/** `only` shows its body for some builders. */
function readOnly({ argument, body }: Directive, state: RstState): Piece[] {
  return printed.test(argument.join(' ').trim()) ? [] : readBody(body, state)
}

function readAdmonition(directive: Directive, state: RstState): Piece[] {
  const { name, argument, body, line } = directive
  const titled = name === 'admonition' || name === 'topic' || name === 'sidebar'
  if (titled) return withLead(`**${rstInline(argument.join(' '), state.names)}**`, readBody(body, state), line, '\n\n')
  const title = name === 'seealso' ? 'See also' : name.charAt(0).toUpperCase() + name.slice(1)
  return withLead(`**${title}:**`, readBody(contentOf(directive), state), line)
}

function readVersion(lead: string, { argument, body, line }: Directive, state: RstState): Piece[] {
  const [version = '', ...words] = argument.join('\n').split(/(?<=\s)/)
  const note = rstInline(words.join(''), state.names)
  return [...prose(`**${lead} ${version.trim()}:** ${note}`, line), ...readBody(body, state)]
}

const shownOptions = new Set(['type', 'default', 'value', 'synopsis', 'required'])

/** Each row of the argument is a signature; a backslash at its end joins the next. */
function readObject({ argument, options, body, line }: Directive, state: RstState): Piece[] {
  const signatures = argument
    .join('\n')
    .replace(/\\\n\s*/g, '')
    .split('\n')
    .filter(Boolean)
  const shown = [...options].filter(([key, value]) => shownOptions.has(key) && value !== '')
  return [
    ...signatures.flatMap((text) => signature(text, line)),
    ...prose(shown.map(([key, value]) => `**${key}:** ${rstInline(value, state.names)}`).join('\n'), line),
    ...readBody(body, state),
  ]
}

function setLanguage({ argument }: Directive, state: RstState): Piece[] {
  state.language = argument[0]?.trim() ?? ''
  return []
}

/** Includes another file as part of the page, or as a listing if it has the option `literal` or `code`. */
function readInclude({ argument, options, line }: Directive, state: RstState): Piece[] {
  const file = readIncluded(argument.join('').trim(), state)
  if (!file) return []
  const text = selectRows(file.text, options)
  const language = options.get('code') ?? (options.has('literal') ? '' : undefined)
  if (language !== undefined) return text === '' ? [] : [{ kind: 'code', code: text, language, line }]
  if (otherFormat.test(file.path)) return []
  const lines = toLines(text, lineOfRows(text.split('\n'), file.text.split(/\r\n|\n|\r/)))
  collectNames(lines, state.names)
  state.files.push(file.path)
  const pieces = state.read(lines, state)
  state.files.pop()
  return pieces.map((piece) => ({ file: file.path, ...piece }))
}

function readImage({ options, body, line }: Directive, state: RstState): Piece[] {
  const alt = rstInline(options.get('alt') ?? '', state.names)
  return [...prose(alt, line), ...readBody(body, state)]
}

function readTabs({ body, argument, line }: Directive, state: RstState): Piece[] {
  const outer = state.group
  state.group = ++state.groups
  const pieces = readBody(body, state)
  const grouped = pieces.map((piece) => (piece.kind === 'code' ? { ...piece, group: piece.group ?? state.group } : piece))
  state.group = outer
  return [...inlineProse({ text: argument, line, step: 0 }, 0, argument.length, state), ...grouped]
}

/** Adjacent tabs without a `tabs` directive form one set. */
function readTab({ argument, body, line }: Directive, state: RstState): Piece[] {
  if (state.group === 0) state.group = ++state.groups
  return tabBlocks(rstInline(argument.join(' '), state.names), readBody(body, state), state.group, line)
}
