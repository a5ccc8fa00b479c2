/** The effect of a container (admonition, tab, JSX component, `:::` block) on the blocks inside it. */
export type Scope = {
  /** A bold line at the start of the container. */
  title?: string
  /** Name of a tab: the label of its code, or a bold line if it starts with prose. */
  label?: string
  /** The tabs or listings inside are variants of one example. */
  group?: boolean
  /** Names of the tabs inside, if the group lists them instead of the tabs. */
  labels?: string[]
  /** Headings inside belong to the container, not to the page. */
  callout?: boolean
}

/** The start (with a scope) or the end (without) of a container. */
export type Mark = { name: string; scope?: Scope }

type Attributes = Record<string, string>

const groups = new Set([
  'codegroup',
  'code-group',
  'tabs',
  'tab-set',
  'tabset',
  'codetabs',
  'codeblocktabs',
  'multicode',
  'panel-tabset',
])
const tabs = new Set(['tab', 'group-tab', 'tabitem', 'tab-item', 'tabpanel', 'codeblocktab', 'codegroupitem', 'code-group-item'])
const callouts = new Set(
  `note tip info warning danger caution important hint success failure bug example quote abstract question check callout
  admonition aside alert seealso error attention`.split(/\s+/),
)
const fields = new Set(['paramfield', 'responsefield', 'property', 'apifield', 'param'])

/** The scope of an HTML element, a JSX component or a `:::` container; undefined if it has no effect on its blocks. */
export function scopeOf(name: string, attributes: Attributes): Scope | undefined {
  const kind = (name.split('.').at(-1) ?? '').toLowerCase()
  const title = attributes.title ?? attributes.header
  if (groups.has(kind)) return { group: true, labels: quoted(attributes.items), ...(title ? { title } : {}) }
  if (tabs.has(kind)) return { label: title ?? attributes.label ?? attributes.value ?? attributes.name ?? attributes.tab }
  if (callouts.has(kind)) return { callout: true, title: title || calloutTitle(kind, attributes.type) }
  if (fields.has(kind)) return fieldScope(attributes) ?? (title ? { title } : undefined)
  return title ? { title } : undefined
}

const calloutTitle = (kind: string, type = ''): string =>
  kind === 'seealso'
    ? 'See also'
    : capitalized(['callout', 'admonition', 'aside', 'alert'].includes(kind) ? type || 'note' : kind)

const capitalized = (word: string): string => word.charAt(0).toUpperCase() + word.slice(1)

const fieldNames = ['name', 'path', 'query', 'body', 'header']

function fieldScope(attributes: Attributes): Scope | undefined {
  const name = fieldNames.map((key) => attributes[key]).find(Boolean)
  if (name === undefined) return undefined
  const facts = [attributes.type, 'required' in attributes ? 'required' : undefined].filter(Boolean)
  return { title: facts.length > 0 ? `${name} (${facts.join(', ')})` : name }
}

const quoted = (list = ''): string[] => [...list.matchAll(/["'`]([^"'`]+)["'`]/g)].map(([, item = '']) => item)
