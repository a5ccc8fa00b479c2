import { html } from 'hono/html'
import { AppError } from '../../shared/errors.ts'
import type { ListedLibrary } from '../../shared/search/libraries/catalog.ts'
import { countOf } from '../../shared/text/figures.ts'
import type { NamedLibraries } from '../catalog/catalog-snapshot.ts'
import { type AnswerSearchPorts, answerSearch } from '../queries/answer-search.ts'
import { anonymous } from './anonymous.ts'
import { connectSection } from './connect-section.ts'
import { layout, searchForm } from './layout.ts'
import { datePart, type Html } from './parts.ts'
import { pathOf, publicLibraries } from './public-libraries.ts'

export type HomePorts = AnswerSearchPorts & { names: NamedLibraries }

const maxListed = 12
const maxWordsChars = 500

const about = 'Current documentation of software libraries, for AI coding agents: over MCP, REST and plain text.'

/** The page at `/`: what the service is, and the search over its public libraries. */
export async function homePage(
  ports: HomePorts,
  { site, words }: { site: string; words: string | undefined },
  signal: AbortSignal,
): Promise<Html> {
  const libraries = await publicLibraries(ports)
  const results = words !== undefined ? await searchPart(ports, words, signal) : newestPart(libraries, ports.now())
  const body = html`<div class="hero">
<h1>Documentation for coding agents</h1>
<p>Agents know old versions of libraries. Carrel gives them passages from the current documentation of
${libraries.length > 0 ? countOf(libraries.length, 'library', 'libraries') : 'software libraries'}, with their sources.</p>
${searchForm(words?.slice(0, maxWordsChars) ?? '', 'Search libraries')}
</div>
${results}
${connectSection(site)}`
  const title = words !== undefined ? `${words.slice(0, 60)} – Carrel` : 'Carrel: documentation for coding agents'
  return layout({ site, title, description: about, ...(words === undefined && { path: '/' }) }, body)
}

async function searchPart(ports: HomePorts, words: string, signal: AbortSignal): Promise<Html> {
  const found = await findLibraries(ports, words, signal)
  return html`<section aria-labelledby="found">
<h2 id="found">Search results</h2>
${typeof found === 'string' ? html`<p role="status">${found}</p>` : table(found, ports.now())}
</section>`
}

/** The libraries, or a sentence that says why there are none. */
async function findLibraries(ports: HomePorts, words: string, signal: AbortSignal): Promise<ListedLibrary[] | string> {
  if (words.length > maxWordsChars) return `Search for at most ${maxWordsChars} characters.`
  try {
    return (await answerSearch(ports, { libraryName: words }, anonymous, signal)).results
  } catch (error) {
    if (error instanceof AppError && error.code === 'no_libraries_found') return error.message
    throw error
  }
}

function newestPart(libraries: ListedLibrary[], now: Date): Html {
  if (libraries.length === 0) return html`<p class="empty">No library has been added yet.</p>`
  return html`<section aria-labelledby="newest">
<h2 id="newest">Recently updated</h2>
${table(libraries.slice(0, maxListed), now)}
</section>`
}

const table = (libraries: ListedLibrary[], now: Date): Html => html`<table class="libraries">
<thead><tr><th scope="col">Library</th><th scope="col" class="number">Snippets</th><th scope="col" class="when">Content of</th></tr></thead>
<tbody>
${libraries.map(
  ({ id, title, description, totalSnippets, lastUpdateDate }) => html`<tr>
<td><a href="${pathOf(id)}"><bdi>${title}</bdi></a> <code class="id">${id}</code><p class="soft" dir="auto">${description}</p></td>
<td class="number">${totalSnippets.toLocaleString('en')}</td>
<td class="when">${datePart(lastUpdateDate, now)}</td>
</tr>`,
)}
</tbody>
</table>`
