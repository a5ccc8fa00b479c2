import { html } from 'hono/html'
import { AppError } from '../../shared/errors.ts'
import type { LibraryId } from '../../shared/library.ts'
import { listOutline } from '../../shared/search/pages/list-outline.ts'
import { type PagesPorts, pageAt, servedPages } from '../../shared/search/pages/served-pages.ts'
import { excerpt } from '../../shared/text/excerpt.ts'
import { countOf } from '../../shared/text/figures.ts'
import type { Html } from './parts.ts'
import { snippetCard } from './snippet-card.ts'

/** The part of the content that is shown: the snippets of `page` from the number `from`, else the list of a folder. */
export type Asked = { page?: string | undefined; folder?: string | undefined; from: number }

const shownAtOnce = 20

/** `path` is that of the library. */
type Content = Asked & { id: LibraryId; path: string }

/** The pages of a library, or the snippets of one of them. Throws not_found. */
export const contentSection = async (ports: PagesPorts, asked: Content): Promise<Html> =>
  html`<section aria-labelledby="content">
<h2 id="content">Content</h2>
${asked.page === undefined ? await outlinePart(ports, asked) : await pagePart(ports, { ...asked, page: asked.page })}
</section>`

const link = (path: string, name: 'page' | 'folder', value: string) => `${path}?${name}=${encodeURIComponent(value)}#content`

async function outlinePart(ports: PagesPorts, { id, path, folder }: Content): Promise<Html> {
  const { total, pages, folders, omitted } = await listOutline(ports, { libraryId: id, folder })
  const figures = `${countOf(total.pages, 'page')}, ${countOf(total.snippets, 'snippet')}, ${countOf(total.tokens, 'token')}`
  return html`<p class="soft">${folder === undefined ? '' : html`<a href="${path}#content">All</a> / <bdi>${folder}</bdi>: `}${figures}</p>
<table class="pages">
<thead><tr><th scope="col">Page</th><th scope="col" class="number">Tokens</th></tr></thead>
<tbody>
${folders.map((each) => row(link(path, 'folder', each.path), `${each.path}/`, countOf(each.pages, 'page'), each.tokens))}
${pages.map((each) => row(link(path, 'page', each.path), each.title || each.path, each.path, each.tokens))}
</tbody>
</table>
${omitted > 0 ? html`<p class="soft">and ${countOf(omitted, 'more page')}; open a folder, or ask a question</p>` : ''}`
}

const row = (href: string, title: string, about: string, tokens: number): Html => html`<tr>
<td><a href="${href}"><bdi>${title}</bdi></a> <span class="soft path"><bdi>${about}</bdi></span></td>
<td class="number">${tokens.toLocaleString('en')}</td>
</tr>`

async function pagePart(ports: PagesPorts, { id, path, page, from }: Content & { page: string }): Promise<Html> {
  const { served, pages } = await servedPages(ports, id)
  const listed = pageAt(pages, page)
  if (!listed) throw new AppError('not_found', `The library has no page ${JSON.stringify(excerpt(page, 200))}.`)
  const snippets = await ports.snippets.pageSnippets(served.generation, listed.page, { offset: from, limit: shownAtOnce })
  const next = from + shownAtOnce
  const at = (offset: number) => `${path}?page=${encodeURIComponent(page)}&from=${offset}#content`
  return html`<p class="soft"><a href="${path}#content">All pages</a> / <bdi>${listed.title || page}</bdi>: ${countOf(listed.snippets, 'snippet')}</p>
${(snippets ?? []).map(snippetCard)}
${
  listed.snippets > shownAtOnce
    ? html`<nav class="paging" aria-label="Snippets of the page">
${from > 0 ? html`<a href="${at(Math.max(0, from - shownAtOnce))}" rel="prev">Previous</a>` : ''}
${next < listed.snippets ? html`<a href="${at(next)}" rel="next">Next</a>` : ''}
</nav>`
    : ''
}`
}
