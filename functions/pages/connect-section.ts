import { html } from 'hono/html'
import { type ClientName, clientNames, clients } from '../../shared/web/connect/clients.ts'
import { placeOf, type Way, waysOf } from '../../shared/web/connect/ways.ts'
import { codeBlock, type Html } from './parts.ts'

/** How AI clients are connected to the service: for each the simplest way, and the others folded. */
export const connectSection = (site: string): Html => html`<section id="connect" aria-labelledby="connect-title">
<h2 id="connect-title">Connect your agent</h2>
<p>The address of the MCP server is <code>${site}/mcp</code>. It needs no key; a key has higher limits.</p>
${clientNames.map((name) => clientPart(site, name))}
</section>`

function clientPart(site: string, name: ClientName): Html {
  const { label, mark, check } = clients[name]
  const [first, ...others] = waysOf(name, { root: site })
  return html`<details name="client">
<summary><span class="mark" aria-hidden="true">${mark}</span> <span>${label}</span></summary>
${first && wayPart(first, label)}
${others.length === 0 ? '' : html`<details class="others"><summary>Other ways</summary>${others.map((way) => html`<h3>${way.title}</h3>${wayPart(way, label)}`)}</details>`}
<p class="soft">${check}</p>
</details>`
}

function wayPart(way: Way, label: string): Html {
  if (way.kind === 'link') return html`<p><a href="${way.href}">Add to ${label}</a></p>`
  if (way.kind === 'file') return filePart(way, label)
  return html`${way.about === undefined ? '' : html`<p>${way.about}</p>`}${codeBlock(way.command, `${way.title}, for ${label}`)}`
}

function filePart({ file, text }: Extract<Way, { kind: 'file' }>, label: string): Html {
  const [before, after] = placeOf(file)
  return html`<p>${before}${file === undefined ? '' : html`<code>${file}</code>`}${after}</p>${codeBlock(text, `Configuration of ${label}`)}`
}
