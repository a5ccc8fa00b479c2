import { readFile } from 'node:fs/promises'
import type { PageFacts } from './page-facts.ts'
import { type Segment, scanText } from './scan-html.ts'

/** Fewer pages do not show what belongs to the site and what to a page. */
const minPages = 5
const maxTexts = 200_000

/** Counts the texts of a website to find those that belong to the site: navigation, notes, footers. */
type RepeatedTexts = {
  add(facts: Pick<PageFacts, 'keys' | 'asideKeys'>): void
  /** True for a text on at least half of the pages. */
  has(key: number): boolean
}

export function repeatedTexts(): RepeatedTexts {
  const counts = new Map<number, number>()
  let pages = 0
  return {
    add({ keys, asideKeys }) {
      pages += 1
      for (const key of new Set([...keys, ...asideKeys])) {
        const count = counts.get(key) ?? 0
        if (count > 0 || counts.size < maxTexts) counts.set(key, count + 1)
      }
    },
    has: (key) => pages >= minPages && (counts.get(key) ?? 0) * 2 >= pages,
  }
}

/** The stored body of a page without the texts that belong to the site. A heading goes with the whole content below it. */
export async function ownHtml(file: string, repeated: Pick<RepeatedTexts, 'has'>): Promise<string> {
  const segments: (Segment & { isDropped: boolean })[] = []
  await scanText(await readFile(file, 'utf8'), (segment) => {
    segments.push({ ...segment, isDropped: segment.kind === 'text' && segment.mayRepeat && repeated.has(segment.key) })
  })
  let heading: (typeof segments)[number] | undefined
  let dropped = 0
  let kept = 0
  const endSection = () => {
    if (heading && dropped > 0 && kept === 0 && repeated.has(heading.key)) heading.isDropped = true
  }
  for (const segment of segments) {
    if (segment.kind === 'heading') {
      endSection()
      heading = segment
      dropped = 0
      kept = 0
    } else if (segment.kind !== 'tags') {
      if (segment.isDropped) dropped += 1
      else kept += 1
    }
  }
  endSection()
  return withoutEmptyElements(segments.filter(({ isDropped }) => !isDropped))
}

const tagsAndSpaces = /<(\/?)([a-z][a-z0-9-]*)(?:\s[^<>]*)?>|[^<]+/g
/** A table needs its empty cells, and a picture has a text. */
const neverEmpty = new Set(['td', 'th', 'img'])

/** The HTML without elements that hold nothing, such as the items of a menu whose links were dropped. */
function withoutEmptyElements(segments: Pick<Segment, 'kind' | 'html'>[]): string {
  const parts: string[] = []
  const open: { tag: string; at: number }[] = []
  /** The number of parts that hold something, or are around such a part. */
  let held = 0
  for (const { kind, html } of segments) {
    if (kind !== 'tags') {
      parts.push(html)
      held = parts.length
      continue
    }
    for (const [part, slash, tag] of html.matchAll(tagsAndSpaces)) {
      if (tag === undefined) {
        parts.push(part)
        continue
      }
      const opened = slash === '' ? -1 : open.findLastIndex((each) => each.tag === tag)
      const at = open[opened]?.at ?? -1
      if (opened >= 0) open.length = opened
      if (at >= held) {
        parts.length = at
        continue
      }
      if (slash === '') open.push({ tag, at: parts.length })
      parts.push(part)
      if (slash !== '' || neverEmpty.has(tag)) held = parts.length
    }
  }
  return parts.join('')
}
