import { selectRows } from '../../rst/read-included.ts'
import { elementLines } from './element-lines.ts'

/**
 * The part of a file that an include selects; without fields, the whole file. `options` are those of docutils: `start-after`, `lines`…
 * `element` is an id of Writerside.
 */
export type FilePart = { ranges?: [from: number, to: number][]; region?: string; options?: Map<string, string>; element?: string }

/** `path`, `path:10:20`, `path::20`, `path:3`, `path:1:3,7:9` or `path:region`. */
export function readFileSpec(spec: string): { path: string; part: FilePart } {
  const [, path = spec, rest = ''] = /^([^:]+):(.*)$/.exec(spec) ?? []
  if (rest === '') return { path: path.replace(/:$/, ''), part: {} }
  if (!/^[\d:, -]+$/.test(rest)) return { path, part: { region: rest } }
  return { path, part: { ranges: readRanges(rest, ':') } }
}

/** `1:3,7:9`, `1-3`, `4` (that line), `4:` (to the end), `:9`. */
export function readRanges(text: string, separator: ':' | '-' | ','): [number, number][] {
  const parts = separator === ',' ? [text] : text.split(',')
  return parts.map((part) => {
    const [from = '', to] = part.trim().split(separator)
    const start = Number(from) || 1
    return [start, to === undefined ? start : Number(to) || Number.POSITIVE_INFINITY]
  })
}

const marker = /--8<--\s*\[(?:start|end):|\bANCHOR(?:_END)?:/
const regionStart = /(?:\[start:|\bANCHOR:|#\s?region\b)\s*([\w*.:-]+)/
const regionEnd = /(?:\[end:|\bANCHOR_END:|#\s?endregion\b)\s*([\w*.:-]*)/

/** The selected lines, without region marks and common indentation; undefined if the file has no such region. */
export function takePart(text: string, part: FilePart): string[] | undefined {
  if (part.options) return selectRows(text, part.options).split('\n')
  const all = text.replace(/^\uFEFF/, '').split(/\r\n|\n|\r/)
  if (all.at(-1) === '') all.pop()
  if (part.element !== undefined) {
    const element = elementLines(all, part.element)
    return element && withoutIndent(element)
  }
  if (part.region !== undefined) {
    const region = takeRegion(all, part.region)
    return region && withoutIndent(region.filter((line) => !regionStart.test(line) && !regionEnd.test(line)))
  }
  const lines = part.ranges ? withoutIndent(part.ranges.flatMap(([from, to]) => all.slice(from - 1, to))) : all
  return lines.filter((line) => !marker.test(line))
}

function takeRegion(lines: string[], name: string): string[] | undefined {
  const start = lines.findIndex((line) => nameIn(line, regionStart) === name)
  if (start < 0) return undefined
  let depth = 0
  for (let i = start + 1; i < lines.length; i++) {
    const line = lines[i] ?? ''
    const ended = nameIn(line, regionEnd)
    if (ended === name || (ended === '' && depth === 0)) return lines.slice(start + 1, i)
    if (ended === '') depth--
    else if (ended === undefined && /#\s?region\b/.test(line)) depth++
  }
  return lines.slice(start + 1)
}

const nameIn = (line: string, pattern: RegExp): string | undefined => pattern.exec(line)?.[1]

function withoutIndent(lines: string[]): string[] {
  const indents = lines.filter((line) => line.trim() !== '').map((line) => line.search(/\S/))
  const margin = indents.reduce((a, b) => Math.min(a, b), Number.POSITIVE_INFINITY)
  return lines.map((line) => line.slice(Math.min(margin, line.length)))
}
