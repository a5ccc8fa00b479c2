import { useQuery } from '@tanstack/react-query'
import { useNavigate, useSearch } from '@tanstack/react-router'
import { answerOf } from '../../../../shared/web/api/answer-of.ts'
import { pageMeta } from '../../../../shared/web/api/page-meta.ts'
import { Page } from '../../../../shared/web/page.tsx'
import { CompareButton } from '../../../../shared/web/playground/compare-button.tsx'
import { Playground } from '../../../../shared/web/playground/playground.tsx'
import { isAsked, type PlaygroundSearch } from '../../../../shared/web/playground/playground-search.ts'
import type { UseAnswer, UseLibraryIds } from '../../../../shared/web/playground/playground-source.ts'
import type { Rating } from '../../../../shared/web/playground/rate-answer.tsx'
import { api } from '../../api/api.ts'
import { libraryListQuery } from '../../api/library-query.ts'
import { healthQuery } from '../../api/queries.ts'
import { contextQuery } from './context-query.ts'

const listed = '50'

/** Asks libraries and shows what an agent would get, and why. */
export function PlaygroundPage() {
  const search = useSearch({ from: '/signed-in/frame/playground' })
  const navigate = useNavigate({ from: '/playground' })
  const { data: health } = useQuery(healthQuery)
  const change = (changes: Partial<PlaygroundSearch>) => void navigate({ search: (before) => ({ ...before, ...changes }) })
  return (
    <Page
      title="Playground"
      facts="Ask one library or several, and see exactly what an agent gets."
      action={isAsked(search) && <CompareButton {...search} change={change} />}
    >
      <Playground
        search={search}
        change={change}
        useAnswer={useAnswer}
        useLibraryIds={useLibraryIds}
        choosesLibraries
        rate={health?.feedback ? sendRating : undefined}
        server={new URL(pageMeta('base'), location.origin).href.replace(/\/$/, '')}
      />
    </Page>
  )
}

const sendRating = (json: Rating) => answerOf(api.v2.feedback.$post({ json }))

const useAnswer: UseAnswer = (asked, setting) => useQuery(contextQuery(asked, setting))

const useLibraryIds: UseLibraryIds = (name) => {
  const { data, isPlaceholderData } = useQuery(libraryListQuery({ q: name || undefined, pageSize: listed, sort: 'title' }))
  const ids = data?.projects
    .filter(({ state }) => state === 'finalized')
    .flatMap(({ id, versions }) => [id, ...versions.map((version) => `${id}@${version}`)])
  return { ids: ids ?? [], isLoading: !data || isPlaceholderData }
}
