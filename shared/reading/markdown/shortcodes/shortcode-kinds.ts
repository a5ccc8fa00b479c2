import { type FilePart, readRanges } from '../syntax/file-part.ts'
import type { IncludeDirective } from '../syntax/include-directive.ts'
import { type Scope, scopeOf } from '../syntax/scope.ts'
import type { ShortcodeTag } from './shortcode-tag.ts'

const setOf = (text: string): Set<string> => new Set(text.split(/\s+/))

const listings = setOf(
  `highlight code codeblock code-block code-toggle prism prettify mermaid plantuml sourcecode codefence code-snippet command
  console-output terminal`,
)
const dropped = setOf('comment style schema javascript stylesheet')
const verbatim = setOf('raw verbatim')
/** Callouts whose kind is an argument. */
const generic = setOf('notice alert hint callout admonition blockquote-alert message alertbox pageinfo')
const tabSets = setOf('tabs tabpane tabpanes ui-tabs codetabs code-tabs tabgroup tab-group codegroup')
const tabNames = setOf('tab ui-tab codetab code-tab tab-item tabpanel')
const folding = setOf('details expand expandable collapse accordion spoiler folding')
/** Tags whose first argument is their text. */
const spoken = setOf('heading button btn badge kbd key keys term gloss glossary label abbr tooltip version')
const includes = setOf(
  'include include-markdown include_relative include-relative includes readfile partial code_sample codenew include_code literalinclude include-file',
)

/** Tags in whose body no other tag is read: it is code, is not part of the page, or is text that looks like tags. */
export const rawKind = ({ name }: ShortcodeTag): 'listing' | 'dropped' | 'verbatim' | undefined =>
  listings.has(name) ? 'listing' : dropped.has(name) ? 'dropped' : verbatim.has(name) ? 'verbatim' : undefined

/** True for a tab whose body is code: Docsy's, unless it is text, and Kubernetes' with a language. */
export function isListingTab({ name, named, isPlain }: ShortcodeTag, set: ShortcodeTag | undefined): boolean {
  if (name === 'card') return named.code === 'true'
  if (!tabNames.has(name)) return false
  if (named.codelang !== undefined) return true
  return isPlain && set?.name === 'tabpane' && named.text !== 'true' && set.named.text !== 'true'
}

/** Language and label of the code of a listing. */
export function listingInfo(tag: ShortcodeTag, set: ShortcodeTag | undefined, body: string): { language: string; label: string } {
  const { name, words, named } = tag
  const label = named.title ?? named.header ?? named.filename ?? named.file ?? named.caption ?? ''
  const [first = ''] = words
  const given = named.lang ?? named.language ?? named.codelang ?? set?.named.lang
  if (name === 'code-toggle') return { language: given ?? (/^\s*(?:\[|[\w.-]+\s*=)/.test(body) ? 'toml' : 'yaml'), label }
  if (name === 'codeblock') return hexoInfo(words, named)
  if (name === 'mermaid' || name === 'plantuml') return { language: name, label }
  const [, classes] = /\b(?:language|lang)-([\w+#-]+)/.exec(named.classes ?? named.class ?? '') ?? []
  const isWord = words.length > 0 && /^[\w+#-]{1,30}$/.test(first) && !isTab(tag)
  return { language: (given ?? classes ?? (isWord ? first : '')).toLowerCase(), label: label || (isTab(tag) ? first : '') }
}

/** `{% codeblock Title lang:js https://example.com %}` */
function hexoInfo(words: string[], named: Record<string, string>): { language: string; label: string } {
  const pair = (word: string) => /^(lang|line_number|line_threshold|highlight|first_line|mark|wrap|url):(.*)$/.exec(word)
  const language = words.map((word) => pair(word)).find((match) => match?.[1] === 'lang')?.[2] ?? named.lang ?? ''
  const link = words.findIndex((word) => /^https?:/.test(word))
  const title = (link < 0 ? words : words.slice(0, link)).filter((word) => !pair(word))
  return { language, label: title.join(' ') }
}

const isTab = ({ name }: ShortcodeTag): boolean => tabNames.has(name)

/** The effect of a tag on its body; undefined if it has none. */
export function shortcodeScope(tag: ShortcodeTag): Scope | undefined {
  const { name, words, named } = tag
  const title = named.title ?? named.header ?? named.heading ?? named.summary
  if (tabSets.has(name)) return { group: true }
  if (tabNames.has(name)) return { label: title ?? named.name ?? named.label ?? words.join(' ') }
  if (name === 'code') return title === undefined ? undefined : { label: title }
  if (folding.has(name)) return { title: title ?? words[0] ?? 'Details' }
  if (generic.has(name)) return { callout: true, title: title || kindOf(tag) }
  const scope = scopeOf(name, title === undefined ? {} : { title })
  return scope?.callout && title === undefined && words.length > 1 ? { ...scope, title: words.at(-1) } : scope
}

function kindOf({ words, named }: ShortcodeTag): string {
  const kind = (named.style ?? named.type ?? named.color ?? named.status ?? words[0] ?? 'note').toLowerCase()
  const plain = /^(?:primary|secondary|default|dark|light|blue|grey|gray)$/.test(kind) || !/^[a-z]+$/.test(kind) ? 'note' : kind
  return plain.charAt(0).toUpperCase() + plain.slice(1)
}

/** The text that a tag without a body gives to its sentence. */
export function shortcodeText({ name, words, named }: ShortcodeTag): string {
  const [first = ''] = words
  if (/^(?:new|deprecated|added|removed)-in$/.test(name))
    return first === '' ? '' : `${name.charAt(0).toUpperCase()}${name.slice(1, -3)} in ${first}`
  if (name === 'figure' || name === 'image' || name === 'img') return named.caption ?? named.title ?? named.alt ?? ''
  if (/^glossary/.test(name)) return named.text ?? named.term ?? (named.term_id ?? first).replaceAll('-', ' ')
  return named.text ?? (spoken.has(name) ? (named.label ?? named.name ?? first) : '')
}

/** The file that a tag includes; undefined for any other tag. */
export function shortcodeInclude({ name, words, named }: ShortcodeTag): IncludeDirective | undefined {
  const [first = ''] = words
  if (name === 'data')
    return first.startsWith('reusables.') ? { path: `/data/${first.replaceAll('.', '/')}.md`, part: {} } : undefined
  const path = named.file ?? named.path ?? named.src ?? (name === 'include_code' ? words.at(-1) : first) ?? ''
  if (!includes.has(name) || path === '') return undefined
  const language = named.lang ?? named.language
  const label = named.title ?? ''
  const isCode = named.code === 'true' || /^(?:code_sample|codenew|include_code|literalinclude)$/.test(name)
  if (isCode)
    return {
      path: `${/^code/.test(name) ? 'examples/' : ''}${path}`,
      part: {},
      listing: { label, ...(language && { language }) },
    }
  return /\.(?:[qr]?md|markdown|mdx|mdown|mkd|mdoc|txt|rst)$/i.test(path) ? { path, part: partOf(named) } : undefined
}

/** `start` and `end` of include-markdown are texts around the part, as in docutils. */
function partOf({ start, end, lines }: Record<string, string>): FilePart {
  if (lines !== undefined && /^[\d:,-]+$/.test(lines)) return { ranges: readRanges(lines.replaceAll('-', ':'), ':') }
  if (start === undefined && end === undefined) return {}
  return {
    options: new Map([...(start ? [['start-after', start] as const] : []), ...(end ? [['end-before', end] as const] : [])]),
  }
}
