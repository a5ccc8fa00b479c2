import { readFile } from 'node:fs/promises'
import { html } from 'hono/html'
import { layout } from './layout.ts'
import { operatorMarkdown } from './markdown.ts'
import type { Html } from './parts.ts'

const titles = { terms: 'Terms', privacy: 'Privacy' }

export type TextName = keyof typeof titles
/** The path of the Markdown of each text. */
type Texts = Record<TextName, string>

export const textNames = Object.keys(titles) as TextName[]

/** The page of a text of the operator. It has the heading of the text, if the text begins with one. */
export async function textPage({ texts }: { texts: Texts }, { site, name }: { site: string; name: TextName }): Promise<Html> {
  const text = (await readFile(texts[name], 'utf8')).trimStart()
  const title = titles[name]
  const heading = /^#\s/.test(text) ? '' : html`<h1>${title}</h1>`
  const body = html`<article class="head text">${heading}${operatorMarkdown(text)}</article>`
  return layout({ site, title: `${title} – Carrel`, description: `${title} of this service`, path: `/${name}`, search: '' }, body)
}
