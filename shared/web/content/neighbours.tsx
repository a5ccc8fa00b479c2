import { useHotkeys } from '@mantine/hooks'
import { useNavigate } from '@tanstack/react-router'
import { ChevronLeft, ChevronRight } from 'lucide-react'
import { TextLink } from '../link-button.tsx'
import styles from './reader.module.css'
import type { PageLink } from './shown-content.ts'

/** The parameters of another page of the shown library, whose other parameters stay. */
export const otherPage =
  (path: string) =>
  <Search extends object>(before: Search): Search => ({ ...before, page: path })

type NeighboursProps = { previous: PageLink | undefined; next: PageLink | undefined }

/** Links to the pages before and after the shown one. The keys `[` and `]` open them. */
export function Neighbours({ previous, next }: NeighboursProps) {
  const navigate = useNavigate()
  const open = (page: PageLink | undefined) => page && void navigate({ to: '.', search: otherPage(page.path) })
  useHotkeys([
    ['[', () => open(previous)],
    [']', () => open(next)],
  ])
  if (!previous && !next) return null
  return (
    <nav className={styles.neighbours} aria-label="Previous and next">
      {previous && (
        <TextLink
          to="."
          search={otherPage(previous.path)}
          className={styles.neighbour}
          title={previous.path}
          aria-keyshortcuts="["
        >
          <ChevronLeft size={16} aria-hidden />
          <span>
            <small>Previous</small>
            <bdi>{previous.title || previous.path}</bdi>
          </span>
        </TextLink>
      )}
      {next && (
        <TextLink
          to="."
          search={otherPage(next.path)}
          className={styles.neighbour}
          data-next
          title={next.path}
          aria-keyshortcuts="]"
        >
          <span>
            <small>Next</small>
            <bdi>{next.title || next.path}</bdi>
          </span>
          <ChevronRight size={16} aria-hidden />
        </TextLink>
      )}
    </nav>
  )
}
