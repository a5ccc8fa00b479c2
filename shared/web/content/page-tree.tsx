import { useVirtualizer } from '@tanstack/react-virtual'
import { type KeyboardEvent, useEffect, useMemo, useRef } from 'react'
import { formatCount } from '../format.ts'
import { TextLink } from '../link-button.tsx'
import styles from './content.module.css'
import { otherPage } from './neighbours.tsx'
import { folderOf, type LibraryPage, type PageLabel, pageLabels } from './page-labels.ts'

type PageTreeProps = { pages: readonly LibraryPage[]; chosen: string | undefined }
type Row = { folder: string } | { page: LibraryPage; label: PageLabel }

const rowHeight = 30

/** Pages under their folders. Only the visible rows are drawn. Arrow keys go from page to page. */
export function PageTree({ pages, chosen }: PageTreeProps) {
  const rows = useMemo(() => rowsOf(pages), [pages])
  const scroller = useRef<HTMLDivElement>(null)
  const virtual = useVirtualizer({
    count: rows.length,
    getScrollElement: () => scroller.current,
    estimateSize: () => rowHeight,
    overscan: 12,
  })
  const place = rows.findIndex((row) => 'page' in row && row.page.path === chosen)
  const { scrollToIndex } = virtual
  useEffect(() => {
    if (place >= 0) scrollToIndex(place)
  }, [place, scrollToIndex])
  return (
    <nav ref={scroller} className={styles.tree} aria-label="Pages" onKeyDown={moveFocus}>
      <div className={styles.rows} style={{ height: virtual.getTotalSize() }}>
        {virtual.getVirtualItems().map(({ index, start }) => {
          const row = rows[index]
          if (!row) return null
          return (
            <div key={index} className={styles.row} style={{ transform: `translateY(${start}px)` }}>
              {'folder' in row ? (
                <span className={styles.folder} title={row.folder}>
                  <bdi>{row.folder}</bdi>
                </span>
              ) : (
                <TextLink
                  to="."
                  search={otherPage(row.page.path)}
                  hash=""
                  underline="never"
                  className={styles.page}
                  aria-current={row.page.path === chosen ? 'page' : undefined}
                  title={row.page.path}
                >
                  <span className={styles.title}>
                    <bdi>{row.label.title}</bdi>
                    {row.label.more !== undefined && <span className={styles.more}> {row.label.more}</span>}
                  </span>
                  <span className={styles.count}>{formatCount(row.page.snippets)}</span>
                </TextLink>
              )}
            </div>
          )
        })}
      </div>
    </nav>
  )
}

/** Focuses the next or previous link of the list. */
function moveFocus(event: KeyboardEvent<HTMLElement>): void {
  const step = { ArrowDown: 1, ArrowUp: -1 }[event.key]
  if (step === undefined) return
  const links = [...event.currentTarget.querySelectorAll('a')]
  const next = links[links.indexOf(document.activeElement as HTMLAnchorElement) + step]
  if (!next) return
  event.preventDefault()
  next.focus()
}

function rowsOf(pages: readonly LibraryPage[]): Row[] {
  const labels = pageLabels(pages)
  const rowOf = (page: LibraryPage): Row => ({ page, label: labels.get(page.path) ?? { title: page.path } })
  const byFolder = Map.groupBy(pages, ({ path }) => folderOf(path))
  if (byFolder.size === 1) return pages.map(rowOf)
  return [...byFolder].flatMap(([folder, inside]) => [...(folder === '' ? [] : [{ folder }]), ...inside.map(rowOf)])
}
