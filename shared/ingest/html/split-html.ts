import { parseHTML } from 'linkedom'
import type { Page, Reader } from '../page.ts'
import { buildPage } from '../page-builder.ts'
import { htmlPieces } from './html-pieces.ts'
import { attribute, elementsOf, type HtmlNode, oneLine, tagOf, verbatim } from './html-tree.ts'

/** Reads the main part of an HTML page. Throws where it is nested too deep. */
export const splitHtml: Reader = (text): Page => {
  const { document } = parseHTML(/<html[\s>]/i.test(text.slice(0, 4_096)) ? text : `<html><body>${text}</body></html>`)
  const root: HtmlNode = document.documentElement
  const pieces = htmlPieces(mainOf(root) ?? root)
  const first = pieces.find((piece) => piece.kind === 'heading')
  return buildPage(pieces, first?.level === 1 ? undefined : titleOf(root))
}

/** The one element that says best that it is the main part; undefined where none does, or several do. */
function mainOf(root: HtmlNode): HtmlNode | undefined {
  const candidates = [...elementsOf(root)].map((node) => ({ node, rank: rankOf(node) })).filter(({ rank }) => rank > 0)
  const best = candidates.reduce((highest, { rank }) => Math.max(highest, rank), 0)
  const [only, ...others] = candidates.filter(({ rank }) => rank === best)
  return others.length === 0 ? only?.node : undefined
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
