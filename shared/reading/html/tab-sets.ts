import { attribute, below, childrenOf, type HtmlNode, isElement, oneLine, tagOf, verbatim } from './html-node.ts'

/** One of several variants of a text or listing, such as the commands of package managers. */
type Tab = { label: string; panel: HtmlNode }

/** Material for MkDocs, VitePress, Docusaurus, sphinx-design, sphinx-tabs and sphinx-inline-tabs. */
const setClass = /(^|\s)(tabbed-set|vp-code-group|tabs-container|sd-tab-set|sphinx-tabs|tab-set)(\s|$)/
const labelClass = /(^|\s)(sd-tab-label|sphinx-tabs-tab)(\s|$)/
const panelClass = /(^|\s)(tabbed-block|sd-tab-content|sphinx-tabs-panel|tab-content)(\s|$)/

/** The tabs of a set of tabs, in order; undefined if the element is none, or if its labels and panels do not match. */
export function tabsOf(node: HtmlNode): Tab[] | undefined {
  if (!setClass.test(attribute(node, 'class')) && !hasTabList(node)) return undefined
  const labels: string[] = []
  const panels: HtmlNode[] = []
  const collect = (around: HtmlNode, depth: number): void => {
    for (const child of childrenOf(around)) {
      if (isPanel(child)) panels.push(child)
      else if (isLabel(child)) labels.push(oneLine([...childrenOf(child)].map((each) => verbatim(each)).join('')))
      else collect(child, below(depth))
    }
  }
  collect(node, 0)
  if (panels.length === 0 || labels.length !== panels.length) return undefined
  return panels.map((panel, i) => ({ label: labels[i] ?? '', panel }))
}

const hasTabList = (node: HtmlNode): boolean =>
  [...childrenOf(node)].some((child) => isElement(child) && attribute(child, 'role') === 'tablist')

const isLabel = (node: HtmlNode): boolean =>
  tagOf(node) === 'label' || attribute(node, 'role') === 'tab' || labelClass.test(attribute(node, 'class'))

function isPanel(node: HtmlNode): boolean {
  const { parentNode } = node
  if (attribute(node, 'role') === 'tabpanel' || panelClass.test(attribute(node, 'class'))) return true
  return parentNode !== null && tagOf(node) === 'div' && /(^|\s)blocks(\s|$)/.test(attribute(parentNode, 'class'))
}
