import { useQuery } from '@tanstack/react-query'
import type { UseAnswer } from '../../../../shared/web/playground/answer-column.tsx'
import { Playground } from '../../../../shared/web/playground/playground.tsx'
import { askQuery } from '../../api/library-queries.ts'
import { useSession } from '../../api/use-session.ts'
import type { ContentTabProps } from './content-tab.tsx'
import { NoContent } from './no-content.tsx'

/** A question to the library, and what an agent would get for it, and why. */
export function AskTab({ path, library, search, change }: ContentTabProps) {
  const { version, question, view, a } = search
  const { serviceUrl } = useSession()
  const useAnswer: UseAnswer = (asked, setting) => useQuery(askQuery(path, { question: asked.question, version }, setting))
  if (library.state !== 'finalized') return <NoContent library={library} />
  const asked = version === '' ? library.id : `${library.id}@${version}`
  return (
    <Playground
      search={{ libraries: [asked], question, view, a, b: undefined }}
      change={({ libraries: _, b: __, ...changes }) => change(changes)}
      useAnswer={useAnswer}
      server={serviceUrl}
    />
  )
}
