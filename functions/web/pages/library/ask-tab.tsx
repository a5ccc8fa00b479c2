import { Group, Stack } from '@mantine/core'
import { useQuery } from '@tanstack/react-query'
import { CompareButton } from '../../../../shared/web/playground/compare-button.tsx'
import { Playground } from '../../../../shared/web/playground/playground.tsx'
import { isAsked, type PlaygroundSearch } from '../../../../shared/web/playground/playground-search.ts'
import type { UseAnswer, UseLibraryIds } from '../../../../shared/web/playground/playground-source.ts'
import { askQuery, librariesQuery } from '../../api/library-queries.ts'
import { useSession } from '../../api/use-session.ts'
import type { ContentTabProps } from './content-tab.tsx'
import { NoContent } from './no-content.tsx'

/** A question to the library, what an agent would get for it, and why; compared with a version or another library of the teamspace. */
export function AskTab({ path: { team }, library, search, change }: ContentTabProps) {
  const { version, question, view, a, b } = search
  const { serviceUrl } = useSession()
  const useAnswer: UseAnswer = (asked, setting) => useQuery(askQuery(team, asked, setting))
  const useLibraryIds: UseLibraryIds = (name) => {
    const { data, isPending } = useQuery(librariesQuery(team))
    const ids = [library, ...(data ?? [])].filter(({ state }) => state === 'finalized').flatMap(idsOf)
    return { ids: ids.filter((id) => id.includes(name.toLowerCase())), isLoading: isPending }
  }
  if (library.state !== 'finalized') return <NoContent library={library} />
  const asked: PlaygroundSearch = { libraries: [version === '' ? library.id : `${library.id}@${version}`], question, view, a, b }
  return (
    <Stack gap="md">
      {isAsked(asked) && (
        <Group justify="flex-end">
          <CompareButton a={a} b={b} change={change} />
        </Group>
      )}
      <Playground
        search={asked}
        change={({ libraries: _, ...changes }) => change(changes)}
        useAnswer={useAnswer}
        useLibraryIds={useLibraryIds}
        choosesLibraries={false}
        server={serviceUrl}
      />
    </Stack>
  )
}

const idsOf = ({ id, tags }: { id: string; tags: readonly string[] }) => [id, ...tags.map((tag) => `${id}@${tag}`)]
