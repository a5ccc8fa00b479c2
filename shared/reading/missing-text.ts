import { type Snippet, snippetHash } from '../snippet.ts'
import type { Unit } from './chunk.ts'

/** What a unit does not say of itself, by the hash of its snippet. */
export type MissingText = { hash: string; title: boolean; description: boolean }

/** What a language model says of units that lack it, by their hashes; '' where it says nothing. */
export type Enrichments = Record<string, { title: string; description: string }>

const genericHeading =
  /^(?:(?:basic|simple|full|more|code|usage|another) )?(?:examples?|samples?|demos?|snippets?|code|listings?|output|untitled|misc|others?|notes?|step|part|section|chapter|figure)[\s\d.:#)-]*$|^\P{L}+$/iu
const minWords = 4

/**
 * A unit has no title of its own where its page has none but the file's name, or where its heading could stand over anything; it has no
 * description where it is code that nobody says a word about.
 */
export function missingText(unit: Unit, isPageTitled: boolean): MissingText | undefined {
  const heading = unit.breadcrumb.at(-1) ?? ''
  const title = (unit.breadcrumb.length === 1 && !isPageTitled) || genericHeading.test(heading.trim())
  const description = unit.code.length > 0 && (unit.prose.match(/\p{L}{2,}/gu)?.length ?? 0) < minWords
  return title || description ? { hash: snippetHash(unit), title, description } : undefined
}

/** A unit with what is said of it: the author's heading stays before a title, and nothing of the content goes. */
export function withEnrichments(unit: Unit, enrichments: Enrichments | undefined): Unit {
  const said = enrichments?.[snippetHash(unit)]
  if (!said) return unit
  const { title, description } = said
  const before = description === '' ? '' : `${description}\n\n`
  return {
    ...unit,
    breadcrumb: title === '' ? unit.breadcrumb : titled(unit.breadcrumb, title),
    content: before + unit.content,
    prose: before + unit.prose,
  }
}

function titled(breadcrumb: Snippet['breadcrumb'], title: string): string[] {
  const heading = breadcrumb.at(-1)
  return breadcrumb.length < 2 ? [...breadcrumb, title] : [...breadcrumb.slice(0, -1), `${heading}: ${title}`]
}
