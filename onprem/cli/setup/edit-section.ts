import { type Edit, keepingBom, lineEndOf, UnusableFile } from './edit.ts'

const marker = '<!-- carrel -->'

/** Adds a text between two marker lines, at the end of a file that has other content, such as AGENTS.md. */
export const editSection = (content: string): Edit => ({
  add: (text = '') => ({ text: keepingBom(text, (body) => addSection(body, content)) }),
  remove: removeSection,
  isIn: (text) => find(text) !== undefined,
  removeIdentical(text) {
    const { start, end } = find(text) ?? { start: 0, end: 0 }
    return text.slice(start, end) === sectionOf(content, lineEndOf(text)) ? removeSection(text) : text
  },
})

function removeSection(text: string): string | undefined {
  const section = find(text)
  if (!section) return text
  const rest = withoutEmptyEnd(text.slice(0, section.start)) + text.slice(section.end)
  return rest.trim() === '' ? undefined : rest
}

function sectionOf(content: string, lineEnd: string): string {
  const lines = [marker, ...content.trim().split('\n'), marker]
  return lines.map((line) => line + lineEnd).join('')
}

function addSection(body: string, content: string): string {
  const lineEnd = lineEndOf(body)
  const section = sectionOf(content, lineEnd)
  const old = find(body)
  if (old) return body.slice(0, old.start) + section + body.slice(old.end)
  if (body.trim() === '') return body + section
  return body + (body.endsWith('\n') ? lineEnd : lineEnd + lineEnd) + section
}

/** The text without the empty lines at its end. */
function withoutEmptyEnd(text: string): string {
  const { length } = text.trimEnd()
  return text.slice(0, text.indexOf('\n', length) + 1 || length)
}

/** The range of the section, with its markers and the last line end. */
function find(text: string): { start: number; end: number } | undefined {
  const markers = [...text.matchAll(/^<!-- carrel -->[ \t]*(?:\r?\n|$)/gm)]
  const [first, last, ...more] = markers
  if (!first) return undefined
  if (!last || more.length > 0) throw new UnusableFile(`must have the line ${marker} twice or not at all`)
  return { start: first.index, end: last.index + last[0].length }
}
