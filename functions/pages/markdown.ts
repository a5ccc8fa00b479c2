import { html, raw } from 'hono/html'
import MarkdownIt, { type Token } from 'markdown-it'
import { hostOf, isWebAddress, strangerRel } from '../../shared/web/snippet/stranger-address.ts'
import { codeBlock, type Html } from './parts.ts'

/** Longer snippets are shown as their Markdown: rendering them would delay other callers. */
const maxChars = 10_000

/** The Markdown of strangers: HTML in it is shown as text, images as their descriptions, and links with their host. */
export function strangerMarkdown(content: string): Html {
  if (content.length > maxChars) return codeBlock(content)
  return html`<div class="markdown" dir="auto">${raw(markdown.render(content))}</div>`
}

/** The operator's Markdown, with headings and links to any page. HTML in it is shown as text. */
export const operatorMarkdown = (content: string): Html => html`<div class="markdown">${raw(operators.render(content))}</div>`

const operators = new MarkdownIt('default', { html: false, linkify: true, maxNesting: 20 })
const markdown = new MarkdownIt('default', { html: false, maxNesting: 20 })
const { escapeHtml } = markdown.utils

// Decided below, so that a link which opens nothing is shown without its address.
markdown.validateLink = () => true

const hrefOf = (token: Token | undefined): string | undefined => {
  const href = String(token?.attrGet('href') ?? '')
  return isWebAddress(href) ? href : undefined
}

/** Wide tables scroll in themselves, and the keyboard must reach what scrolls. */
const tables = {
  table_open: () => '<div class="scroll" tabindex="0" role="group" aria-label="Table"><table>',
  table_close: () => '</table></div>',
}

Object.assign(operators.renderer.rules, tables)
Object.assign(markdown.renderer.rules, {
  link_open(tokens: Token[], i: number) {
    const href = hrefOf(tokens[i])
    return href === undefined ? '<span>' : `<a href="${escapeHtml(href)}" rel="${strangerRel}" title="${escapeHtml(href)}">`
  },
  link_close(tokens: Token[], i: number) {
    let opened = i
    while (opened > 0 && tokens[opened]?.type !== 'link_open') opened -= 1
    const href = hrefOf(tokens[opened])
    if (href === undefined) return '</span>'
    const text = tokens
      .slice(opened, i)
      .map((token) => token.content)
      .join('')
    return `</a>${text === href ? '' : ` <bdi class="host">(${escapeHtml(hostOf(href))})</bdi>`}`
  },
  image: (tokens: Token[], i: number) =>
    `<em class="image">[image${tokens[i]?.content ? `: ${escapeHtml(tokens[i].content)}` : ''}]</em>`,
  // A snippet is a part of our page, so its headings are no headings of the page.
  heading_open: () => '<p class="heading">',
  heading_close: () => '</p>',
  ...tables,
  fence: (tokens: Token[], i: number) => String(codeBlock(tokens[i]?.content ?? '')),
  code_block: (tokens: Token[], i: number) => String(codeBlock(tokens[i]?.content ?? '')),
})
