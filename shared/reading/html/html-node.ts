/** The part of a DOM node that the reader uses. */
export type HtmlNode = {
  readonly nodeType: number
  readonly nodeName: string
  readonly nodeValue: string | null
  readonly firstChild: HtmlNode | null
  readonly nextSibling: HtmlNode | null
  readonly parentNode: HtmlNode | null
  getAttribute?(name: string): string | null
}

const elementType = 1
const textType = 3
const maxDepth = 500

/** Line numbers, copy buttons and links to source files, which site generators add. */
const chromeClass =
  /(^|\s)(copybtn|copy-button|gutter|line-?nos?|linenodiv|line-numbers-(rows|wrapper)|hljs-ln-numbers|viewcode-link|sr-only|visually-hidden)(\s|$)/

/** Links of headings to themselves. Docusaurus names headings so, too, and Prism `^` and `$` in regular expressions. */
const ownLinkClass = /(^|\s)(headerlink|header-anchor|(doc-)?anchor(-link)?|hash-link)(\s|$)/
const ownLinkWords = /^(?:permalink|permanent link|direct link|link to|copy link|anchor)\b/i
/** Links of footnotes to their place. */
const footnoteLinkClass = /(^|\s)(data-)?footnote-backref(\s|$)/

export const isElement = (node: HtmlNode): boolean => node.nodeType === elementType
export const isText = (node: HtmlNode): boolean => node.nodeType === textType
export const tagOf = (node: HtmlNode): string => node.nodeName.toLowerCase()
export const attribute = (node: HtmlNode, name: string): string => node.getAttribute?.(name) ?? ''
export const hasAttribute = (node: HtmlNode, name: string): boolean => (node.getAttribute?.(name) ?? null) !== null
export const isChrome = (node: HtmlNode): boolean =>
  chromeClass.test(attribute(node, 'class')) || isOwnLink(node) || isLanguageLabel(node)
export const oneLine = (text: string): string => text.replace(/\s+/g, ' ').trim()

function isOwnLink(node: HtmlNode): boolean {
  if (tagOf(node) !== 'a') return false
  const names = attribute(node, 'class')
  return footnoteLinkClass.test(names) || (ownLinkClass.test(names) && isLabelOfLink(shownText(node)))
}

/** False for the words of a heading that is a link to itself, as in VuePress, and of a link in a sentence. */
const isLabelOfLink = (text: string): boolean => !/[\p{L}\p{N}]/u.test(text) || ownLinkWords.test(text.trim())

/** The text of an element without that of its chrome, as far as needed to tell what it is. */
function shownText(root: HtmlNode): string {
  let text = ''
  const isHidden = (node: HtmlNode): boolean => chromeClass.test(attribute(node, 'class'))
  const open = [root]
  for (let node = open.pop(); node !== undefined && text.length < 100; node = open.pop()) {
    if (isText(node)) text += node.nodeValue ?? ''
    else if (node === root || !isHidden(node)) for (const child of [...childrenOf(node)].reverse()) open.push(child)
  }
  return text
}

/** VitePress writes the language above its code: `<div class="language-ts"><span class="lang">ts</span><pre>`. */
const isLanguageLabel = (node: HtmlNode): boolean =>
  attribute(node, 'class') === 'lang' && node.parentNode !== null && /(^|\s)language-/.test(attribute(node.parentNode, 'class'))

export function* childrenOf(node: HtmlNode): Generator<HtmlNode> {
  for (let child = node.firstChild; child !== null; child = child.nextSibling) yield child
}

/** All elements below `root` and itself, in document order, without recursion. */
export function* elementsOf(root: HtmlNode): Generator<HtmlNode> {
  let node: HtmlNode | null = root
  while (node !== null) {
    if (isElement(node)) yield node
    let next: HtmlNode | null = node.firstChild
    while (next === null && node !== null && node !== root) {
      next = node.nextSibling
      if (next === null) node = node.parentNode
    }
    node = next
  }
}

/** The next depth. Throws if the tree is so deep that recursion could overflow the stack. */
export function below(depth: number): number {
  if (depth >= maxDepth) throw new Error(`the HTML is nested more than ${maxDepth} levels deep`)
  return depth + 1
}

/** The text of a node with its line breaks. */
export function verbatim(node: HtmlNode, depth = 0): string {
  if (isText(node)) return node.nodeValue ?? ''
  if (!isElement(node) || isChrome(node)) return ''
  const tag = tagOf(node)
  if (tag === 'br') return '\n'
  if (tag === 'button' || tag === 'script' || tag === 'style') return ''
  let text = ''
  for (const child of childrenOf(node)) text += verbatim(child, below(depth))
  return text
}
