import { dirname, extname, join, normalize } from 'node:path/posix'
import { type IncludedLines, lineOfRows } from '../page/included-lines.ts'
import type { FindIncludes, ReaderContext } from '../page/page.ts'
import { rewriteDirectives } from './directives/rewrite-directives.ts'
import { documentImports, expandImports, mayImport } from './expand-imports.ts'
import { expandRawImports } from './expand-raw-imports.ts'
import { takeFrontMatter } from './front-matter.ts'
import { closeFences } from './lines/close-fences.ts'
import { indentFences } from './lines/indent-fences.ts'
import { markdownExtensions } from './markdown-extensions.ts'
import { rewriteShortcodes } from './shortcodes/rewrite-shortcodes.ts'
import { takePart } from './syntax/file-part.ts'
import { type IncludeDirective, isSnippetFence, mayInclude, readIncludeDirective } from './syntax/include-directive.ts'
import { fenced, fenceRoles, infoOf, type Line, openingFence, toLines } from './syntax/line.ts'
import { rewriteWriterside } from './writerside/writerside-code.ts'
import { topicLines, variablesFirst } from './writerside/writerside-topics.ts'

const maxDepth = 8
/** A page that includes more is an attack or a mistake; the rest is omitted. */
const maxIncludedChars = 2_000_000
const maxIncludedFiles = 1000

type Expansion = { context: ReaderContext; included: IncludedLines; charsLeft: number; filesLeft: number }
/** The file whose lines are expanded, and the files that include it. */
type Place = { path: string; trail: string[] }

/** Replaces include directives with the files of the repository. Lines of documents have numbers of `included`, listings that of the directive. */
export function expandIncludes(lines: Line[], context: ReaderContext, included: IncludedLines): Line[] {
  return expand(
    lines,
    { path: context.path, trail: [context.path] },
    { context, included, charsLeft: maxIncludedChars, filesLeft: maxIncludedFiles },
  )
}

