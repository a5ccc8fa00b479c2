import { html } from 'hono/html'
import { assetPath } from './assets.ts'
import type { Html } from './parts.ts'

type Page = {
  /** The address of the service. */
  site: string
  title: string
  description: string
  /** The path that search engines should list; absent for pages that they should not. */
  path?: string
  /** The library whose view the page reports. */
  counted?: string | undefined
  /** The words in the search field of the header; absent if the page has a field of its own. */
  search?: string
}

/** A whole page. It works without the script, which copies code and reports the view. */
export const layout = ({ site, title, description, path, counted, search }: Page, body: Html): Html => html`<!doctype html>
<html lang="en">
<head>
<meta charset="utf-8">
<meta name="viewport" content="width=device-width, initial-scale=1">
<meta name="color-scheme" content="light dark">
<title>${title}</title>
<meta name="description" content="${description}">
${
  path === undefined
    ? html`<meta name="robots" content="noindex">`
    : html`<link rel="canonical" href="${site}${path}">
<meta property="og:url" content="${site}${path}">`
}
<meta property="og:type" content="website">
<meta property="og:site_name" content="Carrel">
<meta property="og:title" content="${title}">
<meta property="og:description" content="${description}">
<meta name="twitter:card" content="summary">
<link rel="icon" href="${assetPath('icon.svg')}" type="image/svg+xml">
<link rel="stylesheet" href="${assetPath('pages.css')}">
<script src="${assetPath('pages.js')}" defer${counted === undefined ? '' : html` data-library="${counted}"`}></script>
</head>
<body>
<a class="skip" href="#main">Skip to the content</a>
<header class="bar">
<a class="brand" href="/"><img src="${assetPath('icon.svg')}" alt="" width="24" height="24">Carrel</a>
${search === undefined ? '' : searchForm(search, 'Search libraries')}
<nav aria-label="Service"><a href="/#connect">Connect</a><a href="/api/openapi.json">API</a></nav>
</header>
<main id="main" tabindex="-1">
${body}
</main>
<footer><p>Documentation belongs to its authors. Carrel shows it with its sources.</p>
<nav class="legal" aria-label="Legal"><a href="/terms">Terms</a><a href="/privacy">Privacy</a><a href="/takedown">Remove documentation</a></nav></footer>
</body>
</html>`

/** The search over libraries. */
export const searchForm = (words: string, label: string): Html => html`<form class="search" action="/" role="search">
<input type="search" name="q" value="${words}" aria-label="${label}" placeholder="${label}" maxlength="500" required>
<button>Search</button>
</form>`
