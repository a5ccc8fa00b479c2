import { align, type Header, type LibraryCounts } from './statistics.ts'
import { sortWords } from './word-list.ts'

/** The statistics as bytes for `readStatistics`, in a separate buffer. Takes seconds for a million terms, mostly for sorting. */
export function packStatistics({ chunks, lengths, topics, postings, copies, ...counts }: LibraryCounts): Uint8Array<ArrayBuffer> {
  const [terms, words] = [sortWords(counts.terms), sortWords(counts.words)]
  const rank = new Uint32Array(terms.order.length)
  terms.order.forEach((id, at) => {
    rank[id] = at
  })
  const header = {
    chunks,
    averageLengths: lengths.map((each) => each / Math.max(1, chunks)),
    topics: [...topics]
      .sort((a, b) => b[1] - a[1] || (a[0] < b[0] ? -1 : 1))
      .slice(0, 20)
      .map(([topic]) => topic),
    addresses: copies.addresses,
    ...(counts.docsLanguages.length > 0 && { docsLanguages: counts.docsLanguages }),
  }
  return pack(header, [
    terms.bytes,
    terms.starts,
    terms.order.map((id) => counts.frequencies[id] as number),
    ...byTerm(postings, rank),
    words.bytes,
    words.starts,
    words.order.map((id) => counts.wordFrequencies[id] as number),
    counts.pageLengths,
    counts.pageKinds,
    counts.wordVectorSum.map((each) => each / Math.max(1, chunks)),
    copies.marks,
    copies.starts,
    copies.places,
    counts.pageLanguages,
  ])
}

function byTerm(postings: LibraryCounts['postings'], rank: Uint32Array): [Uint32Array, Uint32Array, Float32Array] {
  const starts = new Uint32Array(rank.length + 1)
  for (const term of postings.terms) {
    const at = (rank[term] as number) + 1
    starts[at] = (starts[at] as number) + 1
  }
  for (let i = 1; i < starts.length; i++) starts[i] = (starts[i] as number) + (starts[i - 1] as number)
  const next = starts.slice()
  const pages = new Uint32Array(postings.terms.length)
  const weights = new Float32Array(postings.terms.length)
  postings.terms.forEach((term, i) => {
    const place = rank[term] as number
    const at = next[place] as number
    next[place] = at + 1
    pages[at] = postings.pages[i] as number
    weights[at] = postings.weights[i] as number
  })
  return [starts, pages, weights]
}

function pack(
  header: Omit<Header, 'sections'>,
  arrays: (Uint8Array | Uint32Array | Float32Array | Float64Array)[],
): Uint8Array<ArrayBuffer> {
  const head = Buffer.from(JSON.stringify({ ...header, sections: arrays.map((each) => each.byteLength) }))
  let end = align(4 + head.length)
  const bytes = new Uint8Array(end + arrays.reduce((sum, each) => sum + align(each.byteLength), 0))
  Buffer.from(bytes.buffer).writeUInt32LE(head.length)
  bytes.set(head, 4)
  for (const array of arrays) {
    bytes.set(new Uint8Array(array.buffer, array.byteOffset, array.byteLength), end)
    end += align(array.byteLength)
  }
  return bytes
}
