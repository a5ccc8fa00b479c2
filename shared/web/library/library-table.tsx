import { Checkbox, Table, Text, UnstyledButton } from '@mantine/core'
import { ArrowDown, ArrowUp } from 'lucide-react'
import { type ReactNode, useRef } from 'react'
import { countOf, formatCount, formatShort } from '../format.ts'
import { moveFocus } from '../move-focus.ts'
import { useShortcut } from '../shortcuts.ts'
import { SkeletonRows } from '../skeleton-rows.tsx'
import { TimeAgo } from '../time-ago.tsx'
import { DayBars } from '../usage/day-bars.tsx'
import { LibraryBadges } from './library-badges.tsx'
import styles from './library-table.module.css'

/** `link` is the title with a link that has `data-row`; it covers the row. `language` is that of most code. */
export type ListedLibrary = {
  id: string
  link: ReactNode
  badges: readonly string[]
  hasContent: boolean
  versions?: readonly string[]
  totalSnippets: number
  totalTokens: number
  language?: string | undefined
  tags?: readonly string[]
  lastUpdateDate: string
  state: ReactNode
}

export type SortColumn = 'title' | 'snippets' | 'tokens' | 'updated'
export type TableSort = { column: SortColumn; isDescending: boolean }

/** The order of the rows, and a function that changes it. */
type Sorting = { sort: TableSort; change: (sort: TableSort) => void }

/** The ids of the chosen rows, and a function that replaces them. */
type Choice = { chosen: ReadonlySet<string>; change: (chosen: ReadonlySet<string>) => void }

/** The requests per day of each library, by its id, and the first day. */
type RecentUse = { from: string; requests: ReadonlyMap<string, readonly number[]> }

type LibraryTableProps = {
  /** Undefined while they are loaded. */
  libraries: readonly ListedLibrary[] | undefined
  isBusy: boolean
  /** The heading above the badges. Without it, the few libraries that have badges show them next to their title. */
  badgesTitle?: string
  /** Whether there is a column of languages. */
  hasLanguages?: boolean
  /** Without it, the heads are no buttons. */
  sorting?: Sorting
  /** Without it, there are no check boxes. */
  choice?: Choice
  /** Without it, there is no column of use. */
  use?: RecentUse | undefined
}

/** The versions whose names a tooltip has. */
const maxNamed = 20

/** A list of libraries. The keys j and k move the focus between them. */
export function LibraryTable({ libraries, isBusy, badgesTitle, hasLanguages, sorting, choice, use }: LibraryTableProps) {
  const table = useRef<HTMLTableSectionElement>(null)
  useShortcut('next', () => moveFocus(table.current, 1))
  useShortcut('previous', () => moveFocus(table.current, -1))
  return (
    <Table>
      <Table.Thead>
        <Table.Tr>
          {choice && <ChooseAll ids={libraries?.map(({ id }) => id) ?? []} choice={choice} />}
          <Head column="title" sorting={sorting}>
            Library
          </Head>
          {badgesTitle !== undefined && <Table.Th className={styles.wide}>{badgesTitle}</Table.Th>}
          <Table.Th className={`${styles.number} ${styles.versions}`}>Versions</Table.Th>
          {hasLanguages && <Table.Th className={styles.language}>Language</Table.Th>}
          <Head column="snippets" sorting={sorting} className={`${styles.number} ${styles.snippets}`}>
            Snippets
          </Head>
          <Head column="tokens" sorting={sorting} className={`${styles.number} ${styles.wide}`}>
            Size
          </Head>
          {use && <Table.Th className={styles.use}>Requests, 30 days</Table.Th>}
          <Head column="updated" sorting={sorting} className={styles.wide}>
            Updated
          </Head>
          <Table.Th>State</Table.Th>
        </Table.Tr>
      </Table.Thead>
      <Table.Tbody ref={table} aria-busy={isBusy}>
        {libraries ? (
          libraries.map((library) => <Row key={library.id} {...{ library, badgesTitle, hasLanguages, choice, use }} />)
        ) : (
          <SkeletonRows rows={6} columns={9} />
        )}
      </Table.Tbody>
    </Table>
  )
}

type HeadProps = { column: SortColumn; sorting: Sorting | undefined; className?: string | undefined; children: string }

