import { Anchor } from '@mantine/core'
import { CopyButton } from '../../../../shared/web/copy-button.tsx'
import { countOf } from '../../../../shared/web/format.ts'
import { CheckedLine } from '../../../../shared/web/library/checked-line.tsx'
import { LibraryBadges } from '../../../../shared/web/library/library-badges.tsx'
import { TimeAgo } from '../../../../shared/web/time-ago.tsx'
import type { LibraryDetails } from '../../api/library-query.ts'
import { LibraryState, type ShownJob } from '../libraries/library-state.tsx'
import { badgesOf } from '../libraries/listed-library.tsx'
import styles from './library-page.module.css'

/** The facts below the title. */
export const LibraryFacts = ({ library, job }: { library: LibraryDetails; job: ShownJob | undefined }) => (
  <div className={styles.facts}>
    <span className={styles.id}>
      <bdi>{library.id}</bdi> <CopyButton value={library.id} label="the id" />
    </span>
    <LibraryBadges badges={badgesOf(library)} />
    <LibraryState library={library} job={job} />
    {library.state === 'finalized' && (
      <span>
        {countOf(library.totalSnippets, 'snippet')}
        {library.codeSnippets !== undefined && ` (${countOf(library.codeSnippets, 'with code', 'with code')})`},{' '}
        {countOf(library.totalTokens, 'token')}
      </span>
    )}
    <span>
      Updated <TimeAgo time={library.lastUpdateDate} />
    </span>
    {!library.imported && library.state === 'finalized' && <CheckedLine {...library} />}
    {library.stars >= 0 && <span>{countOf(library.stars, 'star')}</span>}
    {library.license !== undefined && <span>License {library.license}</span>}
    {library.repository?.archived && <span>Archived by its owner</span>}
    {library.movedTo !== undefined && (
      <span>
        Moved to <bdi>{library.movedTo}</bdi>
      </span>
    )}
    {library.repository?.unavailable !== undefined && (
      <span title={library.repository.unavailable}>Its host does not show the repository any more. The content stays.</span>
    )}
    {library.unanswered !== undefined && library.unanswered.total > 0 && (
      <span title="Questions that nothing in the library matched. Their text is not stored.">
        {countOf(library.unanswered.total, 'question')} without an answer
      </span>
    )}
    {/^https?:/.test(library.sourceUrl) && (
      <Anchor size="sm" href={library.sourceUrl} target="_blank" rel="noreferrer noopener nofollow">
        <bdi>{library.sourceUrl}</bdi>
      </Anchor>
    )}
    {library.commit !== '' && <span className={styles.id}>commit {library.commit.slice(0, 10)}</span>}
  </div>
)
