import { Button } from '@mantine/core'
import { useQuery } from '@tanstack/react-query'
import { useNavigate, useSearch } from '@tanstack/react-router'
import { Columns2 } from 'lucide-react'
import { answerOf } from '../../../../shared/web/api/answer-of.ts'
import { pageMeta } from '../../../../shared/web/api/page-meta.ts'
import { Page } from '../../../../shared/web/page.tsx'
import type { UseAnswer } from '../../../../shared/web/playground/answer-column.tsx'
import { isAsked, Playground } from '../../../../shared/web/playground/playground.tsx'
import type { PlaygroundSearch } from '../../../../shared/web/playground/playground-search.ts'
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
      action={
        isAsked(search) && (
          <Button
            variant="default"
            leftSection={<Columns2 size={16} aria-hidden />}
            aria-pressed={search.b !== undefined}
            onClick={() => change({ b: search.b ? undefined : search.a })}
          >
            {search.b ? 'End comparison' : 'Compare'}
          </Button>
        )
      }
    >
      <Playground
        search={search}
        change={change}
        useAnswer={useAnswer}
        useLibraryIds={useLibraryIds}
        rate={health?.feedback ? sendRating : undefined}
        server={new URL(pageMeta('base'), location.origin).href.replace(/\/$/, '')}
      />
    </Page>
  )
}

const sendRating = (json: Rating) => answerOf(api.v2.feedback.$post({ json }))

const useAnswer: UseAnswer = (asked, setting) => useQuery(contextQuery(asked, setting))

function useLibraryIds(name: string): string[] | undefined {
  const { data } = useQuery(libraryListQuery({ q: name || undefined, pageSize: listed, sort: 'title' }))
  return data?.projects
    .filter(({ state }) => state === 'finalized')
    .flatMap(({ id, versions }) => [id, ...versions.map((version) => `${id}@${version}`)])
}
