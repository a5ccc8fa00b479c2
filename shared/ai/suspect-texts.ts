import { createHash } from 'node:crypto'
import { LRUCache } from 'lru-cache'

/**
 * Texts that were being sent when a provider went down. One that crashes its provider can only be found over several runs of a job: in each, the
 * suspects are sent in batches of half the size.
 */
export type SuspectTexts = {
  /** The maximum number of texts in a batch with this one. Undefined if the text is no suspect. */
  maxTexts(text: string): number | undefined
  /** The provider went down during a request with these texts. */
  add(texts: string[]): void
  /** A request with these texts has passed. */
  clear(texts: string[]): void
  /** True for an hour after the provider went down several times when the text was sent alone. */
  isCrash(text: string): boolean
}

const minCrashes = 3
const crashMs = 60 * 60_000
const maxSuspects = 10_000

/** The suspects of each vector space, shared by all runs of a process: what one model cannot read, another may. */
export type SuspectsOf = (space: string) => SuspectTexts

export function suspectTexts(now = () => Date.now()): SuspectsOf {
  const suspects = new LRUCache<string, { maxTexts: number; crashes: number; sinceMs: number }>({ max: maxSuspects })
  return (space) => {
    const keyOf = (text: string): string => createHash('sha256').update(`${space}\n${text}`).digest('base64')
    const find = (text: string) => (suspects.size === 0 ? undefined : suspects.get(keyOf(text)))
    return {
      maxTexts: (text) => find(text)?.maxTexts,
      add(texts) {
        for (const text of texts) {
          const crashes = texts.length === 1 ? (find(text)?.crashes ?? 0) + 1 : 0
          suspects.set(keyOf(text), { maxTexts: Math.ceil(texts.length / 2), crashes, sinceMs: now() })
        }
      },
      clear(texts) {
        if (suspects.size > 0) for (const text of texts) suspects.delete(keyOf(text))
      },
      isCrash(text) {
        const suspect = find(text)
        return suspect !== undefined && suspect.crashes >= minCrashes && now() - suspect.sinceMs < crashMs
      },
    }
  }
}
