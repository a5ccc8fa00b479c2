import { html } from 'hono/html'
import { isCode, type Snippet, titleOf } from '../../shared/snippet.ts'
import { countOf } from '../../shared/text/figures.ts'
import { isWebAddress, strangerRel } from '../../shared/web/snippet/stranger-address.ts'
import { strangerMarkdown } from './markdown.ts'
import type { Html } from './parts.ts'

/** One snippet with a link to its source. */
export const snippetCard = (snippet: Snippet): Html => html`<article class="card">
<div class="card-head"><h3><bdi>${titleOf(snippet)}</bdi></h3>
<span class="soft">${isCode(snippet) ? 'Code' : 'Info'} · ${countOf(snippet.tokens, 'token')}</span></div>
${snippet.flag ? html`<p class="soft">Flagged: ${snippet.flag.reason}</p>` : ''}
${strangerMarkdown(snippet.content)}
<p class="source">Source: ${sourceLink(snippet.url)}</p>
</article>`

const sourceLink = (url: string): Html =>
  isWebAddress(url) ? html`<a href="${url}" rel="${strangerRel}">${url}</a>` : html`<bdi>${url}</bdi>`
