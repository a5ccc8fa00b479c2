import { parse as parseToml } from 'smol-toml'
import { parse as parseYaml } from 'yaml'
import { type Substitutions, substitutionsIn } from './lines/substitutions.ts'
import type { Line } from './syntax/line.ts'

/** `substitutions`: texts for `{{name}}` on the page. `fields`: all fields. */
export type FrontMatter = {
  title?: string
  description?: string
  substitutions?: Substitutions
  fields?: Record<string, unknown>
}

const maxLines = 2000

/** Reads the front matter and returns the lines with it blanked. */
export function takeFrontMatter(lines: Line[]): { front: FrontMatter; lines: Line[] } {
  const end = endOfFrontMatter(lines)
  if (end === 0) return { front: titleComment(lines), lines }
  const fields = withoutComments(lines.slice(1, end - 1).map(({ text }) => text))
  const blanked = lines.map((line, i) => (i < end ? { ...line, text: '' } : line))
  return { front: lines[0]?.text.startsWith('+') ? read(fields, parseToml) : read(fields, parseYaml), lines: blanked }
}

/** Number of lines of the front matter; 0 if there is none. */
function endOfFrontMatter(lines: Line[]): number {
  const mark = lines[0]?.text.trimEnd()
  if (mark !== '---' && mark !== '+++') return 0
  const rest = lines.slice(1, maxLines)
  const close = rest.findIndex(({ text }) => text.trimEnd() === mark || (mark === '---' && text.trimEnd() === '...'))
  const fields = withoutComments(rest.slice(0, close).map(({ text }) => text))
  return close < 0 || (mark === '---' && !fields.every(couldBeYaml)) ? 0 : close + 2
}

/** Tells front matter from a thematic break at the start of a page, which prose and headings follow. */
const couldBeYaml = (text: string): boolean => /^(\s|#|-|[\w"'$@./-]+(?: [A-Za-z][\w-]*){0,3}\s*:|\}|\]|\)|$)/.test(text)

/** Some generators write HTML comments between the fields. */
function withoutComments(fields: string[]): string[] {
  let inComment = false
  return fields.filter((text) => {
    const isComment = inComment || text.startsWith('<!--')
    inComment = isComment && !text.includes('-->')
    return !isComment
  })
}

/** Writerside's title, a comment at the start of a page: `[//]: # (title: Sockets)`. */
function titleComment(lines: Line[]): FrontMatter {
  const start = lines.slice(0, 20).map(({ text }) => text)
  const [, title] = start.map((text) => /^\[\/\/\]: # \(title: ([^()]{1,500})\)\s*$/.exec(text)).find(Boolean) ?? []
  return title === undefined ? {} : { title: title.trim() }
}

function read(fields: string[], parse: (text: string) => unknown): FrontMatter {
  const value = parsed(fields, parse)
  const field = (name: string): string | undefined => {
    const field = value === undefined ? plainField(fields, name) : value[name]
    const text = typeof field === 'number' ? String(field) : field
    return typeof text === 'string' && text.trim() !== '' ? text.trim() : undefined
  }
  const all = value ?? {}
  return { title: field('title'), description: field('description'), substitutions: substitutionsIn(all), fields: all }
}

function parsed(fields: string[], parse: (text: string) => unknown): Record<string, unknown> | undefined {
  try {
    const value = parse(fields.join('\n'))
    return typeof value === 'object' && value !== null ? { ...value } : undefined
  } catch {
    return undefined
  }
}

/** Broken YAML (an unquoted colon, a template) usually still has a readable `title: …`. */
function plainField(fields: string[], name: string): string | undefined {
  const line = fields.find((text) => text.startsWith(`${name}:`) || text.startsWith(`${name} =`))
  return line?.replace(/^\w+\s*[:=]\s*/, '').replace(/^(["'])(.*)\1\s*$/, '$2')
}
