import { Badge, Table, Text } from '@mantine/core'
import { formatCount } from '../../../../shared/web/format.ts'
import { TextLink } from '../../../../shared/web/link-button.tsx'
import { TimeAgo } from '../../../../shared/web/time-ago.tsx'
import type { LibraryItem } from '../../api/library-query.ts'
import styles from './libraries-page.module.css'
import { LibraryState, type ShownJob } from './library-state.tsx'

export function LibraryRow({ library, job }: { library: LibraryItem; job: ShownJob | undefined }) {
  const { id, title, totalSnippets, codeSnippets, totalTokens, lastUpdateDate, state } = library
  const hasContent = state === 'finalized'
  return (
    <Table.Tr>
      <Table.Td className={styles.name}>
        <TextLink data-row to="/libraries/$" params={{ _splat: id.slice(1) }} fw={500} c="var(--ink)">
          <bdi>{title}</bdi>
        </TextLink>
        <Text size="xs" c="dimmed" ff="monospace">
          <bdi>{id.slice(1)}</bdi>
        </Text>
      </Table.Td>
      <Table.Td className={styles.wide}>
        <Badges library={library} />
      </Table.Td>
      <Table.Td className={styles.number}>
        {hasContent ? (
          <>
            {formatCount(totalSnippets)}
            {codeSnippets !== undefined && (
              <Text size="xs" c="dimmed">
                {formatCount(codeSnippets)} with code
              </Text>
            )}
          </>
        ) : (
          '–'
        )}
      </Table.Td>
      <Table.Td className={`${styles.number} ${styles.wide}`}>{hasContent ? formatCount(totalTokens) : '–'}</Table.Td>
      <Table.Td className={styles.wide}>
        <TimeAgo time={lastUpdateDate} />
      </Table.Td>
      <Table.Td className={styles.state}>
        <LibraryState library={library} job={job} />
      </Table.Td>
    </Table.Tr>
  )
}

/** Badges for the origin of the content. */
export const Badges = ({ library }: { library: Pick<LibraryItem, 'imported' | 'private' | 'generated'> }) => (
  <span className={styles.badges}>
    <Badge variant="default" fw={500} tt="none">
      {library.imported ? 'Imported' : 'Parsed here'}
    </Badge>
    {library.private && (
      <Badge variant="default" fw={500} tt="none">
        Private
      </Badge>
    )}
    {library.generated && (
      <Badge variant="default" fw={500} tt="none">
        Generated
      </Badge>
    )}
  </span>
)
