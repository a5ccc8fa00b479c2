import type { Snippet } from '../../snippet.ts'
import { addressAtLines, addressOfPage, addressWithoutLine, lineOfAddress } from '../../text/file-of-address.ts'

/** A section with the path of its page, which may include its text from another file. */
export type PageSection = Pick<Snippet, 'hash' | 'url'> & { pagePath: string }

/** The pages of equal sections, in the order of pages. Place `i` is page and line in one number, from `placeOf`. */
export type Copies = {
  /** The marks of the hashes of these sections, sorted. */
  marks: Float64Array
  /** Index in `places` of the first place of each, then the number of places. */
  starts: Uint32Array
  places: Float64Array
  /** The addresses of the pages in `places`. */
  addresses: [page: number, address: string][]
}

/** Bounds memory: sections beyond this number are never recognised as equal. */
const maxMarks = 1_000_000
/** Further pages with the same section are not named. */
const maxPlaces = 10
const maxLine = 2 ** 20 - 1

const markOf = (hash: string): number => Number.parseInt(hash.slice(0, 13), 16)
const placeOf = (page: number, url: string): number => page * (maxLine + 1) + Math.min(maxLine, lineOfAddress(url) ?? 0)
const pageOf = (place: number): number => Math.floor(place / (maxLine + 1))

/** Records where the sections of a library are. Add pages in their order. */
export function copiesBuilder() {
  const firsts = new Map<number, number>()
  const all = new Map<number, number[]>()
  const addresses: string[] = []
  return {
    add(page: number, sections: PageSection[]): void {
      const [first] = sections
      const address = first ? addressOfPage(addressWithoutLine(first.url), first.pagePath) : ''
      addresses[page] = address
      for (const { hash, url } of sections) {
        const isOwn = addressWithoutLine(url) === address
        const [mark, place] = [markOf(hash), placeOf(page, isOwn ? url : '')]
        const before = firsts.get(mark)
        if (before === undefined) {
          if (firsts.size < maxMarks) firsts.set(mark, place)
          continue
        }
        const places = all.get(mark) ?? [before]
        if (pageOf(places.at(-1) as number) === page || places.length === maxPlaces) continue
        places.push(place)
        all.set(mark, places)
      }
    },
    /** True if an earlier page has the section. */
    isCopy(page: number, hash: string): boolean {
      const place = firsts.get(markOf(hash))
      return place !== undefined && pageOf(place) < page
    },
    total(): Copies {
      const sorted = [...all].sort(([a], [b]) => a - b)
      const starts = new Uint32Array(sorted.length + 1)
      for (const [i, [, places]] of sorted.entries()) starts[i + 1] = (starts[i] as number) + places.length
      const pages = new Set(sorted.flatMap(([, places]) => places.map(pageOf)))
      return {
        marks: Float64Array.from(sorted, ([mark]) => mark),
        starts,
        places: Float64Array.from(sorted.flatMap(([, places]) => places)),
        addresses: [...pages].sort((a, b) => a - b).map((page) => [page, addresses[page] ?? '']),
      }
    },
  }
}

/** Finds the addresses of the pages that have a section, without those of `page`. */
export function copiesReader({ marks, starts, places, addresses }: Copies): (hash: string, page: number) => string[] {
  const addressOf = new Map(addresses)
  return (hash, page) => {
    const at = indexOf(marks, markOf(hash))
    if (at < 0) return []
    const others = [...places.subarray(starts[at], starts[at + 1])].filter((place) => pageOf(place) !== page)
    return others.map((place) => {
      const line = place % (maxLine + 1)
      return addressAtLines(addressOf.get(pageOf(place)) ?? '', line > 0 ? { first: line } : undefined)
    })
  }
}

/** Binary search. */
function indexOf(sorted: Float64Array, wanted: number): number {
  let [low, high] = [0, sorted.length - 1]
  while (low <= high) {
    const middle = (low + high) >> 1
    const value = sorted[middle] as number
    if (value === wanted) return middle
    if (value < wanted) low = middle + 1
    else high = middle - 1
  }
  return -1
}
