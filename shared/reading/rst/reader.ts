import { buildPage, type Piece } from '../page/build-page.ts'
import type { Reader, ReaderContext } from '../page/page.ts'
import { collectNames } from './collect-names.ts'
import { toLines } from './lines.ts'
import { readBlocks } from './read-blocks.ts'
import { readConf } from './read-conf.ts'
import type { RstState } from './rst-state.ts'

const maxIncludedChars = 5_000_000

const maxSubstitutedChars = 1_000_000

/** Reads reStructuredText of docutils and Sphinx. Keeps broken markup as prose. Never throws. */
export const rstReader: Reader = (text, context) => buildPage(readRst(text, context))

export function readRst(text: string, context: ReaderContext): Piece[] {
  const lines = toLines(text)
  const conf = readConf(context)
  const state: RstState = {
    context,
    files: [context.path],
    names: { targets: new Set(), substitutions: conf.substitutions, leftCharacters: maxSubstitutedChars },
    styles: [],
    language: conf.language,
    group: 0,
    groups: 0,
    budget: maxIncludedChars,
    depth: 0,
    read: readBlocks,
  }
  collectNames(toLines(conf.prolog), state.names)
  collectNames(lines, state.names)
  return readBlocks(lines, state)
}
