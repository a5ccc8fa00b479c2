import { AppError } from '../../errors.ts'
import type { LibraryId } from '../../library.ts'
import { type Snippet, titleOf } from '../../snippet.ts'
import { countTokens } from '../../text/count-tokens.ts'
import { excerpt } from '../../text/excerpt.ts'
import { oneLine } from '../../text/one-line.ts'
import { versionText } from '../../text/version-text.ts'
import { escapeContent } from '../render-answer.ts'
import type { StoredSnippet } from '../rows/snippet-store.ts'
import { shorten } from '../shorten.ts'
import { flagNotice, isWithheld, servedBy, withheldPassage } from '../withheld.ts'
import { findPage, type PagesPorts, pageName, servedPages } from './served-pages.ts'

/** `cursor` is that of an earlier reading of the same page and section. */
export type PageRequest = {
  libraryId: LibraryId
  path: string
  section?: string | undefined
  tokens: number
  cursor?: string | undefined
}

/** A page, one of its sections, or the part of it that fits into the budget. */
export type ReadPage = {
  library: string
  title: string
  version?: string
  commitDate?: string
  path: string
  pageTitle: string
  url: string
  /** Tokens of the whole page. */
  tokens: number
  /** Markdown with the headings of the page. */
  content: string
  /** Continues the reading. Absent at the end. */
  cursor?: string
  snippets: Snippet[]
}

const readAtOnce = 100
/** Title, address, version and the line with the cursor. */
const frameTokens = 150
const maxListedSections = 20

/**
 * Reads a page in its order. Throws library_not_found, tag_not_found, not_found for a page or section, validation_error for a cursor that is
 * none.
 */
export async function readPage(ports: PagesPorts, { libraryId, path, section, tokens, cursor }: PageRequest): Promise<ReadPage> {
  const { served, pages } = await servedPages(ports, libraryId)
  const page = findPage(pages, path)
  const budget = tokens - frameTokens
  const parts: string[] = []
  const snippets: Snippet[] = []
  const sections = new Set<string>()
  let [spent, next, above] = [0, -1, [page.title]]
  const isWanted = isIn(section)
  for await (const [place, snippet] of snippetsFrom(ports, served.generation, page, placeAt(cursor))) {
    const isOut = isWithheld(snippet, served.flagged)
    if (!isOut) sections.add(titleOf(snippet))
    if (!isWanted(snippet)) continue
    const fitting = parts.length === 0 && snippet.tokens > budget ? shorten(snippet, budget) : snippet
    const { flag } = servedBy(snippet, served.flagged)
    const part = isOut
      ? withheldPassage
      : [
          ...(flag ? [`Warning: ${flagNotice(flag.reason)}`] : []),
          ...headingsBelow(above, snippet.breadcrumb),
          escapeContent(fitting.content),
        ].join('\n\n')
    const partTokens = countTokens(`${part}\n\n`)
    if (parts.length > 0 && spent + partTokens > budget) {
      next = place
      break
    }
    parts.push(part)
    snippets.push(snippet)
    spent += partTokens
    if (!isOut) above = snippet.breadcrumb
  }
  if (parts.length === 0) throw cursor === undefined ? noSection(section ?? '', sections) : wrongCursor(cursor)
  const { library, ref, commitDate } = served
  return {
    library: library.id,
    title: library.title,
    ...(ref !== '' && { version: ref }),
    ...(commitDate && { commitDate }),
    path: pageName(page),
    // A title that instructs agents flags all passages below it.
    pageTitle: snippets.every((each) => isWithheld(each, served.flagged)) ? '' : page.title,
    url: page.url,
    tokens: page.tokens,
    content: parts.join('\n\n'),
    ...(next >= 0 && { cursor: String(next) }),
    snippets,
  }
}

/** The page as text for a model. */
export function pageText({ title, path, pageTitle, url, tokens, content, cursor, ...dated }: ReadPage): string {
  const version = versionText(dated)
  return [
    `# ${oneLine(pageTitle || path)}`,
    `Source: ${oneLine(url)}`,
    ...(version === '' ? [] : [`Version: ${oneLine(`${title} ${version}`)}`]),
    content,
    ...(cursor === undefined ? [] : [`This page has ${tokens} tokens. Continue with cursor "${cursor}".`]),
  ].join('\n\n')
}

/** The page as JSON. */
export const pageJson = ({ snippets: _, ...page }: ReadPage) => page

async function* snippetsFrom(
  { snippets }: PagesPorts,
  generation: string,
  page: { page: number; snippets: number },
  from: number,
): AsyncGenerator<[place: number, snippet: StoredSnippet]> {
  for (let offset = from; offset < page.snippets; offset += readAtOnce) {
    const read = await snippets.pageSnippets(generation, page.page, { offset, limit: readAtOnce })
    if (!read) throw new AppError('not_found', 'This content was replaced or removed while it was being read. Ask again.')
    for (const [i, snippet] of read.entries()) yield [offset + i, snippet]
  }
}

/** The headings of a snippet that the one before it does not have, with as many `#` as there are above them. */
function headingsBelow(above: string[], breadcrumb: string[]): string[] {
  const differing = breadcrumb.findIndex((heading, i) => heading !== above[i])
  if (differing < 0) return []
  return breadcrumb.slice(differing).map((heading, i) => `${'#'.repeat(Math.min(6, differing + i + 1))} ${oneLine(heading)}`)
}

/** True for the snippets of a section and of those below it: by heading, by several joined with " > ", or by the anchor of an address. */
function isIn(section: string | undefined): (snippet: Snippet) => boolean {
  if (section === undefined || section.trim() === '') return () => true
  const wanted = section.replace(/^#/, '').split(' > ').map(plainHeading).join('>')
  return ({ breadcrumb }) => {
    const headings = breadcrumb.map(plainHeading)
    return headings.some((_, end) => `>${headings.slice(0, end + 1).join('>')}`.endsWith(`>${wanted}`))
  }
}

/** Lower case words joined by "-", as in an anchor. */
const plainHeading = (heading: string): string =>
  heading
    .toLowerCase()
    .replace(/[^\p{L}\p{N}]+/gu, '-')
    .replace(/^-|-$/g, '')

function placeAt(cursor: string | undefined): number {
  if (cursor === undefined || cursor === '') return 0
  if (!/^\d{1,7}$/.test(cursor)) throw wrongCursor(cursor)
  return Number(cursor)
}

const wrongCursor = (cursor: string): AppError =>
  new AppError(
    'validation_error',
    `cursor ${JSON.stringify(excerpt(cursor, 50))} is not one of this page. Use the one of the last answer.`,
  )

function noSection(section: string, sections: Set<string>): AppError {
  const listed = [...sections].slice(0, maxListedSections).join(', ')
  return new AppError('not_found', `The page has no section ${JSON.stringify(excerpt(section, 200))}. Its sections: ${listed}.`)
}
