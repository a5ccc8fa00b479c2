import { html } from 'hono/html'
import { type ClientName, clientNames, clients, setupCommand } from '../../shared/web/connect/clients.ts'
import { codeBlock, type Html } from './parts.ts'

/** How AI clients are connected to the service. */
export const connectSection = (site: string): Html => html`<section id="connect" aria-labelledby="connect-title">
<h2 id="connect-title">Connect your agent</h2>
<p>The address of the MCP server is <code>${site}/mcp</code>. It needs no key; a key has higher limits.</p>
${clientNames.map((name) => clientPart(site, name))}
</section>`

function clientPart(site: string, name: ClientName): Html {
  const { label, file, configuration, command, check } = clients[name]
  const url = `${site}/mcp`
  const setup = setupCommand(name, site)
  return html`<details name="client">
<summary>${label}</summary>
${setup === undefined ? '' : html`<p>Run the setup, which needs Node:</p>${codeBlock(setup, `Setup of ${label}`)}`}
${command === undefined ? '' : html`<p>${setup === undefined ? 'Add' : 'Or add'} the server by hand:</p>${codeBlock(command(url), `Command of ${label}`)}`}
<p>${setup === undefined && command === undefined ? 'Write' : 'Or write'} this into ${file === undefined ? 'the configuration of the client' : html`<code>${file}</code>`}:</p>
${codeBlock(configuration(url, undefined), `Configuration of ${label}`)}
<p class="soft">${check}</p>
</details>`
}