/** The head of a column that sorts the table: names from A, figures and dates from the highest. */
function Head({ column, sorting, className, children }: HeadProps) {
  if (!sorting) return <Table.Th className={className}>{children}</Table.Th>
  const { column: sorted, isDescending } = sorting.sort
  const isSorted = sorted === column
  const next = isSorted ? !isDescending : column !== 'title'
  const Arrow = isDescending ? ArrowDown : ArrowUp
  return (
    <Table.Th className={className} aria-sort={isSorted ? (isDescending ? 'descending' : 'ascending') : undefined}>
      <UnstyledButton className={styles.head} onClick={() => sorting.change({ column, isDescending: next })}>
        {children}
        {isSorted && <Arrow size={13} aria-hidden />}
      </UnstyledButton>
    </Table.Th>
  )
}

function ChooseAll({ ids, choice: { chosen, change } }: { ids: readonly string[]; choice: Choice }) {
  const count = ids.filter((id) => chosen.has(id)).length
  const isAll = ids.length > 0 && count === ids.length
  return (
    <Table.Th className={styles.choice}>
      <Checkbox
        aria-label="Choose all libraries of this page"
        checked={isAll}
        indeterminate={count > 0 && !isAll}
        onChange={() => change(new Set(isAll ? [] : ids))}
      />
    </Table.Th>
  )
}

type RowProps = Pick<LibraryTableProps, 'badgesTitle' | 'hasLanguages' | 'choice' | 'use'> & { library: ListedLibrary }

const Row = ({ library, badgesTitle, hasLanguages, choice, use }: RowProps) => (
  <Table.Tr className={styles.row} data-chosen={choice?.chosen.has(library.id) || undefined}>
    {choice && (
      <Table.Td className={styles.choice}>
        <Checkbox
          aria-label={`Choose ${library.id.slice(1)}`}
          checked={choice.chosen.has(library.id)}
          onChange={() => choice.change(toggled(choice.chosen, library.id))}
        />
      </Table.Td>
    )}
    <Table.Td className={styles.name}>
      <span className={styles.title}>
        {library.link}
        {badgesTitle === undefined && library.badges.length > 0 && <LibraryBadges badges={library.badges} />}
        <Tags tags={library.tags ?? []} />
      </span>
      <Text size="xs" c="dimmed" ff="monospace">
        <bdi>{library.id.slice(1)}</bdi>
      </Text>
    </Table.Td>
    {badgesTitle !== undefined && (
      <Table.Td className={styles.wide}>
        <LibraryBadges badges={library.badges} />
      </Table.Td>
    )}
    <Table.Td className={`${styles.number} ${styles.versions}`} title={library.versions?.slice(0, maxNamed).join(', ')}>
      {library.versions?.length ? formatCount(library.versions.length) : '–'}
    </Table.Td>
    {hasLanguages && <Table.Td className={styles.language}>{library.language ?? '–'}</Table.Td>}
    <Table.Td className={`${styles.number} ${styles.snippets}`}>
      {library.hasContent ? formatCount(library.totalSnippets) : '–'}
    </Table.Td>
    <Table.Td
      className={`${styles.number} ${styles.wide}`}
      title={library.hasContent ? countOf(library.totalTokens, 'token') : undefined}
    >
      {library.hasContent ? `${formatShort(library.totalTokens)} tokens` : '–'}
    </Table.Td>
    {use && (
      <Table.Td className={styles.use}>
        <Use from={use.from} requests={use.requests.get(library.id) ?? []} />
      </Table.Td>
    )}
    <Table.Td className={`${styles.age} ${styles.wide}`}>
      <TimeAgo time={library.lastUpdateDate} />
    </Table.Td>
    <Table.Td className={styles.state}>{library.state}</Table.Td>
  </Table.Tr>
)

/** Words by which people group the libraries. */
const Tags = ({ tags }: { tags: readonly string[] }) =>
  tags.map((tag) => (
    <bdi key={tag} className={styles.tag}>
      {tag}
    </bdi>
  ))

function Use({ from, requests }: { from: string; requests: readonly number[] }) {
  const total = requests.reduce((sum, count) => sum + count, 0)
  if (total === 0) return '–'
  return <DayBars from={from} counts={requests} label={`${formatCount(total)} requests in 30 days`} />
}

const toggled = (chosen: ReadonlySet<string>, id: string): ReadonlySet<string> =>
  chosen.has(id) ? new Set([...chosen].filter((each) => each !== id)) : new Set([...chosen, id])
