import { Table, Text } from '@mantine/core'
import { type ReactNode, useRef } from 'react'
import { formatCount } from '../format.ts'
import { useShortcut } from '../shortcuts.ts'
import { SkeletonRows } from '../skeleton-rows.tsx'
import { TimeAgo } from '../time-ago.tsx'
import { LibraryBadges } from './library-badges.tsx'
import styles from './library-table.module.css'

/** `link` is the title with a link that has `data-row`. `codeSnippets` is undefined if it is not known. */
export type ListedLibrary = {
  id: string
  link: ReactNode
  badges: readonly string[]
  hasContent: boolean
  totalSnippets: number
  codeSnippets?: number | undefined
  totalTokens: number
  lastUpdateDate: string
  state: ReactNode
}

type LibraryTableProps = {
  /** Undefined while they are loaded. */
  libraries: readonly ListedLibrary[] | undefined
  isBusy: boolean
  /** The heading above the badges. */
  badgesTitle: string
}

/** A list of libraries. The keys j and k move the focus between them. */
export function LibraryTable({ libraries, isBusy, badgesTitle }: LibraryTableProps) {
  const table = useRef<HTMLTableSectionElement>(null)
  useShortcut('next', () => moveFocus(table.current, 1))
  useShortcut('previous', () => moveFocus(table.current, -1))
  return (
    <Table highlightOnHover className={styles.table}>
      <Table.Thead>
        <Table.Tr>
          <Table.Th>Library</Table.Th>
          <Table.Th className={styles.wide}>{badgesTitle}</Table.Th>
          <Table.Th className={styles.number}>Snippets</Table.Th>
          <Table.Th className={`${styles.number} ${styles.wide}`}>Tokens</Table.Th>
          <Table.Th className={styles.wide}>Updated</Table.Th>
          <Table.Th>State</Table.Th>
        </Table.Tr>
      </Table.Thead>
      <Table.Tbody ref={table} aria-busy={isBusy}>
        {libraries ? (
          libraries.map((library) => <Row key={library.id} library={library} />)
        ) : (
          <SkeletonRows rows={6} columns={6} />
        )}
      </Table.Tbody>
    </Table>
  )
}

const Row = ({ library }: { library: ListedLibrary }) => (
  <Table.Tr>
    <Table.Td className={styles.name}>
      {library.link}
      <Text size="xs" c="dimmed" ff="monospace">
        <bdi>{library.id.slice(1)}</bdi>
      </Text>
    </Table.Td>
    <Table.Td className={styles.wide}>
      <LibraryBadges badges={library.badges} />
    </Table.Td>
    <Table.Td className={styles.number}>
      {library.hasContent ? formatCount(library.totalSnippets) : '–'}
      {library.hasContent && library.codeSnippets !== undefined && (
        <Text size="xs" c="dimmed">
          {formatCount(library.codeSnippets)} with code
        </Text>
      )}
    </Table.Td>
    <Table.Td className={`${styles.number} ${styles.wide}`}>
      {library.hasContent ? formatCount(library.totalTokens) : '–'}
    </Table.Td>
    <Table.Td className={styles.wide}>
      <TimeAgo time={library.lastUpdateDate} />
    </Table.Td>
    <Table.Td className={styles.state}>{library.state}</Table.Td>
  </Table.Tr>
)

/** Moves the focus to the next or previous row's link. */
function moveFocus(body: HTMLElement | null, by: 1 | -1): void {
  const links = [...(body?.querySelectorAll<HTMLElement>('a[data-row]') ?? [])]
  const at = links.indexOf(document.activeElement as HTMLElement)
  links[at < 0 ? 0 : Math.min(links.length - 1, Math.max(0, at + by))]?.focus()
}
