import { buildPage } from '../page/build-page.ts'
import type { Reader } from '../page/page.ts'
import { collectNames } from './collect-names.ts'
import { toLines } from './lines.ts'
import { readBlocks } from './read-blocks.ts'
import type { RstState } from './rst-state.ts'

const includedCharacters = 5_000_000

const substitutedCharacters = 1_000_000

/** Reads reStructuredText as docutils and Sphinx write it. Broken markup is kept as prose; it never throws. */
export const rstReader: Reader = (text, context) => {
  const lines = toLines(text)
  const state: RstState = {
    context,
    files: [context.path],
    names: { targets: new Set(), substitutions: new Map(), room: substitutedCharacters },
    styles: [],
    language: '',
    group: 0,
    groups: 0,
    budget: includedCharacters,
    depth: 0,
    read: readBlocks,
  }
  collectNames(lines, state.names)
  return buildPage(readBlocks(lines, state))
}
