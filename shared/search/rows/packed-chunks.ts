import { optionalFields } from '../../snippet.ts'
import type { SnippetRow } from './snippet-store.ts'
import { type Texts, textAt, textsBuilder } from './texts.ts'

/** A row without the number of its page and its place there. */
export type AnalysedChunk = Omit<SnippetRow, 'page' | 'id' | 'vector'>

/** The chunks of one page, as bytes that pass between threads without being copied. */
export type PackedChunks = {
  hashes: string[]
  tokens: Int32Array<ArrayBuffer>
  /** 1 for a chunk with code. */
  hasCode: Uint8Array<ArrayBuffer>
  /** Index of the first heading of each chunk among the headings of all chunks, then the number of headings. */
  breadcrumbs: Int32Array<ArrayBuffer>
  /** The JSON of every chunk without its terms (empty for a chunk of which only the hash is known), then all terms, all addresses, all paths of pages, and all headings. */
  texts: Texts
}

/** A row as it is in JSON. `wordVector` is base64. */
export type PlainRow<Row> = Omit<Row, 'terms' | 'vector' | 'wordVector'> & { wordVector?: string }

export function packChunks(chunks: (AnalysedChunk | { hash: string })[]): PackedChunks {
  const texts = textsBuilder()
  const full = chunks.map((chunk) => ('terms' in chunk ? chunk : undefined))
  const breadcrumbs = new Int32Array(chunks.length + 1)
  full.forEach((chunk, i) => {
    breadcrumbs[i + 1] = (breadcrumbs[i] as number) + (chunk?.breadcrumb.length ?? 0)
  })
  for (const chunk of full) texts.add(chunk ? JSON.stringify(plain(chunk)) : '')
  for (const chunk of full) texts.add(chunk?.terms ?? '')
  for (const chunk of full) texts.add(chunk?.url ?? '')
  for (const chunk of full) texts.add(chunk?.includedBy ?? chunk?.path ?? '')
  for (const chunk of full) for (const heading of chunk?.breadcrumb ?? []) texts.add(heading)
  return {
    hashes: chunks.map(({ hash }) => hash),
    tokens: Int32Array.from(full, (chunk) => chunk?.tokens ?? 0),
    hasCode: Uint8Array.from(full, (chunk) => (chunk && chunk.code.length > 0 ? 1 : 0)),
    breadcrumbs,
    texts: texts.take(),
  }
}

/** The buffers to transfer, so that chunks pass to another thread without being copied. */
export const chunkBuffers = ({ texts: { starts, bytes } }: PackedChunks): ArrayBuffer[] => [starts.buffer, bytes.buffer]

export const isTextKnown = ({ texts: { starts } }: PackedChunks, index: number): boolean =>
  (starts[index] as number) < (starts[index + 1] as number)

/** Chunks with their texts; those at the positions that `isWanted` chooses. */
export function unpackChunks(chunks: PackedChunks, isWanted: (index: number) => boolean = () => true): AnalysedChunk[] {
  const length = chunks.hashes.length
  return chunks.hashes.flatMap((_, i) =>
    isWanted(i) && isTextKnown(chunks, i)
      ? [fromPlain<AnalysedChunk>(JSON.parse(textAt(chunks.texts, i)), textAt(chunks.texts, length + i))]
      : [],
  )
}

function plain({
  breadcrumb,
  content,
  code,
  path,
  url,
  topic,
  tokens,
  hash,
  section,
  lengths,
  wordVector,
  toCode,
  ...more
}: AnalysedChunk) {
  return {
    ...{ breadcrumb, content, code, path, url, topic, tokens, hash, section, lengths },
    ...optionalFields(more),
    ...(wordVector && {
      wordVector: Buffer.from(wordVector.buffer, wordVector.byteOffset, wordVector.length).toString('base64'),
    }),
    ...(toCode !== undefined && { toCode }),
  }
}

/** A row from its JSON and its terms. */
export const fromPlain = <Row extends { terms: string }>({ wordVector, ...row }: PlainRow<Row>, terms: string): Row =>
  ({
    ...row,
    terms,
    ...(wordVector !== undefined && { wordVector: new Int8Array(Buffer.from(wordVector, 'base64')) }),
  }) as unknown as Row
