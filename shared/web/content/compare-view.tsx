import { Skeleton, Stack, Text } from '@mantine/core'
import { ApiError } from '../api/api-error.ts'
import { ErrorState } from '../error-state.tsx'
import { countOf } from '../format.ts'
import { TextLink } from '../link-button.tsx'
import styles from './compare.module.css'
import { ComparedText } from './compared-text.tsx'
import content from './content.module.css'
import { otherPage } from './neighbours.tsx'
import type { UseChanges, UsePage } from './shown-content.ts'
import { useWholePage } from './use-whole-page.ts'

type CompareViewProps = {
  library: string
  from: string
  to: string
  /** The names of both for people. */
  names: { from: string; to: string }
  /** The chosen page; empty for the first that differs. */
  page: string
  usePage: UsePage
  useChanges: UseChanges
}

const words = { added: 'Added', removed: 'Removed', changed: 'Changed' }

/** The pages that differ between two versions on the left, the differences of the chosen one on the right. */
export function CompareView({ library, from, to, names, page, usePage, useChanges }: CompareViewProps) {
  const list = useChanges({ library, from, to })
  if (list.isLoadingError)
    return <ErrorState error={list.error} what="The versions cannot be compared" retry={() => void list.refetch()} />
  if (!list.data) return <Skeleton height={320} />
  const { changes, added, removed, changed, unchanged } = list.data
  const path = page || changes[0]?.path
  return (
    <div className={content.content}>
      <Stack gap="xs" className={content.pages}>
        <Text size="xs" c="dimmed">
          {names.from} → {names.to}: {countOf(changed, 'page')} changed, {added} added, {removed} removed, {unchanged} unchanged
        </Text>
        <nav className={styles.changes} aria-label="Changed pages">
          {changes.map((each) => (
            <TextLink
              key={`${each.change} ${each.path}`}
              to="."
              search={otherPage(each.path)}
              hash=""
              underline="never"
              className={content.page}
              aria-current={each.path === path ? 'page' : undefined}
              title={each.path}
            >
              <bdi className={content.title}>{each.title || each.path}</bdi>
              <span className={styles.mark} data-change={each.change}>
                {words[each.change]}
              </span>
            </TextLink>
          ))}
        </nav>
        {added + removed + changed > changes.length && (
          <Text size="xs" c="dimmed">
            The first {countOf(changes.length, 'page')} of {countOf(added + removed + changed, 'page')}.
          </Text>
        )}
      </Stack>
      {path === undefined ? (
        <Text size="sm" c="dimmed">
          No page differs between these versions.
        </Text>
      ) : (
        <ComparedPage key={path} {...{ library, from, to, path, usePage, names }} />
      )}
    </div>
  )
}

type ComparedPageProps = Pick<CompareViewProps, 'library' | 'from' | 'to' | 'names' | 'usePage'> & { path: string }

function ComparedPage({ library, from, to, path, usePage, names }: ComparedPageProps) {
  const older = useWholePage(usePage, { library, version: from, path })
  const newer = useWholePage(usePage, { library, version: to, path })
  const sides = [older, newer]
  const failed = sides.find(({ parts }) => parts.isLoadingError && !isMissing(parts.error))
  if (failed?.parts.error)
    return <ErrorState error={failed.parts.error} what="The page cannot be loaded" retry={() => void failed.parts.refetch()} />
  if (sides.every(({ parts }) => isMissing(parts.error)))
    return (
      <Text size="sm" c="dimmed">
        Neither version has the page <bdi>{path}</bdi>.
      </Text>
    )
  if (!sides.every(({ isRead, parts }) => isRead || isMissing(parts.error))) return <Skeleton height={480} />
  return (
    <ComparedText
      path={path}
      title={(newer.page ?? older.page)?.title || path}
      names={names}
      older={older.parts.data?.pages ?? none}
      newer={newer.parts.data?.pages ?? none}
      isPartial={older.hasRest || newer.hasRest}
    />
  )
}

const none: never[] = []
const isMissing = (error: Error | null): boolean => error instanceof ApiError && error.status === 404
