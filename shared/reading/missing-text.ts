import { type Snippet, snippetHash } from '../snippet.ts'
import type { Chunk } from './chunk.ts'

/** A chunk without a title or description, by the hash of its snippet. */
export type MissingText = { hash: string; title: boolean; description: boolean }

/** Titles and descriptions from a language model, by hash of the chunk; '' if the model gave none. */
export type Enrichments = Record<string, { title: string; description: string }>

const genericHeading =
  /^(?:(?:basic|simple|full|more|code|usage|another) )?(?:examples?|samples?|demos?|snippets?|code|listings?|output|untitled|misc|others?|notes?|step|part|section|chapter|figure)[\s\d.:#)-]*$|^\P{L}+$/iu
const minWords = 4

/**
 * A chunk lacks a title if its page is titled after the file name only, or if its heading is generic. It lacks a description if it has code
 * but almost no prose.
 */
export function missingText(chunk: Chunk, isPageTitled: boolean): MissingText | undefined {
  const heading = chunk.breadcrumb.at(-1) ?? ''
  const title = (chunk.breadcrumb.length === 1 && !isPageTitled) || genericHeading.test(heading.trim())
  const description = chunk.code.length > 0 && !hasWords(chunk.prose, minWords)
  return title || description ? { hash: snippetHash(chunk), title, description } : undefined
}

function hasWords(text: string, count: number): boolean {
  const word = /\p{L}{2,}/gu
  for (let wordCount = 0; wordCount < count; wordCount++) if (!word.test(text)) return false
  return true
}

/** Adds the title and description to a chunk. The author's heading stays in front of the title, and the content is kept. */
export function withEnrichments(chunk: Chunk, enrichments: Enrichments | undefined): Chunk {
  const enrichment = enrichments?.[snippetHash(chunk)]
  if (!enrichment) return chunk
  const { title, description } = enrichment
  const lead = description === '' ? '' : `${description}\n\n`
  return {
    ...chunk,
    breadcrumb: title === '' ? chunk.breadcrumb : titled(chunk.breadcrumb, title),
    content: lead + chunk.content,
    prose: lead + chunk.prose,
  }
}

function titled(breadcrumb: Snippet['breadcrumb'], title: string): string[] {
  const heading = breadcrumb.at(-1)
  return breadcrumb.length < 2 ? [...breadcrumb, title] : [...breadcrumb.slice(0, -1), `${heading}: ${title}`]
}
