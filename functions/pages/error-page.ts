import { html } from 'hono/html'
import { layout } from './layout.ts'
import type { Html } from './parts.ts'

/** A page for a request that failed. `message` is a sentence for people. */
export function errorPage(site: string, status: number, message: string): Html {
  const title = status === 404 ? 'Not found' : status === 429 ? 'Too many requests' : 'This page cannot be shown'
  const body = html`<div class="head"><h1>${title}</h1><p role="alert" dir="auto">${message}</p>
<p><a href="/">Search the libraries</a>${status >= 500 ? ', or reload the page in a few seconds' : ''}.</p></div>`
  return layout({ site, title: `${title} – Carrel`, description: title, search: '' }, body)
}
