import { readTag } from './tag.ts'

/**
 * The lines of an element of Writerside with an id: the body of a `<snippet id="x">` or `<chapter id="x">`, the section of a heading
 * `## Title {id="x"}`, or the block above `{id="x"}`. Undefined if there is none.
 */
export function elementLines(lines: string[], id: string): string[] | undefined {
  const at = lines.findIndex((line) => line.includes(`id="${id}"`) && !line.includes('element-id='))
  const line = lines[at]?.trim() ?? ''
  const [, marks = ''] = /^(#{1,6})\s/.exec(line) ?? []
  if (marks !== '') return sectionAt(lines, at, marks.length)
  if (line.startsWith('{')) return lines.slice(lines.slice(0, at).findLastIndex((each) => each.trim() === '') + 1, at)
  const { name } = (line.startsWith('<') && readTag(line, 0)) || {}
  return name === undefined ? undefined : bodyAt(lines, at, name)
}

function sectionAt(lines: string[], at: number, depth: number): string[] {
  const rest = lines.slice(at + 1)
  const end = rest.findIndex((line) => (/^(#{1,6})\s/.exec(line)?.[1]?.length ?? 9) <= depth)
  return lines.slice(at, end < 0 ? undefined : at + 1 + end)
}

/** The lines between two tags. Elements of the same name may be inside. */
function bodyAt(lines: string[], at: number, name: string): string[] | undefined {
  let depth = 0
  for (let i = at; i < lines.length; i++) {
    const line = lines[i] ?? ''
    depth += line.split(`<${name}`).length - line.split(`</${name}>`).length
    if (depth > 0) continue
    return i > at ? lines.slice(at + 1, i) : [line.slice(line.indexOf('>') + 1, line.lastIndexOf(`</${name}>`))]
  }
  return undefined
}
