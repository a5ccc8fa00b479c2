import type { Block, Origin, Page, Section } from './page.ts'

/** A heading between blocks, from readers that walk a tree or lines. Level 0 is the title of the page. */
export type Heading = Origin & { kind: 'heading'; text: string; level: number }
export type Piece = Block | Heading

/** Groups pieces in reading order into sections. The first heading is the title, unless one is given. */
export function buildPage(pieces: Piece[], title?: string): Page {
  const sections: Section[] = []
  let path: Heading[] = []
  let current: Section = { headings: [], line: 1, blocks: [] }
  let named = title !== undefined
  for (const piece of pieces) {
    if (piece.kind !== 'heading') {
      current.blocks.push(piece)
      continue
    }
    keep(sections, current)
    path = path.filter((above) => above.level < piece.level)
    if (named) path.push(piece)
    else title = piece.text
    named = true
    const { kind: _, text: __, level: ___, ...origin } = piece
    current = { headings: path.map(({ text }) => text), ...origin, blocks: [] }
  }
  keep(sections, current)
  return title === undefined ? { sections } : { title, sections }
}

function keep(sections: Section[], section: Section): void {
  if (section.blocks.length > 0 || section.headings.length > 0) sections.push(section)
}
