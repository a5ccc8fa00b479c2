import { Anchor } from '@mantine/core'
import { CopyButton } from '../../../../shared/web/copy-button.tsx'
import { countOf } from '../../../../shared/web/format.ts'
import { CheckedLine } from '../../../../shared/web/library/checked-line.tsx'
import { LibraryBadges } from '../../../../shared/web/library/library-badges.tsx'
import { TimeAgo } from '../../../../shared/web/time-ago.tsx'
import type { LibraryDetails } from '../../api/library-queries.ts'
import { libraryBadges } from '../libraries/library-badges.ts'
import { LibraryState } from '../libraries/library-state.tsx'
import styles from './library-page.module.css'

/** The facts below the title. */
export const LibraryFacts = ({ library }: { library: LibraryDetails }) => (
  <div className={styles.facts}>
    <span className={styles.id}>
      <bdi>{library.id}</bdi> <CopyButton value={library.id} label="the id" />
    </span>
    <LibraryBadges badges={libraryBadges(library)} />
    <LibraryState library={{ ...library, lastCheckedAt: undefined, checkError: undefined }} />
    {library.state === 'finalized' && (
      <>
        <span>
          {countOf(library.totalSnippets, 'snippet')}, {countOf(library.totalTokens, 'token')}
        </span>
        <span>
          Updated <TimeAgo time={library.lastUpdateDate} />
        </span>
        <CheckedLine {...library} />
      </>
    )}
    {/^https?:/.test(library.sourceUrl) && (
      <Anchor size="sm" href={library.sourceUrl} target="_blank" rel="noreferrer noopener nofollow">
        <bdi>{library.sourceUrl}</bdi>
      </Anchor>
    )}
  </div>
)
