import { Skeleton, Text } from '@mantine/core'
import { useQuery } from '@tanstack/react-query'
import { getRouteApi } from '@tanstack/react-router'
import { useRef } from 'react'
import { ErrorState } from '../../../../shared/web/error-state.tsx'
import { FilterInput } from '../../../../shared/web/filter-input.tsx'
import { TextLink } from '../../../../shared/web/link-button.tsx'
import { moveFocus } from '../../../../shared/web/move-focus.ts'
import { Page } from '../../../../shared/web/page.tsx'
import { maxSearchLength } from '../../../../shared/web/search/found.ts'
import { useShortcut } from '../../../../shared/web/shortcuts.ts'
import { foundQuery } from '../../api/use-found.ts'
import { FoundInLibrary } from './found-in-library.tsx'
import { maxLibraries, maxMatches, resultText } from './result-text.ts'
import styles from './search-page.module.css'
import { NothingFound, NothingSearched } from './search-states.tsx'

const route = getRouteApi('/signed-in/frame/search')

/** Finds libraries, pages, headings and text by words, in all libraries or in one. */
export function SearchPage() {
  const { library, ...search } = route.useSearch()
  const q = search.q.trim().slice(0, maxSearchLength)
  const navigate = route.useNavigate()
  const results = useRef<HTMLDivElement>(null)
  const change = (text: string) => void navigate({ search: { q: text.slice(0, maxSearchLength), library }, replace: true })
  useShortcut('next', () => moveFocus(results.current, 1))
  useShortcut('previous', () => moveFocus(results.current, -1))
  return (
    <Page title="Search" subject={q}>
      <FilterInput
        label={library === '' ? 'Search all libraries' : `Search ${library}`}
        placeholder="Libraries, pages, headings and text"
        value={q}
        maxWidth={760}
        hasFocus={q === ''}
        onChange={change}
        onDown={() => moveFocus(results.current, 1)}
      />
      <div ref={results} className={styles.results}>
        {q === '' ? <NothingSearched /> : <Results q={q} library={library} />}
      </div>
    </Page>
  )
}

function Results({ q, library }: { q: string; library: string }) {
  const among = library === '' ? { limit: `${maxLibraries}` } : { libraryId: library, limit: `${maxMatches}` }
  const found = useQuery(foundQuery(q, among))
  const isCurrent = found.data !== undefined && !found.isPlaceholderData
  return (
    <>
      <div className={styles.head}>
        <Text size="sm" c="dimmed" role="status">
          {isCurrent && !found.error ? resultText(found.data, library) : ''}
        </Text>
        {library !== '' && (
          <TextLink to="/search" search={{ q }} size="sm">
            Search all libraries
          </TextLink>
        )}
      </div>
      {found.error ? (
        <ErrorState error={found.error} what="The search failed" retry={() => void found.refetch()} />
      ) : !found.data ? (
        <Skeleton height={320} />
      ) : found.data.libraries.length === 0 && isCurrent ? (
        <NothingFound library={library} />
      ) : (
        <div aria-busy={!isCurrent}>
          {found.data.libraries.map((each) => (
            <FoundInLibrary key={each.id} library={each} q={q} isOnly={library !== ''} />
          ))}
        </div>
      )}
    </>
  )
}
