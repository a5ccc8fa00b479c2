import { html } from 'hono/html'
import type { HtmlEscapedString } from 'hono/utils/html'
import { countOf } from '../../shared/text/figures.ts'

/** A part of a page. Its texts are escaped. Nothing in it is loaded later. */
export type Html = HtmlEscapedString | Promise<HtmlEscapedString>

/** Code with a button to copy it, which appears with the script. */
export const codeBlock = (code: string, label = 'Code'): Html =>
  html`<div class="code"><pre tabindex="0" role="group" aria-label="${label}" dir="ltr"><code>${code.replace(/\n$/, '')}</code></pre><button type="button" data-copy hidden>Copy</button></div>`

const day = new Intl.DateTimeFormat('en-GB', { dateStyle: 'medium', timeZone: 'UTC' })
const dayMs = 86_400_000

/** A date with its age. */
export function datePart(iso: string, now: Date): Html {
  const date = new Date(iso)
  if (Number.isNaN(date.getTime())) return html`unknown`
  const days = Math.floor((now.getTime() - date.getTime()) / dayMs)
  return html`<time datetime="${date.toISOString()}">${day.format(date)}</time> <span class="soft">(${ageOf(days)})</span>`
}

function ageOf(days: number): string {
  if (days < 1) return 'today'
  if (days < 60) return `${countOf(days, 'day')} ago`
  return days < 730 ? `${countOf(Math.floor(days / 30.44), 'month')} ago` : `${countOf(Math.floor(days / 365.25), 'year')} ago`
}
