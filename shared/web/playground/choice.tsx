import { UnstyledButton } from '@mantine/core'
import { ChevronRight } from 'lucide-react'
import { useState } from 'react'
import { countOf, formatCount, formatShare } from '../format.ts'
import styles from './playground.module.css'
import type { ShownAnswer } from './shown-answer.ts'

/** A line that opens which libraries answer together, why, and how they share the tokens. */
export function Choice({ choice: { chosenFrom, libraries } }: { choice: NonNullable<ShownAnswer['choice']> }) {
  const [isOpen, setIsOpen] = useState(false)
  return (
    <div className={styles.snippet}>
      <UnstyledButton className={styles.why} aria-expanded={isOpen} onClick={() => setIsOpen(!isOpen)}>
        <ChevronRight size={14} aria-hidden className={styles.chevron} />
        <span className={styles.whyText}>
          <b>
            {formatCount(libraries.length)} of {countOf(chosenFrom ?? libraries.length, 'library', 'libraries')}
          </b>{' '}
          · <bdi>{libraries.map(({ libraryId }) => libraryId).join(', ')}</bdi>
        </span>
      </UnstyledButton>
      {isOpen && (
        <dl className={styles.facts}>
          {libraries.map(({ libraryId, named, confidence, usedTokens, budgetTokens }) => (
            <div key={libraryId}>
              <dt>
                <bdi>{libraryId}</bdi>
              </dt>
              <dd>
                {named ? 'Named in the question' : 'Its documentation has words of the question'}
                {confidence !== undefined && `, ${formatShare(confidence)} likely to answer it`} · {formatCount(usedTokens)} of{' '}
                {formatCount(budgetTokens)} tokens
              </dd>
            </div>
          ))}
        </dl>
      )}
    </div>
  )
}
