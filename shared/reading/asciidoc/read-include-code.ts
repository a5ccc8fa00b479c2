import type { Piece } from '../page/build-page.ts'
import type { ReaderContext } from '../page/page.ts'
import { includedPath } from './find-asciidoc-includes.ts'
import { selectLines } from './select-lines.ts'

const macro = /^include-code::([^\s[\]]{1,300})\[([^\]\n]{0,300})\]$/
const languages = { java: 'java', kotlin: 'kt', groovy: 'groovy', xml: 'xml' }

/**
 * Reads Spring's `include-code::./Name[tag=x]`: the class of that name in each language, from a folder named like the page below
 * the folders in the attributes `include-java`, `include-kotlin`, … Undefined if the text is something else.
 */
export function readIncludeCode(
  source: string,
  attributes: Record<string, unknown>,
  context: ReaderContext,
  line: number,
  group: number,
): Piece[] | undefined {
  const [, target, optionText = ''] = macro.exec(source.trim()) ?? []
  if (target === undefined) return undefined
  const options = new Map(optionText.split(',').map((option) => splitOption(option)))
  const page = /(?:^|\/)pages\/(.+)\.\w+$/.exec(context.path)?.[1]?.replaceAll('-', '') ?? ''
  const name = target.startsWith('./') ? `${page}/${target.slice(2)}` : target
  return Object.entries(languages).flatMap(([language, extension]): Piece[] => {
    const base = attributes[`include-${language}`]
    const path = typeof base === 'string' ? includedPath(`${base}/${name}.${extension}`, context.path) : undefined
    const text = path === undefined ? undefined : context.readFile(path)
    if (text === undefined) return []
    const code = dedent(selectLines(text, { tags: options.get('tags') ?? options.get('tag') }).rows)
    const label = language.charAt(0).toUpperCase() + language.slice(1)
    return code === '' ? [] : [{ kind: 'code', code, language, line, label, group }]
  })
}

function splitOption(option: string): [string, string] {
  const [key = '', value = ''] = option.split('=')
  return [key.trim(), value.replaceAll('"', '').trim()]
}

function dedent(rows: string[]): string {
  const indent = rows.reduce((min, row) => (row.trim() === '' ? min : Math.min(min, row.length - row.trimStart().length)), 1000)
  const filled = (row: string) => row.trim() !== ''
  const edges = rows.slice(rows.findIndex(filled), rows.findLastIndex(filled) + 1)
  return edges.map((row) => row.slice(indent).trimEnd()).join('\n')
}
