import type { ReaderContext } from '../../page/page.ts'
import { readRst } from '../../rst/reader.ts'
import { fenced, infoOf } from '../syntax/line.ts'

/** The reStructuredText of `eval-rst` as Markdown. */
export const readRstBody = (text: string, context: ReaderContext): string[] =>
  readRst(text, context).flatMap((piece) => {
    if (piece.kind === 'code') return [...fenced(piece.code.split('\n'), infoOf(piece.language, piece.label)), '']
    return [...(piece.kind === 'heading' ? `**${piece.text}**` : piece.text).split('\n'), '']
  })
