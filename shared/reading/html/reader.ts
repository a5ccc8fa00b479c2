import { parseHTML } from 'linkedom'
import { buildPage } from '../page/build-page.ts'
import type { Page, Reader } from '../page/page.ts'
import { attribute, elementsOf, type HtmlNode, oneLine, tagOf, verbatim } from './html-node.ts'
import { htmlPieces } from './html-pieces.ts'
import { isAside, isMainPart, type Weights, weigh } from './html-weight.ts'

/** The doctype is removed, since the parser's node for it has no sibling and would end a walk of the tree. */
const doctype = /<!doctype[^>]{0,1000}>/gi

/** Reads the main part of an HTML page, including content after its end tag. Throws if the page is nested too deeply. */
export const htmlReader: Reader = (text): Page => {
  const html = text.replace(doctype, '')
  const { document } = parseHTML(/<html[\s>]/i.test(html.slice(0, 4_096)) ? html : `<html><body>${html}</body></html>`)
  const root: HtmlNode = document
  const weights = weigh(root)
  const part = mainOf(root, weights) ?? root
  const pieces = htmlPieces(part, (node) => isAside(node, part, weights))
  const first = pieces.find((piece) => piece.kind === 'heading')
  return buildPage(pieces, first?.level === 1 ? undefined : titleOf(root))
}

/** The one element that is best marked as the main part; undefined if there is none, several, or much content outside it. */
function mainOf(root: HtmlNode, weights: Weights): HtmlNode | undefined {
  const candidates = [...elementsOf(root)].map((node) => ({ node, rank: rankOf(node) })).filter(({ rank }) => rank > 0)
  const best = candidates.reduce((max, { rank }) => Math.max(max, rank), 0)
  const [only, ...others] = candidates.filter(({ rank }) => rank === best)
  return only && others.length === 0 && isMainPart(only.node, root, weights) ? only.node : undefined
}

function rankOf(node: HtmlNode): number {
  const tag = tagOf(node)
  if (/(^|\s)markdown-body(\s|$)/.test(attribute(node, 'class'))) return 4
  if (attribute(node, 'role') === 'main') return 3
  return tag === 'main' ? 2 : tag === 'article' ? 1 : 0
}

function titleOf(root: HtmlNode): string | undefined {
  for (const node of elementsOf(root)) if (tagOf(node) === 'title') return oneLine(verbatim(node)) || undefined
  return undefined
}
