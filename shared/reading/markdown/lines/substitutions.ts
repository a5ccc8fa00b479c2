import { dirname, join } from 'node:path/posix'
import { parse } from 'yaml'
import type { ReaderContext } from '../../page/page.ts'
import { fenceRoles, type Line } from '../syntax/line.ts'

export type Substitutions = ReadonlyMap<string, string>

const name = /\{\{[ \t]?([A-Za-z][\w.-]{0,80})[ \t]?\}\}/g
const maxDepth = 20
/** Characters that substitutions may add to a page. */
const maxAdded = 200_000

/** The names that front matter defines: `sub:` of Elastic, `myst: {substitutions: …}` or `substitutions:` of MyST. */
export function substitutionsIn(front: Record<string, unknown>): Substitutions {
  const myst = fieldsOf(front.myst).substitutions
  return new Map([front.substitutions, myst, front.sub, front.subs].flatMap(textsOf))
}

/** Replaces `{{name}}` outside code by its text from front matter, or from the `docset.yml` of Elastic above the page. Unknown names stay. */
export function substitute(lines: Line[], own: Substitutions, context: ReaderContext): Line[] {
  if (!lines.some(({ text }) => text.search(name) >= 0)) return lines
  const roles = fenceRoles(lines)
  const shared = docsetOf(context)
  if (own.size + shared.size === 0) return lines
  let left = maxAdded
  const replace = (all: string, key: string): string => {
    const text = own.get(key) ?? shared.get(key)
    if (text === undefined || text.length > left) return all
    left -= text.length
    return text
  }
  return lines.map((line, i) =>
    roles[i] === 'outside' && line.text.includes('{{') ? { ...line, text: line.text.replace(name, replace) } : line,
  )
}

let parsed: { text: string; names: Substitutions } = { text: '', names: new Map() }

function docsetOf({ path, readFile }: ReaderContext): Substitutions {
  let folder = dirname(path)
  for (let depth = 0; depth < maxDepth; depth++) {
    const text = readFile(join(folder, 'docset.yml'))
    if (text !== undefined) {
      if (parsed.text !== text) parsed = { text, names: readDocset(text) }
      return parsed.names
    }
    if (folder === '.' || folder === '/') break
    folder = dirname(folder)
  }
  return new Map()
}

function readDocset(text: string): Substitutions {
  try {
    return new Map(textsOf(fieldsOf(parse(text)).subs))
  } catch {
    return new Map()
  }
}

const fieldsOf = (value: unknown): Record<string, unknown> => (typeof value === 'object' && value !== null ? { ...value } : {})

const textsOf = (value: unknown): [string, string][] =>
  Object.entries(fieldsOf(value)).flatMap(([key, text]) => {
    const isText = typeof text === 'string' || typeof text === 'number'
    return isText ? [[key, String(text)]] : []
  })
