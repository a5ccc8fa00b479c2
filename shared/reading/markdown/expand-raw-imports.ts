import { languageOf } from '../rst/read-code.ts'
import { fenced, fenceRoles, infoOf, type Line } from './syntax/line.ts'
import { readTag } from './syntax/tag.ts'

const rawImport = /^import\s+([A-Za-z_$][\w$]*)\s+from\s+["'](!!raw-loader!)?([^"'?!]{1,400})(\?raw)?["'];?\s*$/
const listing = /<(?:CodeBlock|Code)\b/
const maxTagLines = 30

/**
 * Replaces listings of files that a page imports as text: `import Src from '!!raw-loader!./app.js'` or `'./app.js?raw'`, shown by
 * `<CodeBlock title="app.js">{Src}</CodeBlock>` or `<Code code={Src} />`.
 */
export function expandRawImports(lines: Line[], readText: (path: string) => string | undefined): Line[] {
  const paths = new Map(lines.flatMap(({ text }) => rawImportOf(text)))
  if (paths.size === 0) return lines
  const roles = fenceRoles(lines)
  const out: Line[] = []
  for (let i = 0; i < lines.length; i++) {
    const line = lines[i] as Line
    const use = roles[i] === 'outside' && listing.test(line.text) ? useAt(lines, i) : undefined
    const path = use && paths.get(use.name)
    const code = path === undefined ? undefined : readText(path)
    if (rawImportOf(line.text).length > 0 && roles[i] === 'outside') out.push({ ...line, text: '' })
    else if (!use || path === undefined || code === undefined) out.push(line)
    else {
      const { language = languageOf(path), title } = use.attributes
      const indent = use.before.trim() === '' ? use.before : ''
      const body = fenced(code.replace(/\n$/, '').split('\n'), infoOf(language, title ?? path.split('/').at(-1)))
      for (const text of [use.before.trim(), '', ...body, '', use.after.trim()])
        out.push({ text: text === '' ? '' : indent + text, at: line.at })
      i += use.more
    }
  }
  return out
}

const rawImportOf = (text: string): [name: string, path: string][] => {
  const [, name, loader, path, query] = (text.startsWith('import') && text.length < 1000 && rawImport.exec(text)) || []
  return name !== undefined && path !== undefined && (loader ?? query) !== undefined ? [[name, path]] : []
}

type Use = { name: string; attributes: Record<string, string>; before: string; after: string; more: number }

/** The first listing in a line that shows a value, with the number of further lines that it takes. */
function useAt(lines: Line[], at: number): Use | undefined {
  const text = lines
    .slice(at, at + maxTagLines)
    .map((line) => line.text)
    .join('\n')
  const start = text.search(listing)
  const tag = readTag(text, start)
  if (!tag) return undefined
  const [body = '', inner] = tag.selfClosing
    ? []
    : (/^\s*\{\s*([\w$]+)\s*\}\s*<\/[\w.]+\s*>/.exec(text.slice(tag.end, tag.end + 500)) ?? [])
  const name = inner ?? (tag.selfClosing ? tag.attributes.code : undefined)
  if (name === undefined) return undefined
  const end = tag.end + body.length
  const [after = ''] = text.slice(end).split('\n', 1)
  return {
    name,
    attributes: tag.attributes,
    before: text.slice(0, start),
    after,
    more: text.slice(0, end).split('\n').length - 1,
  }
}
