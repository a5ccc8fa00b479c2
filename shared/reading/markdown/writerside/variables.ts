import { dirname, join } from 'node:path/posix'
import type { ReaderContext } from '../../page/page.ts'
import type { Line } from '../syntax/line.ts'
import { readTag } from '../syntax/tag.ts'

const name = /%([A-Za-z][\w.-]{0,80})%/g
const variable = /<var\s/g
const maxDepth = 20
const maxChars = 200_000
/** Characters that variables may add to a page. */
const maxAdded = 200_000

/**
 * Replaces `%name%` by the variable of Writerside, also in code. A page defines variables by `<var name="x" value="y"/>`, for the text that
 * follows, and the `v.list` of its folder or one above defines those of all pages. Unknown names stay.
 */
export function replaceVariables(lines: Line[], context: ReaderContext): Line[] {
  if (!lines.some(({ text }) => text.search(name) >= 0)) return lines
  const values = new Map(sharedVariables(context))
  let left = maxAdded
  const replace = (all: string, key: string): string => {
    const text = values.get(key)
    if (text === undefined || text.length > left) return all
    left -= text.length
    return text
  }
  return lines.map((line) => {
    if (!line.text.includes('%') && !line.text.includes('<var ')) return line
    const text = line.text.replace(name, replace)
    for (const [key, value] of variablesIn(text)) values.set(key, value)
    return text === line.text ? line : { ...line, text }
  })
}

function variablesIn(text: string): [string, string][] {
  return [...text.matchAll(variable)].flatMap(({ index }) => {
    const { name, value } = readTag(text, index)?.attributes ?? {}
    return name === undefined || value === undefined ? [] : [[name, value]]
  })
}

let parsed: { text: string; values: [string, string][] } = { text: '', values: [] }

function sharedVariables({ path, readFile }: ReaderContext): [string, string][] {
  let folder = dirname(path)
  for (let depth = 0; depth < maxDepth; depth++) {
    const [, list = 'v.list'] = /<vars\s{1,9}src="([^"]{1,200})"/.exec(readFile(join(folder, 'writerside.cfg')) ?? '') ?? []
    const text = readFile(join(folder, list))?.slice(0, maxChars)
    if (text !== undefined) {
      if (parsed.text !== text) parsed = { text, values: variablesIn(text) }
      return parsed.values
    }
    if (folder === '.' || folder === '/') break
    folder = dirname(folder)
  }
  return []
}
