import { html } from 'hono/html'
import { maxReasonChars } from '../takedown/takedown-requests.ts'
import { layout } from './layout.ts'
import type { Html } from './parts.ts'

/** The values of the form's fields. */
export type TakedownForm = { library?: string | undefined; reason?: string | undefined; contact?: string | undefined }

const title = 'Remove documentation'

type Shown = { site: string; form?: TakedownForm; error?: string | undefined }

/** The form that asks the operator to remove a library. `error` says what is wrong with the values in it. */
export function takedownPage({ site, form = {}, error }: Shown): Html {
  const { library = '', reason = '', contact = '' } = form
  const body = html`<div class="head"><h1>${title}</h1>
<p>If you own the repository, write <code>"disallowIndexing": true</code> into <code>carrel.json</code> in the root of its default
branch. It is removed within a day, without this form, and not added again.</p>
<p>Everybody else asks the operator of this service, who decides:</p></div>
${error === undefined ? '' : html`<p role="alert" dir="auto">${error}</p>`}
<form class="fields" action="/takedown" method="post">
<label for="library">Library, as /owner/repo</label>
<input id="library" name="library" value="${library}" maxlength="500" required>
<label for="reason">Reason, and your right to ask for that</label>
<textarea id="reason" name="reason" rows="8" maxlength="${maxReasonChars}" required>
${reason}</textarea>
<label for="contact">Contact: your e-mail address, for the operator only</label>
<input id="contact" name="contact" type="email" value="${contact}" maxlength="254" autocomplete="email" required>
<button>Send</button>
</form>`
  const isPlain = error === undefined && form.library === undefined
  return layout({ site, title: `${title} – Carrel`, description: title, ...(isPlain && { path: '/takedown' }), search: '' }, body)
}

/** The page after the form was sent. */
export function takedownSentPage(site: string, message: string): Html {
  const sent = 'Your request was sent'
  const body = html`<div class="head"><h1>${sent}</h1><p role="status">${message}</p><p><a href="/">Search the libraries</a>.</p></div>`
  return layout({ site, title: `${sent} – Carrel`, description: sent, search: '' }, body)
}
