import { UnstyledButton } from '@mantine/core'
import { useVirtualizer } from '@tanstack/react-virtual'
import { useRef } from 'react'
import { formatCount } from '../format.ts'
import styles from './content.module.css'

/** A page of a library, with the numbers of its snippets and their tokens. */
export type LibraryPage = { path: string; title: string; snippets: number; tokens: number }

type PageTreeProps = { pages: readonly LibraryPage[]; chosen: string | undefined; choose: (path: string) => void }
type Row = { folder: string } | { page: LibraryPage }

const rowHeight = 30

/** Pages under their folders. Only the visible rows are drawn. */
export function PageTree({ pages, chosen, choose }: PageTreeProps) {
  const rows = rowsOf(pages)
  const scroller = useRef<HTMLDivElement>(null)
  const virtual = useVirtualizer({
    count: rows.length,
    getScrollElement: () => scroller.current,
    estimateSize: () => rowHeight,
    overscan: 12,
  })
  return (
    <nav ref={scroller} className={styles.tree} aria-label="Pages">
      <div className={styles.rows} style={{ height: virtual.getTotalSize() }}>
        {virtual.getVirtualItems().map(({ index, start }) => {
          const row = rows[index]
          if (!row) return null
          return (
            <div key={index} className={styles.row} style={{ transform: `translateY(${start}px)` }}>
              {'folder' in row ? (
                <span className={styles.folder}>
                  <bdi>{row.folder}</bdi>
                </span>
              ) : (
                <UnstyledButton
                  className={styles.page}
                  aria-current={row.page.path === chosen ? 'page' : undefined}
                  title={row.page.path}
                  onClick={() => choose(row.page.path)}
                >
                  <bdi className={styles.title}>{row.page.title || nameOf(row.page.path)}</bdi>
                  <span className={styles.count}>{formatCount(row.page.snippets)}</span>
                </UnstyledButton>
              )}
            </div>
          )
        })}
      </div>
    </nav>
  )
}

function rowsOf(pages: readonly LibraryPage[]): Row[] {
  const byFolder = Map.groupBy(pages, ({ path }) => folderOf(path))
  if (byFolder.size === 1) return pages.map((page) => ({ page }))
  return [...byFolder]
    .toSorted(([a], [b]) => (a < b ? -1 : 1))
    .flatMap(([folder, inside]) => [...(folder === '' ? [] : [{ folder }]), ...inside.map((page) => ({ page }))])
}

const folderOf = (path: string): string => path.slice(0, path.lastIndexOf('/') + 1)
const nameOf = (path: string): string => path.slice(path.lastIndexOf('/') + 1)
