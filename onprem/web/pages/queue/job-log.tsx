import { Button, Text } from '@mantine/core'
import { useQueries } from '@tanstack/react-query'
import { useVirtualizer } from '@tanstack/react-virtual'
import { ArrowDown } from 'lucide-react'
import { useEffect, useRef, useState } from 'react'
import { ErrorState } from '../../../../shared/web/error-state.tsx'
import { countOf } from '../../../../shared/web/format.ts'
import { isUnfinished, type Job, jobLogQuery, logPageLines } from '../../api/job-queries.ts'
import styles from './queue.module.css'

const lineHeight = 20
const maxHeight = 320
/** A reader who is this near to the end follows the log. */
const nearEndPx = 40
const clock = new Intl.DateTimeFormat(undefined, { timeStyle: 'medium' })

/** The log of a job, of any length: only the visible lines are drawn, and only their pages are loaded. It follows unless the reader scrolls up. */
export function JobLog({ job }: { job: Job }) {
  const { id, logLines: total } = job
  const isRunning = isUnfinished(job)
  const box = useRef<HTMLDivElement>(null)
  const [isFollowing, setIsFollowing] = useState(true)
  const lines = useVirtualizer({
    count: total,
    getScrollElement: () => box.current,
    estimateSize: () => lineHeight,
    overscan: 20,
  })
  const shown = lines.getVirtualItems()
  const pages = pagesOf(shown.at(0)?.index, shown.at(-1)?.index, total)
  const loaded = useQueries({ queries: pages.map((page) => jobLogQuery(id, page)) })
  const byPage = new Map(pages.map((page, at) => [page, loaded[at]?.data?.lines]))
  const failed = loaded.find(({ error }) => error)

  // biome-ignore lint/correctness/useExhaustiveDependencies: a page that could not be loaded is asked for again with the next lines, not at once
  useEffect(() => {
    for (const page of loaded) if (page.isRefetchError) void page.refetch()
  }, [total])
  useEffect(() => {
    for (const page of loaded)
      if (page.isSuccess && !page.isFetching && page.data.total < total && isPart(page.data)) void page.refetch()
  }, [loaded, total])
  useEffect(() => {
    if (isFollowing && total > 0) lines.scrollToIndex(total - 1, { align: 'end' })
  }, [isFollowing, total, lines])

  const noteScroll = () => {
    const { scrollHeight = 0, scrollTop = 0, clientHeight = 0 } = box.current ?? {}
    setIsFollowing(scrollHeight - scrollTop - clientHeight < nearEndPx)
  }
  if (failed?.error && !failed.data)
    return <ErrorState error={failed.error} what="The log cannot be loaded" retry={() => void failed.refetch()} />
  if (total === 0)
    return (
      <Text size="sm" c="dimmed">
        {isRunning ? 'The log begins when the job starts.' : 'The log is empty.'}
      </Text>
    )
  return (
    <div className={styles.logFrame}>
      <div
        ref={box}
        style={{ height: Math.min(maxHeight, lines.getTotalSize() + 18) }}
        className={styles.log}
        role="log"
        aria-live="off"
        aria-label={`Log of job ${id}`}
        // biome-ignore lint/a11y/noNoninteractiveTabindex: the keyboard must be able to scroll it
        tabIndex={0}
        onScroll={noteScroll}
      >
        <div className={styles.logLines} style={{ height: lines.getTotalSize() }}>
          {shown.map(({ index, start }) => {
            const line = byPage.get(Math.floor(index / logPageLines))?.[index % logPageLines]
            return (
              <div
                key={index}
                ref={lines.measureElement}
                data-index={index}
                className={styles.logLine}
                style={{ transform: `translateY(${start}px)` }}
              >
                {line && <time dateTime={line.at}>{clock.format(new Date(line.at))}</time>}
                <bdi>{line?.line ?? '…'}</bdi>
              </div>
            )
          })}
        </div>
      </div>
      <Text size="xs" c="dimmed" mt={4}>
        {countOf(total, 'line')}
        {isRunning && (isFollowing ? ', following' : ', not following')}
      </Text>
      {!isFollowing && (
        <Button
          className={styles.toEnd}
          variant="default"
          size="xs"
          leftSection={<ArrowDown size={14} aria-hidden />}
          onClick={() => setIsFollowing(true)}
        >
          {isRunning ? 'Follow' : 'To the end'}
        </Button>
      )}
    </div>
  )
}

const isPart = ({ lines }: { lines: readonly unknown[] }): boolean => lines.length < logPageLines

/** The pages of the visible lines, which are the last ones before the first are drawn. */
function pagesOf(first: number | undefined, last: number | undefined, total: number): number[] {
  const pageOf = (index: number) => Math.floor(Math.min(index, total - 1) / logPageLines)
  return total === 0 ? [] : [...new Set([pageOf(first ?? total), pageOf(last ?? total)])]
}
