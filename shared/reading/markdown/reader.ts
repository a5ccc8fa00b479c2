import { buildPage, type Piece } from '../page/build-page.ts'
import { includedLines } from '../page/included-lines.ts'
import type { Page, Reader, ReaderContext } from '../page/page.ts'
import { expandIncludes } from './expand-includes.ts'
import { type FrontMatter, takeFrontMatter } from './front-matter.ts'
import { replaceParameters } from './lines/parameters.ts'
import { substitute } from './lines/substitutions.ts'
import { looksLikeMdx } from './looks-like-mdx.ts'
import { namedTitle } from './named-title.ts'
import { prepareMarkdown } from './prepare-markdown.ts'
import { readMarkdown, readMdx } from './read-markdown.ts'
import { type Line, toLines } from './syntax/line.ts'
import { replaceVariables } from './writerside/variables.ts'

/** Reads Markdown of any dialect: CommonMark, GitHub, MkDocs, VitePress, Docusaurus, mdBook. Never throws. */
export const markdownReader: Reader = (text, context): Page => {
  const { front, lines: source } = takeFrontMatter(toLines(text))
  if (looksLikeMdx(source)) return pageOf(source, front, context, readMdx)
  const lines = replaceParameters(source, front.fields ?? {}, context)
  const replaced = (texts: Line[]) => substitute(replaceVariables(texts, context), front.substitutions ?? new Map(), context)
  const named = (text: string) => replaceParameters([{ text, at: 1 }], front.fields ?? {}, context)
  const title = front.title && replaced(named(front.title))[0]?.text
  return pageOf(lines, { ...front, ...(title && { title }) }, context, (body) => readMarkdown(replaced(body)))
}

/** The lines of included documents are numbers until they have become pieces. */
function pageOf(lines: Line[], front: FrontMatter, context: ReaderContext, read: (lines: Line[]) => Piece[]): Page {
  const included = includedLines()
  return markdownPage(read(prepareMarkdown(expandIncludes(lines, context, included))).map(included.placed), front)
}

/** Builds a page whose title comes from front matter, else from the first top heading. */
function markdownPage(pieces: Piece[], front: FrontMatter): Page {
  const top = pieces.find((piece) => piece.kind === 'heading' && piece.level === 1)
  const first = pieces.find((piece) => piece.kind === 'heading')
  const topText = top?.kind === 'heading' ? top.text : undefined
  const opening = pieces.flatMap((piece) => (piece.kind === 'prose' ? [piece.text] : [])).slice(0, 3)
  const title = front.title ?? (topText && namedTitle(topText, opening[0] ?? ''))
  const repeated = top !== undefined && top === first && (topText === title || front.title === undefined) ? top : undefined
  const lead: Piece[] =
    front.description && !beginsWith(opening.join('\n'), front.description)
      ? [{ kind: 'prose', text: front.description, line: 1 }]
      : []
  const { sections } = buildPage([...lead, ...pieces.filter((piece) => piece !== repeated)], title ?? '')
  return title === undefined ? { sections } : { title, sections }
}

const minRepeated = 40

/** True if a text begins like a description, whatever its marks: the page repeats it. */
function beginsWith(text: string, description: string): boolean {
  const wanted = lettersOf(description)
  return wanted.length >= minRepeated && lettersOf(text).startsWith(wanted)
}

const maxCompared = 2_000
const lettersOf = (text: string): string =>
  text
    .slice(0, maxCompared)
    .toLowerCase()
    .replace(/https?:\/\/[^\s)]*/g, '')
    .replace(/[^\p{L}\p{N}]+/gu, '')

/** Reads MDX with its imported documents expanded. Broken MDX is read as Markdown without tags. Never throws. */
export const mdxReader: Reader = (text, context): Page => {
  const { front, lines } = takeFrontMatter(toLines(text))
  return pageOf(lines, front, context, readMdx)
}
