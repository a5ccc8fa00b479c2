import { type Scope, scopeOf } from '../syntax/scope.ts'

/** The line that opens a container. `indent`: its content is indented below it; a character: its content ends at a run of that character. */
export type ContainerMarker = { kind: 'admonition' | 'tab' | 'block'; body: 'indent' | ':' | '/'; scope: Scope }

const maxMarker = 1000
const admonition = /^(?:!!!|\?\?\?\+?)[ \t]+([\w-]+)?(?:[ \t]+[\w-]+)*[ \t]*(?:"(.*)")?$/
const tab = /^===[+!]?[ \t]+["'](.*)["']$/
const colons = /^:{3,}[ \t]*(?:([A-Za-z][\w-]*)|\{\.?([A-Za-z][\w-]*)(?![\w-])([^}]*)\})(.*)/
const slashes = /^\/{3,}[ \t]*([A-Za-z][\w-]*)[ \t]*(?:\|[ \t]*(.*))?$/

/**
 * Reads `!!! note "Title"`, `??? tip`, `=== "Tab"`, `::: tip Title`, `:::note[Title]`, `:::{note} Title`, `::: {.callout-note}`,
 * `/// note | Title`, `/// tab | Tab`.
 */
export function readMarker(text: string): ContainerMarker | undefined {
  if (text.length > maxMarker) return undefined
  if (/^(?:!!!|\?\?\?)/.test(text)) {
    const match = admonition.exec(text)
    if (match)
      return { kind: 'admonition', body: 'indent', scope: { callout: true, title: match[2] ?? capitalized(match[1] ?? 'note') } }
  } else if (text.startsWith('===')) {
    const match = tab.exec(text)
    if (match) return { kind: 'tab', body: 'indent', scope: { label: tabLabel(match[1] ?? '') } }
  } else if (text.startsWith(':::')) {
    const [all, word, braced, attributes = '', rest = ''] = colons.exec(text) ?? []
    if (all !== undefined && !/^[.:/]/.test(rest))
      return { kind: 'block', body: ':', scope: colonScope(word ?? braced ?? '', attributes, rest) }
  } else if (text.startsWith('///')) {
    const [all, name = '', title] = slashes.exec(text) ?? []
    if (all !== undefined) return { kind: name === 'tab' ? 'tab' : 'block', body: '/', scope: slashScope(name, title?.trim()) }
  }
  return undefined
}

/** Icons of Material for MkDocs, `:octicons-file-code-16:`. */
const icon = /:(?:fontawesome|material|octicons|simple)-[\w-]+:/g

/** A tab is named as its site shows it: without the names of icons and the marks of code. */
const tabLabel = (text: string): string => text.replace(icon, '').replaceAll('`', '').trim() || text

function colonScope(word: string, attributes: string, rest: string): Scope {
  const name = word.replace(/^callout-/, '')
  const titleAttribute = /\btitle=["']([^"']*)["']/.exec(attributes + rest)?.[1]
  const title = titleAttribute ?? (/^\[([^\]]*)\]/.exec(rest)?.[1] ?? rest.replace(/\{[^}]*\}/g, '')).trim()
  return scopeOf(name, title ? { title } : {}) ?? {}
}

/** The argument of `html` and of captions is no title. */
function slashScope(name: string, title: string | undefined): Scope {
  if (/^(?:html|define)$|caption$/.test(name)) return {}
  return scopeOf(name, title ? { title } : {}) ?? {}
}

const capitalized = (word: string): string => word.charAt(0).toUpperCase() + word.slice(1)
