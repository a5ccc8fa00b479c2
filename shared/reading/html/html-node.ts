/** What of a parsed page its reader looks at. */
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
const deepest = 500

/** Line numbers, copy buttons and the small links beside headings: drawn by a site generator, not written by anyone. */
const chromeClass =
  /(^|\s)(headerlink|(doc-)?anchor(-link)?|hash-link|copybtn|copy-button|gutter|line-?nos?|linenodiv|line-numbers-rows|hljs-ln-numbers|sr-only|visually-hidden)(\s|$)/

export const isElement = (node: HtmlNode): boolean => node.nodeType === elementType
export const isText = (node: HtmlNode): boolean => node.nodeType === textType
export const tagOf = (node: HtmlNode): string => node.nodeName.toLowerCase()
export const attribute = (node: HtmlNode, name: string): string => node.getAttribute?.(name) ?? ''
export const isChrome = (node: HtmlNode): boolean => chromeClass.test(attribute(node, 'class'))
export const oneLine = (text: string): string => text.replace(/\s+/g, ' ').trim()

export function* childrenOf(node: HtmlNode): Generator<HtmlNode> {
  for (let child = node.firstChild; child !== null; child = child.nextSibling) yield child
}

/** All elements from `root` on in the order of the page, however deep they lie. */
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

/** The next depth. Throws where a tree is nested so deep that walking it could overflow the stack. */
export function below(depth: number): number {
  if (depth >= deepest) throw new Error(`the HTML is nested more than ${deepest} levels deep`)
  return depth + 1
}

/** The text of a node as it is written, line breaks kept. */
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
