import { type Scope, scopeOf } from './scope.ts'

/** The line that opens a container. `byIndent`: its content is indented below it; else the content ends at `:::`. */
export type ContainerMarker = { kind: 'admonition' | 'tab' | 'colons'; byIndent: boolean; scope: Scope }

const maxMarker = 1000
const admonition = /^(?:!!!|\?\?\?\+?)[ \t]+([\w-]+)?(?:[ \t]+[\w-]+)*[ \t]*(?:"(.*)")?$/
const tab = /^===[+!]?[ \t]+["'](.*)["']$/
const colons = /^:{3,}[ \t]*(?:([A-Za-z][\w-]*)|\{\.?([A-Za-z][\w-]*)(?![\w-])([^}]*)\})(.*)/

/** Reads `!!! note "Title"`, `??? tip`, `=== "Tab"`, `::: tip Title`, `:::note[Title]`, `:::{note} Title`, `::: {.callout-note}`. */
export function readMarker(text: string): ContainerMarker | undefined {
  if (text.length > maxMarker) return undefined
  if (/^(?:!!!|\?\?\?)/.test(text)) {
    const match = admonition.exec(text)
    if (match)
      return { kind: 'admonition', byIndent: true, scope: { callout: true, title: match[2] ?? capitalized(match[1] ?? 'note') } }
  } else if (text.startsWith('===')) {
    const match = tab.exec(text)
    if (match) return { kind: 'tab', byIndent: true, scope: { label: match[1] } }
  } else if (text.startsWith(':::')) {
    const [all, word, braced, attributes = '', rest = ''] = colons.exec(text) ?? []
    if (all !== undefined && !/^[.:/]/.test(rest))
      return { kind: 'colons', byIndent: false, scope: colonScope(word ?? braced ?? '', attributes, rest) }
  }
  return undefined
}

function colonScope(word: string, attributes: string, rest: string): Scope {
  const name = word.replace(/^callout-/, '')
  const titleAttribute = /\btitle=["']([^"']*)["']/.exec(attributes + rest)?.[1]
  const title = titleAttribute ?? (/^\[([^\]]*)\]/.exec(rest)?.[1] ?? rest.replace(/\{[^}]*\}/g, '')).trim()
  return scopeOf(name, title ? { title } : {}) ?? {}
}

const capitalized = (word: string): string => word.charAt(0).toUpperCase() + word.slice(1)
