import type { Piece } from './page-builder.ts'
import { contentOf, type Directive } from './rst-directive.ts'
import { readIncluded, selectRows } from './rst-files.ts'
import { rstInline } from './rst-inline.ts'
import { type Lines, textOf } from './rst-lines.ts'
import type { RstState } from './rst-state.ts'

/** Directives whose body is code, with its language; undefined where the argument names it. */
const codeDirectives = new Map<string, string | undefined>([
  ['code-block', undefined],
  ['code', undefined],
  ['sourcecode', undefined],
  ['code-cell', undefined],
  ['code-tab', undefined],
  ['jupyter-execute', 'python'],
  ['ipython', 'ipython'],
  ['prompt', 'shell'],
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

const argumentIsCode = new Set(['math', 'productionlist', 'parsed-literal', 'doctest', 'testcode', 'testoutput'])

export const isCodeDirective = ({ name }: Pick<Directive, 'name'>): boolean => codeDirectives.has(name)

/** The block of `code-block` and its kin; a `caption` is its label. */
export function readCode(directive: Directive, state: RstState): Piece[] {
  const { name, argument, options, line } = directive
  const [first = '', ...others] = argument
  const fixed = codeDirectives.get(name)
  const [named = '', ...words] = name === 'code-tab' ? first.split(' ') : [first]
  const language = fixed ?? (/\s/.test(named) ? state.language : named || state.language)
  const stray = argumentIsCode.has(name)
    ? argument
    : fixed === undefined && !/\s/.test(named)
      ? others
      : fixed === undefined
        ? argument
        : []
  const lines: Lines = stray.length > 0 ? contentOf({ ...directive, argument: stray }) : directive.body
  const text = name === 'parsed-literal' ? rstInline(textOf(lines), state.names) : textOf(lines)
  if (text === '') return []
  const skipped = lines.text.findIndex((row) => row !== '') * lines.step
  const label = options.get('caption') ?? options.get('name') ?? words.join(' ')
  const block: Piece = { kind: 'code', code: text, language, line: stray.length > 0 ? line : lines.line + skipped }
  return [options.has('caption') || words.length > 0 ? { ...block, label } : block]
}

/** A file of the repository as a listing. */
export function readLiteralInclude({ argument, options, line }: Directive, state: RstState): Piece[] {
  const file = readIncluded(argument.join('').trim(), state)
  if (!file) return []
  const code = selectRows(file.text.replace(/\r\n?/g, '\n').split('\n'), options)
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

function languageOf(path: string): string {
  const extension = /\.(\w{1,12})$/.exec(path)?.[1]?.toLowerCase() ?? ''
  return languageOfExtension.get(extension) ?? extension
}
