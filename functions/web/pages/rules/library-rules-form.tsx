import { Autocomplete, Stack } from '@mantine/core'
import { useQuery } from '@tanstack/react-query'
import { useState } from 'react'
import { librariesQuery } from '../../api/library-queries.ts'
import { useTeam } from '../../api/use-team.ts'
import { RulesForm } from './rules-form.tsx'

type LibraryRulesFormProps = {
  /** Empty if it is still to be chosen. */
  library: string
  rules: Readonly<Record<string, string[]>>
  save: (library: string, rules: string[]) => Promise<unknown>
  cancel: () => void
}

/** The rules for one library, which may be any that the teamspace can see. */
export function LibraryRulesForm({ library, rules, save, cancel }: LibraryRulesFormProps) {
  const { id: team } = useTeam()
  const [chosen, setChosen] = useState(library)
  const { data } = useQuery(librariesQuery(team))
  // Rules of a library that has some are changed, not replaced unseen.
  const stored = rules[chosen.trim().toLowerCase()]
  return (
    <Stack gap="md">
      {library === '' && (
        <Autocomplete
          label="Library"
          description="Of your list, or another public one"
          placeholder="/owner/repository"
          data={(data ?? []).map(({ id }) => id).filter((id) => !(id.toLowerCase() in rules))}
          value={chosen}
          onChange={setChosen}
          data-autofocus
        />
      )}
      <RulesForm
        key={stored?.join('\n')}
        label="Rules"
        rules={stored ?? []}
        save={(written) => save(libraryNamed(chosen), written)}
        cancel={cancel}
      />
    </Stack>
  )
}

function libraryNamed(text: string): string {
  const id = text.trim()
  if (/^\/[^/\s]+\/[^/\s]+$/.test(id)) return id
  throw new Error('Name the library as /owner/repository.')
}
