import type { PageCopy } from './page-copies.ts'
import type { PageFacts } from './page-facts.ts'

/** Less text is not the text of a page, unless a navigation is around it. */
const minTextChars = 200
const minTexts = 6
const equalShare = 0.9

/** True for a page that leaves its text to scripts: its HTML has almost none. */
export const isEmptyShell = ({ kind, facts }: Pick<PageCopy, 'kind' | 'facts'>): boolean =>
  kind === 'html' && facts.needsScript && facts.textChars < minTextChars && facts.keys.length + facts.asideKeys.length < minTexts

/** The share of the texts of a page that another page has, too. 0 for a page without texts. */
export function sharedTexts({ keys }: Pick<PageFacts, 'keys'>, other: ReadonlySet<number>): number {
  if (keys.length === 0) return 0
  return keys.filter((key) => other.has(key)).length / keys.length
}

/** True if a site that responds to every address shows its page for missing pages. */
export const isMissing = (facts: Pick<PageFacts, 'keys'>, missing: ReadonlySet<number> | undefined): boolean =>
  missing !== undefined && sharedTexts(facts, missing) >= equalShare
