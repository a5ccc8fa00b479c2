import { buildPage, type Piece } from '../page/build-page.ts'
import type { Page } from '../page/page.ts'
import type { FrontMatter } from './front-matter.ts'

/** Builds a page whose title comes from front matter, else from the first top heading. */
export function markdownPage(pieces: Piece[], front: FrontMatter): Page {
  const top = pieces.find((piece) => piece.kind === 'heading' && piece.level === 1)
  const first = pieces.find((piece) => piece.kind === 'heading')
  const topText = top?.kind === 'heading' ? top.text : undefined
  const title = front.title ?? topText
  const repeated = top !== undefined && top === first && topText === title ? top : undefined
  const lead: Piece[] = front.description ? [{ kind: 'prose', text: front.description, line: 1 }] : []
  const { sections } = buildPage([...lead, ...pieces.filter((piece) => piece !== repeated)], title ?? '')
  return title === undefined ? { sections } : { title, sections }
}
