import { z } from 'zod'
import { AppError } from '../../errors.ts'
import { type LibraryId, parseLibraryId } from '../../library.ts'
import { wholeNumberOr } from '../../schemas/whole-number.ts'
import { isCode, titleOf } from '../../snippet.ts'
import { excerpt } from '../../text/excerpt.ts'
import { escapeContent, separator } from '../render-answer.ts'
import type { StoredPage, StoredSnippet } from '../rows/snippet-store.ts'
import { flagNotice, isWithheld, servedBy, withheldPassage } from '../withheld.ts'
import { overviewPage, readingOrder } from './reading-order.ts'
import { matchingPages, type PagesPorts, pageAt, pageName, servedPages } from './served-pages.ts'

export const Version = z.string().min(1).max(200).optional().describe('A version of the library; its default content if absent')

export const PagesQuery = z.object({
  q: z.string().max(500).optional().describe('Only pages with this text in the path, the title or the path of an included file'),
  version: Version,
  page: wholeNumberOr(1, 1, 1_000_000),
  pageSize: wholeNumberOr(200, 1, 1000),
})
export const SnippetsQuery = z.object({
  version: Version,
  type: z.enum(['json', 'txt']).default('json').describe('txt for the Markdown of the snippets'),
  page: wholeNumberOr(1, 1, 1_000_000),
  pageSize: wholeNumberOr(50, 1, 200),
})

const ListedPage = z
  .object({
    path: z.string().describe('Path of the file; for a page of a bundle without paths, "~" and its number'),
    title: z.string(),
    url: z.string(),
    snippets: z.int(),
    tokens: z.int(),
  })
  .meta({ id: 'Page' })
export const PageList = z.object({
  pages: z.array(ListedPage),
  overview: z.string().optional().describe('The path of the page to open first; absent if the version has no pages'),
  total: z.int(),
  page: z.int(),
  pageSize: z.int(),
})

const Neighbour = z.object({ path: z.string(), title: z.string() })

export const ListedSnippet = z.object({
  id: z.string(),
  title: z.string(),
  breadcrumb: z.array(z.string()),
  content: z.string().describe('Markdown'),
  kind: z.enum(['code', 'info']),
  url: z.string(),
  topic: z.string(),
  tokens: z.int(),
  flag: z
    .object({ kinds: z.array(z.string()), reason: z.string(), concealed: z.boolean().optional() })
    .optional()
    .describe(
      'Present if the snippet may hold instructions aimed at agents. Answers mark or withhold it; this list has it for people',
    ),
})
export const PageSnippets = ListedPage.extend({
  previous: Neighbour.optional().describe('The page before it in reading order'),
  next: Neighbour.optional(),
  items: z.array(ListedSnippet).describe('In the order of the page'),
  total: z.int(),
  page: z.int(),
  pageSize: z.int(),
}).meta({ id: 'PageSnippets' })

/** Two segments, because a third could be a version or "pages". */
export const LibraryInPath = z.object({ owner: z.string(), repo: z.string().describe('The repository, also as repo@version') })
export const PageInPath = LibraryInPath.extend({ path: z.string().max(4096).describe('The `path` of a page') })

/** The pages of a library in reading order. Throws library_not_found, tag_not_found. */
export async function listPages(
  ports: PagesPorts,
  library: z.infer<typeof LibraryInPath>,
  { q = '', version, page, pageSize }: z.infer<typeof PagesQuery>,
): Promise<z.infer<typeof PageList>> {
  const { pages } = await servedPages(ports, idOf(library, version))
  const ordered = readingOrder(pages)
  const matching = q === '' ? ordered : matchingPages(ordered, q)
  const overview = overviewPage(pages)
  return {
    pages: matching.slice((page - 1) * pageSize, page * pageSize).map(shown),
    ...(overview && { overview: pageName(overview) }),
    total: matching.length,
    page,
    pageSize,
  }
}

/** A page with its snippets. Throws library_not_found, tag_not_found, not_found. */
export async function pageSnippets(
  ports: PagesPorts,
  { path, ...library }: z.infer<typeof PageInPath>,
  { version, type, page, pageSize }: z.infer<typeof SnippetsQuery>,
): Promise<z.infer<typeof PageSnippets>> {
  const { pages, served } = await servedPages(ports, idOf(library, version))
  const listedPage = pageAt(pages, path)
  if (!listedPage) throw new AppError('not_found', `The library has no page ${JSON.stringify(excerpt(path, 200))}.`)
  const range = { offset: (page - 1) * pageSize, limit: pageSize }
  const snippets = (await ports.snippets.pageSnippets(served.generation, listedPage.page, range)) ?? []
  return {
    ...shown(listedPage),
    ...neighbours(pages, listedPage),
    items: snippets.map((snippet) =>
      type === 'txt' && isWithheld(snippet, served.flagged)
        ? { ...listed(snippet), content: withheldPassage, flag: undefined }
        : listed(type === 'txt' ? servedBy(snippet, served.flagged) : snippet),
    ),
    total: listedPage.snippets,
    page,
    pageSize,
  }
}

function neighbours(pages: StoredPage[], page: StoredPage): Pick<z.infer<typeof PageSnippets>, 'previous' | 'next'> {
  const ordered = readingOrder(pages)
  const place = ordered.indexOf(page)
  const [previous, next] = [ordered[place - 1], ordered[place + 1]]
  return {
    ...(previous && { previous: { path: pageName(previous), title: previous.title } }),
    ...(next && { next: { path: pageName(next), title: next.title } }),
  }
}

/** The Markdown of snippets, one after the other. */
export const snippetText = ({ items }: z.infer<typeof PageSnippets>): string =>
  items
    .map(({ content, flag }) => `${flag ? `Warning: ${flagNotice(flag.reason)}\n\n` : ''}${escapeContent(content)}`)
    .join(separator)

/** Throws invalid_library_id. */
export const idOf = ({ owner, repo }: z.infer<typeof LibraryInPath>, version: string | undefined): LibraryId => {
  const id = parseLibraryId(`/${owner}/${repo}`)
  return version === undefined ? id : { ...id, version }
}

const shown = (page: StoredPage): z.infer<typeof ListedPage> => ({
  path: pageName(page),
  title: page.title,
  url: page.url,
  snippets: page.snippets,
  tokens: page.tokens,
})

export const listed = (snippet: StoredSnippet): z.infer<typeof ListedSnippet> => ({
  id: snippet.id,
  title: titleOf(snippet),
  breadcrumb: snippet.breadcrumb,
  content: snippet.content,
  kind: isCode(snippet) ? 'code' : 'info',
  url: snippet.url,
  topic: snippet.topic,
  tokens: snippet.tokens,
  ...(snippet.flag && { flag: snippet.flag }),
})
