import { Button, Group, Loader, Stack, Switch, Text, Title } from '@mantine/core'
import { useQuery } from '@tanstack/react-query'
import { type ReactNode, useState } from 'react'
import { FormError } from '../form-error.tsx'
import { countOf, formatCount } from '../format.ts'
import type { Pasted, RecognizedRepository, RecognizedSources, Recognizer } from './pasted.ts'
import { recognizedQuery } from './recognized-query.ts'
import { type LibraryLink, RecognizedTable } from './recognized-table.tsx'
import { UnknownNames } from './unknown-names.tsx'
import { useAddMany } from './use-add-many.ts'

/** More rows than this would need a table with pages. */
const maxRows = 500

type ChoiceProps = {
  /** Adds one repository, and its version if one is given. Returns what was done, such as `Queued`. */
  addOne: (repository: RecognizedRepository, version?: string) => Promise<string>
  /** Whether `addOne` takes versions. */
  hasVersions: boolean
  libraryLink: LibraryLink
  /** What is shown after libraries were added. */
  afterwards: ReactNode
  /** What must be chosen before anything can be added. */
  choiceFirst?: ReactNode
}

type AddSeveralProps = ChoiceProps & {
  pasted: Pasted
  recognizer: Recognizer
  /** Returns to the empty form. */
  again: () => void
}

/** The repositories of a list or file, from which one chooses. */
export function AddSeveral({ pasted, recognizer, again, ...choice }: AddSeveralProps) {
  const { data, error } = useQuery(recognizedQuery(recognizer, pasted))
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
      {data && <Choice key={name} recognized={data} {...choice} />}
    </Stack>
  )
}

function Choice({
  recognized: { repositories, unknown },
  addOne,
  hasVersions,
  libraryLink,
  afterwards,
  choiceFirst,
}: ChoiceProps & { recognized: RecognizedSources }) {
  const shown = repositories.slice(0, maxRows)
  const absent = shown.filter(({ state }) => state === 'absent')
  const [chosen, setChosen] = useState<ReadonlySet<string>>(new Set(absent.map(({ libraryId }) => libraryId)))
  const [versioned, setVersioned] = useState<ReadonlySet<string>>(new Set())
  const { add, results } = useAddMany((repository: RecognizedRepository) =>
    addOne(repository, versioned.has(repository.libraryId) ? (repository.version ?? undefined) : undefined),
  )
  const added = absent.filter(({ libraryId }) => 'done' in (results.get(libraryId) ?? {}))
  const selected = absent.filter((repository) => chosen.has(repository.libraryId) && !added.includes(repository))
  return (
    <>
      <Text size="sm" c="dimmed" role="status">
        {summaryOf(repositories, unknown.length)}
        {repositories.length > maxRows && ` The first ${maxRows} are shown.`}
      </Text>
      {hasVersions && <AllVersions repositories={absent} versioned={versioned} onVersioned={setVersioned} />}
      {shown.length > 0 && (
        <RecognizedTable
          repositories={shown}
          chosen={chosen}
          onChoose={setChosen}
          versioned={hasVersions ? versioned : undefined}
          onVersioned={setVersioned}
          results={results}
          isBusy={add.isPending}
          libraryLink={libraryLink}
        />
      )}
      {choiceFirst}
      {absent.length > 0 && (
        <Group gap="sm">
          {added.length < absent.length && (
            <Button
              disabled={selected.length === 0 || Boolean(choiceFirst)}
              loading={add.isPending}
              onClick={() => add.mutate(selected)}
            >
              {selected.length === 0 ? 'Add libraries' : `Add ${countOf(selected.length, 'library', 'libraries')}`}
            </Button>
          )}
          {added.length > 0 && (
            <>
              {afterwards}
              <Text size="sm" role="status">
                {countOf(added.length, 'library is', 'libraries are')} added.
              </Text>
            </>
          )}
        </Group>
      )}
      <UnknownNames unknown={unknown} />
    </>
  )
}

type AllVersionsProps = {
  repositories: readonly RecognizedRepository[]
  versioned: ReadonlySet<string>
  onVersioned: (versioned: ReadonlySet<string>) => void
}

/** Chooses the versions of all repositories whose version the text gives. */
function AllVersions({ repositories, versioned, onVersioned }: AllVersionsProps) {
  const withVersion = repositories.filter(({ version }) => version !== null).map(({ libraryId }) => libraryId)
  if (withVersion.length === 0) return null
  return (
    <Switch
      label="Also add the versions that are named"
      description="Each from its tag, next to the default branch. The report of the job says so if a repository has no such tag."
      checked={withVersion.every((id) => versioned.has(id))}
      onChange={(event) => onVersioned(new Set(event.currentTarget.checked ? withVersion : []))}
    />
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
