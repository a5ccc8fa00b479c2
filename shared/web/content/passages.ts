import { shortened } from '../../text/excerpt.ts'
import { headingAnchor } from '../../text/heading-anchor.ts'

export type ReadSnippet = {
  id: string
  title: string
  /** `[page title … heading]`. */
  breadcrumb: readonly string[]
  /** Markdown without the headings above it. */
  content: string
  kind: 'code' | 'info'
  url: string
  tokens: number
  /** Present if it may hold instructions aimed at agents. */
  flag?: { reason: string; concealed?: boolean | undefined } | undefined
}

/** A heading of a page. `level` is 1 for its title. `within` is the heading above, if others of the page have the same text. */
export type Heading = { anchor: string; text: string; level: number; within?: string }

/** A snippet with the headings that the one before it does not have. */
export type Passage = { headings: Heading[]; snippet: ReadSnippet }

/**
 * The snippets of a page as one text. Anchors depend on the headings alone, so that an address keeps its meaning when other text changes: a
 * repeated heading has `-1`, `-2`, … behind its anchor.
 */
export function passagesOf(snippets: readonly ReadSnippet[]): Passage[] {
  const unique = uniqueAnchors()
  let above: readonly string[] = []
  const passages = snippets.map((snippet) => {
    const breadcrumb = snippet.breadcrumb.filter((text) => text.trim() !== '')
    const differing = breadcrumb.findIndex((text, i) => text !== above[i])
    const added = differing < 0 ? [] : breadcrumb.slice(differing)
    above = breadcrumb
    const headings = added.map((text, i) => {
      const within = breadcrumb[differing + i - 1]
      return {
        anchor: unique(text),
        text: shortened(text, maxHeadingLength),
        level: differing + i + 1,
        ...(within !== undefined && { within: shortened(within, maxHeadingLength) }),
      }
    })
    return { headings, snippet }
  })
  return withoutNeedless(passages)
}

/** The chunker cuts headings at this length, but those of bundles may be longer. */
const maxHeadingLength = 299

/** The heading that the fragment of an address means: an anchor of the page, or words of a heading. */
export function headingAt(headings: readonly Heading[], fragment: string): Heading | undefined {
  if (fragment === '') return undefined
  const anchor = headingAnchor(fragment)
  return headings.find((heading) => heading.anchor === fragment) ?? headings.find((heading) => heading.anchor === anchor)
}

function uniqueAnchors(): (text: string) => string {
  const used = new Map<string, number>()
  return (text) => {
    const anchor = headingAnchor(text) || 'section'
    let count = used.get(anchor) ?? 0
    let name = count === 0 ? anchor : `${anchor}-${count}`
    while (count > 0 && used.has(name)) name = `${anchor}-${++count}`
    used.set(anchor, count + 1)
    if (name !== anchor) used.set(name, 1)
    return name
  }
}

/** Keeps `within` only of headings whose text is repeated. */
function withoutNeedless(passages: Passage[]): Passage[] {
  const counts = new Map<string, number>()
  for (const { headings } of passages) for (const { text } of headings) counts.set(text, (counts.get(text) ?? 0) + 1)
  for (const { headings } of passages)
    for (const heading of headings) if ((counts.get(heading.text) ?? 0) < 2 || heading.level < 3) delete heading.within
  return passages
}
