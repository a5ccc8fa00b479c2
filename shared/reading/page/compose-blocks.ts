import type { Heading, Piece } from './build-page.ts'
import type { Block } from './page.ts'

const listItem = /^(- |\d{1,9}[.)] )/

/** A prose block, or none if the text is blank. */
export function prose(text: string, line: number): Piece[] {
  const trimmed = text.replace(/^\n+/, '').trimEnd()
  return trimmed === '' ? [] : [{ kind: 'prose', text: trimmed, line }]
}

/** Puts a lead in front of the first prose, or as a separate block before a list, a table or code. */
export function withLead(lead: string, pieces: Piece[], line: number, joint = ' '): Piece[] {
  const [first, ...rest] = pieces
  if (lead === '') return pieces
  if (first?.kind !== 'prose' || listItem.test(first.text) || first.text.startsWith('| '))
    return [...prose(lead, line), ...pieces]
  return [{ ...first, text: `${lead}${joint}${first.text}`, line }, ...rest]
}

/** Turns headings into bold lines, for places that cannot start a section. */
export function flatten(pieces: Piece[]): Piece[] {
  return pieces.map((piece) => (piece.kind === 'heading' ? flat(piece) : piece))
}

const flat = ({ text, line, file }: Heading): Block => ({
  kind: 'prose',
  text: `**${text}**`,
  line,
  ...(file !== undefined && { file }),
})

/** A list as Markdown: one prose block, interrupted only by the code in it. A marker includes its trailing space. */
export function listBlocks(items: { marker: string; pieces: Piece[] }[]): Piece[] {
  const blocks: Piece[] = []
  for (const { marker, pieces } of items) {
    const indent = ' '.repeat(marker.length)
    for (const [index, piece] of pieces.entries()) {
      const last = blocks.at(-1)
      const continues = last?.kind === 'prose'
      if (piece.kind !== 'prose') {
        blocks.push(piece)
        continue
      }
      const lead = index === 0 ? marker : continues ? indent : ''
      const text = lead === '' ? piece.text : `${lead}${piece.text.replaceAll('\n', `\n${indent}`)}`
      const joint = index === 0 || listItem.test(piece.text) ? '\n' : '\n\n'
      if (continues) blocks[blocks.length - 1] = { ...last, text: `${last.text}${joint}${text}` }
      else blocks.push({ ...piece, text })
    }
  }
  return blocks
}

/** The content of a tab: the tab's name labels its code, and precedes its prose as a bold line. */
export function tabBlocks(label: string, pieces: Piece[], group: number, line: number): Piece[] {
  const labelled = pieces.map((piece) => (piece.kind === 'code' ? { ...piece, label: piece.label ?? label, group } : piece))
  return pieces.every(({ kind }) => kind === 'code') ? labelled : [...prose(`**${label}**`, line), ...labelled]
}
