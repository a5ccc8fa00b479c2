import type { Piece } from '../page/build-page.ts'
import { contentOf, type Directive } from './directive.ts'
import { lineAt, textOf } from './lines.ts'
import { readIncluded, selectRows } from './read-included.ts'
import { rstInline } from './rst-inline.ts'
import type { RstState } from './rst-state.ts'

/** Directives with code as their body, and its language; undefined if the argument names it. */
export const codeDirectives: ReadonlyMap<string, string | undefined> = new Map<string, string | undefined>([
  ['code-block', undefined],
  ['code', undefined],
  ['sourcecode', undefined],
  ['code-cell', undefined],
  ['code-tab', undefined],
  ['prompt', undefined],
  ['jupyter-execute', 'python'],
  ['ipython', 'ipython'],
  ['parsed-literal', ''],
  ['doctest', 'pycon'],
  ['testcode', 'python'],
  ['testsetup', 'python'],
  ['testcleanup', 'python'],
  ['testoutput', 'text'],
  ['productionlist', 'text'],
  ['math', 'latex'],
  ['graphviz', 'dot'],
  ['digraph', 'dot'],
  ['graph', 'dot'],
  ['mermaid', 'mermaid'],
  ['uml', 'plantuml'],
  ['plantuml', 'plantuml'],
])

/** Their argument is the language and a label, or the prompt. */
const takesWords = new Set(['code-tab', 'prompt'])
const headIsCode = new Set(['math', 'parsed-literal'])

export const isCodeDirective = ({ name }: Pick<Directive, 'name'>): boolean => codeDirectives.has(name)

/** The block of `code-block` and similar directives; `caption` is its label. Rows without a blank row before them are code too. */
export function readCode(directive: Directive, state: RstState): Piece[] {
  const { name, head, argument, options } = directive
  const fixed = codeDirectives.get(name)
  const isStray = headIsCode.has(name) || (fixed === undefined && !takesWords.has(name) && /\s/.test(head))
  const [named = name === 'prompt' ? 'shell' : '', ...words] = isStray ? [] : head.split(' ').filter(Boolean)
  const lines = contentOf({ ...directive, argument: isStray || head === '' ? argument : argument.slice(1) })
  const text = textOf(lines)
  if (text === '') return []
  const code = name === 'parsed-literal' ? rstInline(text, state.names) : text
  const line = lineAt(
    lines,
    lines.text.findIndex((row) => row !== ''),
  )
  const label = options.get('caption') || (name === 'prompt' ? '' : words.join(' '))
  const block: Piece = { kind: 'code', code, language: fixed ?? (named || state.language), line }
  return [label === '' ? block : { ...block, label }]
}

/** A file of the repository as a listing. */
export function readLiteralInclude({ argument, options, line }: Directive, state: RstState): Piece[] {
  const file = readIncluded(argument.join('').trim(), state)
  if (!file) return []
  const code = selectRows(file.text, options)
  if (code === '') return []
  const language = options.get('language') ?? languageOf(file.path)
  const label = options.get('caption') || file.path.split('/').at(-1)
  return [{ kind: 'code', code, language, line, label }]
}

const languageOfExtension = new Map([
  ['py', 'python'],
  ['js', 'javascript'],
  ['ts', 'typescript'],
  ['rb', 'ruby'],
  ['rs', 'rust'],
  ['sh', 'bash'],
  ['yml', 'yaml'],
  ['txt', 'text'],
])

/** The language of a listing, from the extension of its file. */
export function languageOf(path: string): string {
  const extension = /\.(\w{1,12})$/.exec(path)?.[1]?.toLowerCase() ?? ''
  return languageOfExtension.get(extension) ?? extension
}
