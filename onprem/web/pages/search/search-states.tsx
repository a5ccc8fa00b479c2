import { EmptyState } from '../../../../shared/web/empty-state.tsx'

export const NothingSearched = () => (
  <EmptyState picture="search" title="Search in all libraries">
    Words find libraries by name, pages and headings by title, and passages by text. The last word may be unfinished.
  </EmptyState>
)

/** `library` is the only one that was searched, or empty. */
export const NothingFound = ({ library }: { library: string }) => (
  <EmptyState picture="search" title={library === '' ? 'Nothing has these words' : `Nothing in ${library} has these words`}>
    All words must be in the same passage, so fewer words find more.
  </EmptyState>
)
