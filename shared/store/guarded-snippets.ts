import { dirname } from 'node:path'
import type { Log } from '../log.ts'
import type { SnippetStore } from '../search/rows/snippet-store.ts'
import { lanceSnippets } from './lance-snippets.ts'
import { probeGeneration } from './probe-generation.ts'
import { readGuard } from './read-guard.ts'

/** Snippets on a folder of a data directory. Content that ended the process is not read again. */
export function guardedSnippets(folder: string, log: Log): SnippetStore {
  return lanceSnippets(folder, {
    guard: readGuard(dirname(folder), (generation) => probeGeneration(folder, generation), log),
  })
}
