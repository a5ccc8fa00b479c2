import { optionalFields, pagePathOf } from '../../snippet.ts'
import type { PageSection } from '../statistics/copies.ts'
import { type CodeChars, codeChars } from './code-languages.ts'
import type { SnippetRow } from './snippet-store.ts'
import { type Texts, textAt, textsBuilder } from './texts.ts'

/** A row without the number of its page and its place there. */
export type AnalysedChunk = Omit<SnippetRow, 'page' | 'id' | 'vector' | 'copy'>

/** The chunks of one page, as bytes that pass between threads without being copied. */
export type PackedChunks = {
  hashes: string[]
  tokens: Int32Array<ArrayBuffer>
  /** 1 for a chunk with code. */
  hasCode: Uint8Array<ArrayBuffer>
  codeChars: CodeChars
  /** The reasons of flagged chunks. */
  flags: string[]
  /** Index of the first heading of each chunk among the headings of all chunks, then the number of headings. */
  breadcrumbs: Int32Array<ArrayBuffer>
  /** The JSON of every chunk without its terms, then all terms, all addresses, all paths of pages, and all headings. */
  texts: Texts
}

/** A row as it is in JSON. `wordVector` is base64. */
export type PlainRow<Row> = Omit<Row, 'terms' | 'vector' | 'wordVector'> & { wordVector?: string }

const texts = textsBuilder()

export function packChunks(chunks: AnalysedChunk[]): PackedChunks {
  const breadcrumbs = new Int32Array(chunks.length + 1)
  chunks.forEach(({ breadcrumb }, i) => {
    breadcrumbs[i + 1] = (breadcrumbs[i] as number) + breadcrumb.length
  })
  for (const chunk of chunks) texts.add(JSON.stringify(plain(chunk)))
  for (const { terms } of chunks) texts.add(terms)
  for (const { url } of chunks) texts.add(url)
  for (const chunk of chunks) texts.add(pagePathOf(chunk))
  for (const { breadcrumb } of chunks) for (const heading of breadcrumb) texts.add(heading)
  return {
    hashes: chunks.map(({ hash }) => hash),
    tokens: Int32Array.from(chunks, ({ tokens }) => tokens),
    hasCode: Uint8Array.from(chunks, ({ code }) => (code.length > 0 ? 1 : 0)),
    flags: chunks.flatMap(({ flag }) => flag?.reason ?? []),
    codeChars: codeChars(chunks.flatMap(({ code }) => code)),
    breadcrumbs,
    texts: texts.take(),
  }
}

/** The buffers to transfer, so that chunks pass to another thread without being copied. */
export const chunkBuffers = ({ texts: { starts, bytes } }: PackedChunks): ArrayBuffer[] => [starts.buffer, bytes.buffer]

/** The hash and address of each chunk, and the path of its page. */
export const sectionsOf = ({ hashes, texts }: PackedChunks): PageSection[] =>
  hashes.map((hash, i) => ({
    hash,
    url: textAt(texts, 2 * hashes.length + i),
    pagePath: textAt(texts, 3 * hashes.length + i),
  }))

/** Chunks with their texts. */
export const unpackChunks = ({ hashes: { length }, texts }: PackedChunks): AnalysedChunk[] =>
  Array.from({ length }, (_, i) => fromPlain<AnalysedChunk>(JSON.parse(textAt(texts, i)), textAt(texts, length + i)))

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
