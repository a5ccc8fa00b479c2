import type { PreprocessorReader } from '@asciidoctor/core'
import { parse } from 'yaml'
import { buildPage, type Piece } from '../page/build-page.ts'
import type { Reader, ReaderContext } from '../page/page.ts'
import { asciidocBlocks } from './asciidoc-blocks.ts'
import { includedPath } from './find-asciidoc-includes.ts'
import { directiveAt, type IncludedTexts } from './included-texts.ts'
import { inlineConverter, markdown, plainText } from './inline-converter.ts'
import { selectLines } from './select-lines.ts'

const maxIncludeDepth = 8
const maxIncludedChars = 5_000_000

/** Reads AsciiDoc with asciidoctor. Includes come from the repository only; a missing file leaves no trace. */
export const asciidocReader: Reader = async (text, context) => {
  const { Extensions, load } = await import('@asciidoctor/core')
  const includes: IncludedTexts = new Map()
  const include = includer(context, includes)
  const registry = Extensions.create()
  registry.includeProcessor(function () {
    this.process(include)
  })
  const document = await load(text, {
    safe: 'secure',
    sourcemap: true,
    logger: null,
    converter: { ...inlineConverter },
    extension_registry: registry,
    attributes: { ...antoraAttributes(context), experimental: '' },
  })
  const pieces = await asciidocBlocks(document, {
    context,
    depth: 0,
    groups: 0,
    inTab: false,
    includes,
    line: 1,
    file: context.path,
  })
  const lead = document.getAttribute('description')
  const title = document.getDocumentTitle()
  const head: Piece[] = typeof lead === 'string' && lead !== '' ? [{ kind: 'prose', text: markdown(lead), line: 1 }] : []
  const placed = pieces.map(({ file, ...piece }) => (file === context.path ? piece : { ...piece, file }) as Piece)
  return buildPage([...head, ...placed], typeof title === 'string' ? plainText(title) : undefined)
}

/** Handles every include directive, so that asciidoctor never opens a file. */
function includer(context: ReaderContext, includes: IncludedTexts) {
  const includedBy = new Map<string, string>()
  let budget = maxIncludedChars
  return (_: unknown, reader: PreprocessorReader, target: string, options: Record<string, string>): void => {
    const from = reader.file ?? context.path
    const above = [from]
    for (let file = includedBy.get(from); file !== undefined; file = includedBy.get(file)) above.push(file)
    const path = includedPath(target, from)
    if (path === undefined || above.includes(path) || above.length > maxIncludeDepth) return
    const text = context.readFile(path)
    budget -= (text?.length ?? 0) + 1000
    if (text === undefined || budget < 0) return
    includedBy.set(path, from)
    const { rows, line } = selectLines(text, { lines: options.lines, tags: options.tags ?? options.tag })
    includes.set(directiveAt(from, reader.lineno - 1), { file: path, line, rows })
    reader.pushInclude(rows, path, path, line, options)
  }
}

/** The attributes from the `antora.yml` of a page's component; a page may override them. */
function antoraAttributes({ path, readFile }: ReaderContext): Record<string, string> {
  const at = path.lastIndexOf('/modules/')
  const text =
    at < 0 && !path.startsWith('modules/') ? undefined : readFile(at < 0 ? 'antora.yml' : `${path.slice(0, at)}/antora.yml`)
  const attributes = text === undefined ? undefined : readAttributes(text)
  if (typeof attributes !== 'object' || attributes === null) return {}
  const values = Object.entries(attributes).filter(([, value]) => ['string', 'number'].includes(typeof value))
  return Object.fromEntries(values.map(([name, value]) => [name.toLowerCase(), `${String(value).replace(/@$/, '')}@`]))
}

function readAttributes(text: string): unknown {
  try {
    const component: { asciidoc?: { attributes?: unknown } } | null = parse(text)
    return component?.asciidoc?.attributes
  } catch {
    return undefined
  }
}
