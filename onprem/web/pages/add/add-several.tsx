import { Button, Group, Loader, Stack, Text, Title } from '@mantine/core'
import { useQuery } from '@tanstack/react-query'
import { useState } from 'react'
import { FormError } from '../../../../shared/web/form-error.tsx'
import { countOf, formatCount } from '../../../../shared/web/format.ts'
import { LinkButton } from '../../../../shared/web/link-button.tsx'
import { ChoosePrivate } from '../settings/choose-private.tsx'
import { type Pasted, type RecognizedSources, recognizedQuery } from './recognized-query.ts'
import { RecognizedTable } from './recognized-table.tsx'
import { UnknownNames } from './unknown-names.tsx'
import { useAddMany } from './use-add-many.ts'
import { usePrivateChoice } from './use-private-choice.ts'

/** More rows than this would need a table with pages. */
const maxRows = 500

/** The repositories of a list or file, from which one chooses. `again` returns to the empty form. */
export function AddSeveral({ pasted, again }: { pasted: Pasted; again: () => void }) {
  const { data, error } = useQuery(recognizedQuery(pasted))
  const name = pasted.fileName ?? 'Pasted text'
  return (
    <Stack gap="md">
      <Group justify="space-between" align="baseline" gap="sm">
        <Title order={2}>
          <bdi>{name}</bdi>
        </Title>
        <Button variant="default" size="xs" onClick={again}>
          Start over
        </Button>
      </Group>
      <FormError error={error} fields={[]} />
      {!data && !error && <Loader size="sm" aria-label="Recognising" />}
      {data && <Choice key={name} recognized={data} />}
    </Stack>
  )
}

function Choice({ recognized: { repositories, unknown } }: { recognized: RecognizedSources }) {
  const shown = repositories.slice(0, maxRows)
  const absent = shown.filter(({ state }) => state === 'absent')
  const [chosen, setChosen] = useState<ReadonlySet<string>>(new Set(absent.map(({ libraryId }) => libraryId)))
  const { add, results } = useAddMany()
  const { settings } = usePrivateChoice()
  const selected = absent.filter(({ libraryId }) => chosen.has(libraryId) && results.get(libraryId) !== 'queued')
  const queued = [...results.values()].filter((result) => result === 'queued').length
  return (
    <>
      <Text size="sm" c="dimmed" role="status">
        {summaryOf(repositories, unknown.length)}
        {repositories.length > maxRows && ` The first ${maxRows} are shown.`}
      </Text>
      {shown.length > 0 && (
        <RecognizedTable repositories={shown} chosen={chosen} onChoose={setChosen} results={results} isBusy={add.isPending} />
      )}
      {settings && <ChoosePrivate settings={settings} reason="Some of these repositories may be private." />}
      {absent.length > 0 && (
        <Group gap="sm">
          <Button
            disabled={selected.length === 0 || settings !== undefined}
            loading={add.isPending}
            onClick={() => add.mutate(selected)}
          >
            {selected.length === 0 ? 'Add libraries' : `Add ${countOf(selected.length, 'library', 'libraries')}`}
          </Button>
          {queued > 0 && (
            <>
              <LinkButton to="/queue" variant="default">
                Show the queue
              </LinkButton>
              <Text size="sm" role="status">
                {countOf(queued, 'library is', 'libraries are')} queued.
              </Text>
            </>
          )}
        </Group>
      )}
      <UnknownNames unknown={unknown} />
    </>
  )
}

function summaryOf(repositories: RecognizedSources['repositories'], unknown: number): string {
  const present = repositories.filter(({ state }) => state !== 'absent').length
  const parts = [
    `${countOf(repositories.length, 'repository was', 'repositories were')} recognised`,
    ...(present > 0 ? [`${formatCount(present)} of them ${present === 1 ? 'is' : 'are'} here or in the queue`] : []),
    ...(unknown > 0 ? [`${countOf(unknown, 'name has', 'names have')} no known repository`] : []),
  ]
  return `${parts.join(', ')}.`
}
