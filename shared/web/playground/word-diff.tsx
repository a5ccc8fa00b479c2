import { diffWordsWithSpace } from 'diff'
import styles from './playground.module.css'

const maxDiffMs = 200

/** The text of a snippet with the words that differ from another text. Long texts without a common part are shown as they are. */
export function WordDiff({ from, to }: { from: string; to: string }) {
  const parts = diffWordsWithSpace(from, to, { timeout: maxDiffMs })
  if (!parts) return <pre className={styles.loading}>{to}</pre>
  return (
    <pre className={styles.loading} dir="auto">
      {parts.map(({ value, added, removed }, i) => {
        const Part = added ? 'ins' : removed ? 'del' : 'span'
        // The parts have no other identity than their position.
        // biome-ignore lint/suspicious/noArrayIndexKey: parts are never moved
        return <Part key={i}>{value}</Part>
      })}
    </pre>
  )
}
