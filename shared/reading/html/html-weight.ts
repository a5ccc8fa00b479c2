import { attribute, below, childrenOf, type HtmlNode, isChrome, isElement, isText, tagOf } from './html-node.ts'

/** The content of an element: characters outside links, and listings. */
export type HtmlWeight = { text: number; listings: number }
export type Weights = Map<HtmlNode, HtmlWeight>

/** Elements whose content is not text of the page. */
export const unreadTags = new Set(
  'script style noscript template head title meta link button input select svg canvas iframe object video audio'.split(' '),
)
const mainTags = new Set(['body', 'main', 'article'])
const sideTags = new Set(['nav', 'footer', 'form'])
const sideClass =
  /(^|\s)(sidebar|toc|toctree-wrapper|table-of-contents|breadcrumbs?|navbar|navigation|pagination|skip-link|sphinxsidebar)(\s|$)/i

/** Weighs each element of a page. Throws if the page is nested too deeply. */
export function weigh(root: HtmlNode): Weights {
  const weights: Weights = new Map()
  const visit = (node: HtmlNode, isLink: boolean, depth: number): HtmlWeight => {
    if (isText(node)) return { text: isLink ? 0 : (node.nodeValue ?? '').replace(/\s+/g, '').length, listings: 0 }
    const tag = tagOf(node)
    const weight = { text: 0, listings: tag === 'pre' ? 1 : 0 }
    if (unreadTags.has(tag) || isChrome(node)) return weight
    for (const child of childrenOf(node)) {
      const { text, listings } = visit(child, isLink || tag === 'a', below(depth))
      weight.text += text
      weight.listings += listings
    }
    weights.set(node, weight)
    return weight
  }
  visit(root, false, 0)
  return weights
}

/** True if an element is an aside: its tag, role or class says so, and it holds neither code nor most of the text. */
export function isAside(node: HtmlNode, root: HtmlNode, weights: Weights): boolean {
  const tag = tagOf(node)
  if (!isElement(node) || mainTags.has(tag)) return false
  const says = sideTags.has(tag) || attribute(node, 'role') === 'navigation' || sideClass.test(attribute(node, 'class'))
  return says && weights.get(node)?.listings === 0 && !holdsMost(node, root, weights)
}

const holdsMost = (node: HtmlNode, root: HtmlNode, weights: Weights): boolean =>
  (weights.get(node)?.text ?? 0) * 2 > (weights.get(root)?.text ?? 0)

/** True if the element holds most of the text and all of the code of the page. */
export function isMainPart(node: HtmlNode, root: HtmlNode, weights: Weights): boolean {
  const isEmpty = weights.get(root)?.text === 0
  return (isEmpty || holdsMost(node, root, weights)) && weights.get(node)?.listings === weights.get(root)?.listings
}
