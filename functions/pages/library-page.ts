import { html } from 'hono/html'
import { type LibraryId, printLibraryId } from '../../shared/library.ts'
import { countOf } from '../../shared/text/figures.ts'
import type { NamedLibraries } from '../catalog/catalog-snapshot.ts'
import type { NamedLibrary } from '../catalog/pack-libraries.ts'
import { visibleVersion } from '../queries/answer-context.ts'
import { anonymous } from './anonymous.ts'
import { type AskPorts, askSection } from './ask-section.ts'
import { connectSection } from './connect-section.ts'
import { type Asked, contentSection } from './content-section.ts'
import { layout } from './layout.ts'
import { codeBlock, datePart, type Html } from './parts.ts'
import { pathOf, publicLibrary } from './public-libraries.ts'

export type LibraryPagePorts = AskPorts & { names: NamedLibraries }

type Request = Asked & {
  site: string
  id: LibraryId
  /** The question; undefined if none was asked. */
  question: string | undefined
}

/** The page of a public library, or of one of its versions. Throws what `answerContext` throws, except that nothing matches. */
export async function libraryPage(ports: LibraryPagePorts, request: Request, signal: AbortSignal): Promise<Html> {
  const { site, id, question } = request
  const library = await publicLibrary(ports, id)
  const { served } = await visibleVersion(ports, anonymous, id)
  const { version } = served
  const path = pathOf(library.id, version)
  const catalog = { served: async () => served }
  const body = html`${head(library, { version, ref: served.ref, date: served.commitDate ?? library.lastUpdateDate }, ports.now())}
<div class="columns">
<div>
${await askSection(ports, { id, path, question }, signal)}
${await contentSection({ ...ports, catalog }, { ...request, path })}
</div>
<aside>
${versionsPart(library, version)}
${badgePart(site, library)}
<section aria-labelledby="text"><h2 id="text">As text</h2>
<p><a href="${path}/llms.txt">${path}/llms.txt</a> lists the pages; with <code>?query=…</code> it answers a question.</p></section>
${connectSection(site)}
${ownerPart(library)}
</aside>
</div>`
  const name = version === undefined ? library.title : `${library.title} ${version}`
  const isListed = question === undefined && request.folder === undefined && request.from === 0
  const listed = request.page === undefined ? path : `${path}?page=${encodeURIComponent(request.page)}`
  return layout(
    {
      site,
      title: `${name} documentation – Carrel`,
      description: library.description,
      ...(isListed && { path: listed }),
      // A question is counted when it is answered.
      counted: question === undefined ? printLibraryId({ ...id, ...(version !== undefined && { version }) }) : undefined,
      search: '',
    },
    body,
  )
}

type Shown = { version: string | undefined; ref: string; date: string }

const head = (library: NamedLibrary, { version, ref, date }: Shown, now: Date): Html => html`<div class="head">
<h1><bdi>${library.title}</bdi>${version === undefined ? '' : html` <span class="soft"><bdi>${version}</bdi></span>`}</h1>
<p><code class="id">${library.id}</code></p>
<p dir="auto">${library.description}</p>
<dl class="facts">
<div><dt>Content of</dt><dd>${datePart(date, now)}</dd></div>
${ref === '' ? '' : html`<div><dt>Version</dt><dd><code>${ref}</code></dd></div>`}
${
  version === undefined
    ? html`<div><dt>Snippets</dt><dd>${library.totalSnippets.toLocaleString('en')}</dd></div>
<div><dt>Tokens</dt><dd>${library.totalTokens.toLocaleString('en')}</dd></div>`
    : ''
}
${library.stars >= 0 ? html`<div><dt>Stars</dt><dd>${library.stars.toLocaleString('en')}</dd></div>` : ''}
</dl>
</div>`

const ownerPart = ({
  id,
}: NamedLibrary): Html => html`<section aria-labelledby="owner"><h2 id="owner">Is this your documentation?</h2>
<p><a href="/takedown?library=${encodeURIComponent(id)}" rel="nofollow">Have it removed</a></p></section>`

const maxVersions = 50

function versionsPart({ id, versions }: NamedLibrary, current: string | undefined): Html {
  if (versions.length === 0) return html``
  const link = (version: string | undefined) => {
    const here = version === current ? html` aria-current="page"` : ''
    return html`<li><a href="${pathOf(id, version)}"${here}><bdi>${version ?? 'Default'}</bdi></a></li>`
  }
  const rest = versions.length - maxVersions
  return html`<section aria-labelledby="versions"><h2 id="versions">Versions</h2>
<ul class="versions">${[undefined, ...versions.slice(0, maxVersions)].map(link)}</ul>
${rest > 0 ? html`<p class="soft">and ${countOf(rest, 'more version')}</p>` : ''}</section>`
}

function badgePart(site: string, { id, title }: NamedLibrary): Html {
  const path = pathOf(id)
  const name = title.replace(/[[\]\\\n]/g, ' ')
  return html`<section aria-labelledby="badge"><h2 id="badge">Badge</h2>
<p><img src="/badge${path}.svg" alt="Badge of the documentation" height="20"></p>
${codeBlock(`[![${name} documentation](${site}/badge${path}.svg)](${site}${path})`, 'Markdown of the badge')}</section>`
}
