import { dirname, join } from 'node:path/posix'
import { parse as parseToml } from 'smol-toml'
import { parse as parseYaml } from 'yaml'
import type { ReaderContext } from '../../page/page.ts'
import { fenceRoles, type Line } from '../syntax/line.ts'

type Fields = Record<string, unknown>

const tag = /(?<!\{)\{\{([<%])\s{0,9}(param|siteparam|meta|var)\s{1,9}["`]?([\w.-]{1,80})["`]?\s{0,9}[>%]\}\}(?!\})/g
const maxDepth = 20
const maxChars = 200_000
/** Characters that parameters may add to a page. */
const maxAdded = 200_000
const extensions = ['toml', 'yaml', 'yml']
const settings = ['hugo', 'config', 'config/_default/hugo', 'config/_default/config']

/**
 * Replaces `{{< param "a.b" >}}` of Hugo, also in code, by the parameter of the page, of a `cascade` in an `_index.md` above it, or of the site, and
 * `{{< meta a.b >}}` of Quarto by the metadata of the page, its folder or the project, `{{< var a.b >}}` by its `_variables.yml`. Unknown names stay.
 */
export function replaceParameters(lines: Line[], own: Fields, context: ReaderContext): Line[] {
  if (!lines.some(({ text }) => text.includes('{{') && text.search(tag) >= 0)) return lines
  const known = new Map<string, string | undefined>()
  let left = maxAdded
  const replace = (all: string, _mark: string, kind: string, key: string): string => {
    const text = remember(known, `${kind} ${key}`, () => {
      if (kind === 'meta') return valueIn([own], key) ?? valueIn(filesAbove(['_metadata.yml', '_quarto.yml'], context), key)
      if (kind === 'var') return valueIn(filesAbove(['_variables.yml'], context), key)
      const page = kind === 'param' ? valueIn([own, parameters(own), ...cascadesOf(context)], key) : undefined
      return page ?? valueIn(siteOf(context).map(parameters), key)
    })
    if (text === undefined || text.length > left) return all
    left -= text.length
    return text
  }
  const isShown = shownTags(lines)
  return lines.map((line, i) =>
    line.text.includes('{{') && !isShown(i) ? { ...line, text: line.text.replace(tag, replace) } : line,
  )
}

/** True for lines in a fence of Quarto that shows its tags, `{.markdown shortcodes="false"}`. */
function shownTags(lines: Line[]): (at: number) => boolean {
  if (!lines.some(({ text }) => showing.test(text))) return () => false
  const roles = fenceRoles(lines)
  let isShowing = false
  const shown = roles.map((role, at) => {
    if (role === 'opening') isShowing = showing.test(lines[at]?.text ?? '')
    return role === 'inside' && isShowing
  })
  return (at) => shown[at] ?? false
}

const showing = /\bshortcodes\s?=\s?["']?false\b/

function remember<Value>(known: Map<string, Value>, key: string, find: () => Value): Value {
  const value = known.has(key) ? (known.get(key) as Value) : find()
  known.set(key, value)
  return value
}

/** Hugo ignores case in names. */
function valueIn(all: Fields[], key: string): string | undefined {
  for (const fields of all) {
    const value = key
      .toLowerCase()
      .split('.')
      .reduce<unknown>((at, name) => Object.entries(fieldsOf(at)).find(([each]) => each.toLowerCase() === name)?.[1], fields)
    if (typeof value === 'string' || typeof value === 'number') return String(value)
  }
  return undefined
}

const parameters = (fields: Fields): Fields => fieldsOf(fields.params)

function cascadesOf({ path, readFile }: ReaderContext): Fields[] {
  return foldersAbove(path).flatMap((folder) => {
    const text = readFile(join(folder, '_index.md')) ?? ''
    const [, front = ''] = /^---\r?\n([\s\S]{0,20000}?)\r?\n---/.exec(text) ?? []
    const cascade = front.includes('cascade') ? parsed(front, parseYaml).cascade : []
    return [cascade].flat().flatMap((each) => [fieldsOf(each), parameters(fieldsOf(each))])
  })
}

/** The fields of YAML files in the folder of a page and above. */
const filesAbove = (names: string[], { path, readFile }: ReaderContext): Fields[] =>
  foldersAbove(path).flatMap((folder) =>
    names.flatMap((name) => {
      const text = readFile(join(folder, name))?.slice(0, maxChars)
      return text === undefined ? [] : [parsed(text, parseYaml)]
    }),
  )

/** The settings of the site of a page: of the nearest folder that has some. */
function siteOf({ path, readFile }: ReaderContext): Fields[] {
  for (const folder of foldersAbove(path)) {
    const read = (name: string) =>
      extensions.flatMap((extension) => {
        const text = readFile(join(folder, `${name}.${extension}`))?.slice(0, maxChars)
        return text === undefined ? [] : [parsed(text, extension === 'toml' ? parseToml : parseYaml)]
      })
    const found = [...settings.flatMap(read), ...read('config/_default/params').map((params) => ({ params }))]
    if (found.length > 0) return found
  }
  return []
}

function foldersAbove(path: string): string[] {
  const folders = [dirname(path)]
  while (folders.at(-1) !== '.' && folders.at(-1) !== '/' && folders.length < maxDepth)
    folders.push(dirname(folders.at(-1) ?? '.'))
  return folders
}

function parsed(text: string, parse: (text: string) => unknown): Fields {
  try {
    return fieldsOf(parse(text))
  } catch {
    return {}
  }
}

const fieldsOf = (value: unknown): Fields => (typeof value === 'object' && value !== null ? { ...value } : {})
