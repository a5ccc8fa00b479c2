import { wordNumbers } from '../lexicon/word-numbers.ts'
import type { ChunkTerms } from './read-chunks.ts'

/** The sections of all folders as numbers of their words, most frequent first. */
export type ChunkCorpus = {
  words: string[]
  /** The number of sections that have each word. */
  chunks: number[]
  sections: { title: Uint32Array; prose: Uint32Array }[]
}

/** A word needs so many sections and folders, which keeps out typos and the names of one project. */
export type MinSeen = { minChunks: number; minFolders: number }

/** Bounds the memory for counting neighbours: 4 bytes for each pair of words. */
const maxWords = 10_000

/** Numbers the words of the sections in several folders. */
export async function chunkCorpus(
  folders: AsyncIterable<ChunkTerms>[],
  { minChunks, minFolders }: MinSeen,
): Promise<ChunkCorpus> {
  const numbers = wordNumbers()
  const chunks: number[] = []
  const folderCounts: number[] = []
  const lastFolder: number[] = []
  const sections: { title: Uint32Array; prose: Uint32Array }[] = []
  for (const [folder, read] of folders.entries()) {
    for await (const chunk of read) {
      const section = { title: numbers.add(chunk.title), prose: numbers.add(chunk.prose) }
      sections.push(section)
      for (const word of new Set([...section.title, ...section.prose])) {
        chunks[word] = (chunks[word] ?? 0) + 1
        if (lastFolder[word] !== folder) folderCounts[word] = (folderCounts[word] ?? 0) + 1
        lastFolder[word] = folder
      }
    }
  }
  const order = numbers.words
    .map((word, number) => ({ word, number, chunks: chunks[number] as number }))
    .filter((each) => each.chunks >= minChunks && (folderCounts[each.number] as number) >= minFolders)
    .sort((a, b) => b.chunks - a.chunks || (a.word < b.word ? -1 : 1))
    .slice(0, maxWords)
  const renumbered = new Map(order.map((each, i) => [each.number, i]))
  const apply = (all: Uint32Array) => Uint32Array.from([...all].flatMap((each) => renumbered.get(each) ?? []))
  return {
    words: order.map(({ word }) => word),
    chunks: order.map((each) => each.chunks),
    sections: sections.map(({ title, prose }) => ({ title: apply(title), prose: apply(prose) })),
  }
}
