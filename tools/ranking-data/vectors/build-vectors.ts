import { UsageError } from '../../../shared/cli/usage-error.ts'
import type { Report } from '../report.ts'
import { associations } from './associations.ts'
import { chunkCorpus } from './chunk-corpus.ts'
import { readChunks } from './read-chunks.ts'
import { truncatedSvd } from './truncated-svd.ts'
import { wordVectors } from './word-vectors.ts'
import { writeVectors } from './write-vectors.ts'

export type VectorsOptions = {
  out: string
  dimensions: number
  /** Sections that are read of one folder. */
  maxChunks: number
  minChunks: number
  minFolders: number
}

/** Learns word vectors from the documentation in folders, and writes model.json, vectors.i8 and weights.f32. Throws a usage error. */
export async function buildVectors(folders: string[], options: VectorsOptions, report: Report): Promise<void> {
  const { out, dimensions, maxChunks } = options
  const corpus = await chunkCorpus(
    folders.map((folder) => readChunks(folder, maxChunks, report)),
    options,
  )
  const { words, chunks, sections } = corpus
  if (words.length < dimensions)
    throw new UsageError(
      `Only ${words.length} words occur in ${options.minChunks} sections and ${options.minFolders} folders. Name more documentation, or lower --dimensions, --min-chunks or --min-folders.`,
    )
  report(`${words.length} words from ${sections.length} sections`)
  const vectors = wordVectors(truncatedSvd(associations(corpus), dimensions), chunks, sections.length)
  writeVectors(out, { words, chunks, totalChunks: sections.length }, vectors)
}
