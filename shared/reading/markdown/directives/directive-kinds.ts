import { codeDirectives } from '../../rst/read-code.ts'

const words = (text: string): string[] => text.split(/\s+/)

/** Admonitions of docutils, whose argument is the start of their text. */
const plainAdmonitions = new Set(words('note warning tip hint important attention caution danger error seealso todo'))
const titled = new Set(
  words(
    `admonition topic sidebar margin aside dropdown details toggle card grid-item-card tab-item tab group-tab step example exercise solution
    proof theorem definition lemma applies-item abstract question success failure bug quote info check callout`,
  ),
)
const untitled = new Set(
  words(
    `grid grid-item tab-set tabs tab-set-code container div figure figure-md glossary epigraph highlights pull-quote compound stepper
    applies-switch carousel card-carousel button subscriptions only ifconfig centered table`,
  ),
)
const versions = new Map([
  ['versionadded', 'Added in version'],
  ['version-added', 'Added in version'],
  ['versionchanged', 'Changed in version'],
  ['deprecated', 'Deprecated since version'],
  ['versionremoved', 'Removed in version'],
])
const dropped = new Set(
  words(
    `toctree contents tableofcontents index genindex raw meta bibliography footbibliography currentmodule module py:currentmodule iframe video
    youtube sectnum settings comment`,
  ),
)

export const isPlainAdmonition = (name: string): boolean => plainAdmonitions.has(name)

/** A directive whose body is Markdown; `titled` if its argument is a title. */
export function isContainer(name: string): 'titled' | 'untitled' | undefined {
  if (titled.has(name) || plainAdmonitions.has(name) || name.startsWith('prf:')) return 'titled'
  return untitled.has(name) || versions.has(name) ? 'untitled' : undefined
}

/** The start of the title of a directive about a version. */
export const versionLead = (name: string): string | undefined => versions.get(name)

/** Directives that only the site generator needs. */
export const isDroppedDirective = (name: string): boolean => dropped.has(name)

/** The language of a directive that holds code; undefined if it holds something else. */
export function codeLanguage(name: string, argument: string): string | undefined {
  if (!codeDirectives.has(name)) return undefined
  const [first = ''] = argument.split(/\s/)
  return codeDirectives.get(name) ?? (/^ipython3?$/.test(first) ? 'python' : first)
}