/** Documents that the text includes whole, as all possible paths: this does not look for files. */
export const findMarkdownIncludes: FindIncludes = (text, { path }) => {
  const paths: string[] = mayImport(text) ? documentImports(text) : []
  if (mayInclude(text) || /\{include\}|\{%|\{\{[<%]/.test(text)) {
    const lines = withDirectives(toLines(text), { path, readFile: () => undefined })
    const roles = fenceRoles(lines)
    lines.forEach(({ text: line, include }, i) => {
      const directive = roles[i] === 'outside' ? (include ?? readIncludeDirective(line)) : undefined
      if (directive && !directive.listing && Object.keys(directive.part).length === 0) paths.push(directive.path)
    })
  }
  return [...new Set(paths.flatMap((each) => likelyDocuments(each, path)))]
}

/** MDX has neither shortcodes nor directives: braces are expressions. */
function withDirectives(source: Line[], context: ReaderContext): Line[] {
  const lines = indentFences(closeFences(source))
  return context.path.endsWith('.mdx')
    ? lines
    : rewriteDirectives(rewriteWriterside(variablesFirst(rewriteShortcodes(lines))), context)
}

/** Many folders have an index or README, so for those only the likeliest path is returned. */
function likelyDocuments(written: string, page: string): string[] {
  const candidates = candidatePaths(written, page).filter((each) => isDocument(each) && each !== page)
  return /^\.\.?\/|(?:^|\/)(?:index|readme)\.\w+$/i.test(written) ? candidates.slice(0, 1) : candidates
}

function expand(source: Line[], place: Place, expansion: Expansion): Line[] {
  const readText = (path: string) => textOf(path, place, expansion)
  const lines = expandRawImports(withDirectives(source, { path: place.path, readFile: readText }), readText)
  const imported = expandImports(lines, (path) => document({ path, part: {} }, place, expansion))
  if (!imported.some(({ text, include }) => include || mayInclude(text))) return imported
  const roles = fenceRoles(imported)
  const out: Line[] = []
  let fence = { at: -1, isExample: false, holdsFiles: false }
  let snippetBlock = false
  imported.forEach((line, i) => {
    const role = roles[i]
    if (role === 'opening') fence = { at: out.length, isExample: isMarkdown(line), holdsFiles: false }
    const isCode = role !== 'outside'
    if (isCode && (role !== 'inside' || fence.isExample)) out.push(line)
    else if (isSnippetFence(line.text)) snippetBlock = !snippetBlock
    else {
      const text = snippetBlock ? `--8<-- "${line.text.trim().replaceAll('"', '')}"` : line.text
      const directive = line.include ?? readIncludeDirective(text, { inFence: isCode })
      if (directive && isCode) fence.holdsFiles = true
      if (!directive) out.push(line)
      else if (isCode) out.push(...indented(toTexts(listingOf(directive, place, expansion)), line))
      else out.push(...included(directive, line, place, expansion))
    }
    if (role === 'closing' && fence.holdsFiles) closeListing(out, fence.at)
  })
  return out
}

/** True if a fence shows Markdown: documentation of the directives shows them there. */
const isMarkdown = ({ text }: Line): boolean => /^(?:md|mdx|markdown)\b/i.test(openingFence(text)?.info ?? '')

/** The replacement of a directive outside fences: the lines of a document, or a fenced listing. */
function included(directive: IncludeDirective, line: Line, place: Place, expansion: Expansion): Line[] {
  if (!directive.listing && (isDocument(directive.path) || directive.part.element !== undefined)) {
    return indented(document(directive, place, expansion) ?? [], line)
  }
  const listing = listingOf(directive, place, expansion)
  if (listing.length === 0) return []
  const { label, language = extname(directive.path).slice(1) } = directive.listing ?? {}
  return indented(toTexts(fenced(listing, infoOf(language, label))), line)
}

const toTexts = (texts: string[]) => texts.map((text) => ({ text }))

const listingOf = (directive: IncludeDirective, place: Place, expansion: Expansion): string[] =>
  take(directive, place, expansion)?.lines ?? []

/** The lines of a document with its includes expanded and without front matter; undefined if there is no such file. */
function document(directive: IncludeDirective, place: Place, expansion: Expansion): Line[] | undefined {
  const file = take(directive, place, expansion)
  if (!file) return undefined
  const first = expansion.included.numberOf(file.path, file.line, file.lines.length)
  const lines = file.lines.map((text, i) => ({ text, at: first + i }))
  const body = file.path.endsWith('.topic') ? topicLines(lines) : takeFrontMatter(lines).lines
  return expand(body, { path: file.path, trail: [...place.trail, file.path] }, expansion)
}

function take(
  { path: written, part }: IncludeDirective,
  place: Place,
  expansion: Expansion,
): { path: string; lines: string[]; line: number } | undefined {
  if (place.trail.length > maxDepth || expansion.charsLeft <= 0 || expansion.filesLeft-- <= 0) return undefined
  for (const path of candidatesOf(written, place.path, expansion.context)) {
    if (place.trail.includes(path)) return undefined
    const text = expansion.context.readFile(path)
    if (text === undefined) continue
    const lines = takePart(text, part)
    expansion.charsLeft -= lines?.reduce((sum, line) => sum + line.length, 0) ?? 0
    const isPart = Object.keys(part).length > 0
    return lines && { path, lines, line: isPart ? lineOfRows(lines, text.split(/\r\n|\n|\r/)) : 1 }
  }
  return undefined
}

const textOf = (path: string, place: Place, expansion: Expansion): string | undefined =>
  take({ path, part: {} }, place, expansion)?.lines.join('\n')

/** Indents lines like the directive that they replace. */
function indented(lines: (Omit<Line, 'at'> & { at?: number })[], directive: Line): Line[] {
  const [prefix = ''] = /^(?:[ \t>]|[-*+][ \t]|\d{1,9}[.)][ \t])*/.exec(directive.text) ?? []
  const indent = prefix.replace(/[^ \t>]/g, ' ')
  return lines.map((line, i) => {
    const text = line.text === '' && !prefix.includes('>') ? '' : (i === 0 ? prefix : indent) + line.text
    return { ...line, text, at: line.at ?? directive.at }
  })
}

/** Makes a fence that received files longer than any run inside it, or removes it if all files were empty. */
function closeListing(out: Line[], opening: number): void {
  const first = out[opening]
  const last = out.at(-1)
  const fence = first && openingFence(first.text)
  if (!first || !last || !fence) return
  const body = out.slice(opening + 1, -1).map(({ text }) => text)
  if (body.every((text) => text.trim() === '')) {
    out.length = opening
    return
  }
  const missing = maxRunLength(body, fence.mark) + 1 - fence.length
  if (missing <= 0) return
  const more = fence.mark.repeat(missing)
  out[opening] = { ...first, text: first.text.replace(fence.mark, more + fence.mark) }
  out[out.length - 1] = { ...last, text: last.text.trimEnd() + more }
}

const maxRunLength = (lines: string[], mark: '`' | '~'): number =>
  lines.reduce(
    (max, line) => Math.max(max, ...(line.match(mark === '`' ? /`{3,}/g : /~{3,}/g) ?? []).map((run) => run.length)),
    2,
  )

const usualRoots = ['docs', 'codeSnippets', 'docs/snippets', 'docs/includes', 'snippets', 'includes', 'src']
const documents = new Set([...markdownExtensions, '.mdx', '.rst', '.adoc', '.asciidoc', '.txt', '.html', '.htm'])
const maxLength = 400

/**
 * Possible files for a path written in a page, from the root of the repository, most likely first: site generators resolve it from the page,
 * from their root folder above it, or from a folder of snippets. Empty for URLs and paths outside the repository.
 */
function candidatePaths(written: string, page: string): string[] {
  if (written.length > maxLength || /^[a-z][\w+.-]*:|^\/\//i.test(written) || written.includes('\0')) return []
  const path = written.replace(/^(?:@site|~@|@|~)?\/+/, '')
  const folders = foldersAbove(dirname(page))
  const usual = [...folders.map((folder) => join(folder, '_includes')), ...usualRoots]
  const bases = path === written ? [...folders, ...usual] : [...folders.toReversed(), ...usual]
  const candidates = bases
    .map((base) => normalize(join(base, path)))
    .filter((each) => each !== '..' && !each.startsWith('../') && !each.endsWith('/'))
  return [...new Set(candidates)]
}

/** The possible files, and after them the one document whose path ends like the path behind an alias, `@global/1.20.0.mdx`. */
function* candidatesOf(written: string, page: string, { findDocument }: ReaderContext): Generator<string> {
  yield* candidatePaths(written, page)
  const [, alias = '', rest] = /^[@~#]([\w-]*)\/([^\s]{1,400})$/.exec(written) ?? []
  if (rest === undefined || rest.includes('..') || !isDocument(rest)) return
  const path = findDocument?.(`${alias}/${rest}`) ?? findDocument?.(rest)
  if (path !== undefined) yield path
}

/** True if the file is a document, so that an include inserts its lines; other files become listings. */
const isDocument = (path: string): boolean => documents.has(extname(path).toLowerCase())

function foldersAbove(folder: string): string[] {
  const folders = [folder]
  for (let at = folder; at !== '.' && at !== '/'; at = dirname(at)) folders.push(dirname(at))
  return folders
}
