import { Checkbox, Table, Text } from '@mantine/core'
import { TextLink } from '../../../../shared/web/link-button.tsx'
import styles from './add-page.module.css'
import type { RecognizedRepository } from './recognized-query.ts'
import type { AddResult } from './use-add-many.ts'

const maxNames = 3

type RecognizedTableProps = {
  repositories: readonly RecognizedRepository[]
  /** Ids of the libraries to add. */
  chosen: ReadonlySet<string>
  onChoose: (chosen: ReadonlySet<string>) => void
  results: ReadonlyMap<string, AddResult>
  isBusy: boolean
}

/** One row per repository. Only those that are not here can be chosen. */
export function RecognizedTable({ repositories, chosen, onChoose, results, isBusy }: RecognizedTableProps) {
  const absent = repositories.filter(({ state }) => state === 'absent').map(({ libraryId }) => libraryId)
  const hasVersions = repositories.some(({ version }) => version !== null)
  const all = absent.filter((id) => chosen.has(id))
  const toggle = (id: string) => onChoose(new Set(chosen.has(id) ? [...chosen].filter((each) => each !== id) : [...chosen, id]))
  return (
    <Table className={styles.recognized}>
      <Table.Thead>
        <Table.Tr>
          <Table.Th className={styles.check}>
            <Checkbox
              aria-label="All libraries"
              checked={absent.length > 0 && all.length === absent.length}
              indeterminate={all.length > 0 && all.length < absent.length}
              disabled={isBusy || absent.length === 0}
              onChange={() => onChoose(new Set(all.length === absent.length ? [] : absent))}
            />
          </Table.Th>
          <Table.Th>Library</Table.Th>
          <Table.Th className={styles.wide}>Named as</Table.Th>
          {hasVersions && <Table.Th className={styles.wide}>Version</Table.Th>}
          <Table.Th className={styles.result}>State</Table.Th>
        </Table.Tr>
      </Table.Thead>
      <Table.Tbody>
        {repositories.map((repository) => (
          <Row
            key={repository.libraryId}
            repository={repository}
            isChosen={chosen.has(repository.libraryId)}
            onToggle={() => toggle(repository.libraryId)}
            result={results.get(repository.libraryId)}
            isBusy={isBusy}
            hasVersions={hasVersions}
          />
        ))}
      </Table.Tbody>
    </Table>
  )
}

type RowProps = {
  repository: RecognizedRepository
  isChosen: boolean
  onToggle: () => void
  result: AddResult | undefined
  isBusy: boolean
  hasVersions: boolean
}

function Row({ repository, isChosen, onToggle, result, isBusy, hasVersions }: RowProps) {
  const { libraryId, title, folders, names, version, state } = repository
  const isNew = state === 'absent' && result !== 'queued'
  return (
    <Table.Tr>
      <Table.Td>
        <Checkbox
          aria-label={`Add ${libraryId.slice(1)}`}
          checked={isNew && isChosen}
          disabled={!isNew || isBusy}
          onChange={onToggle}
        />
      </Table.Td>
      <Table.Td>
        <bdi>{title ?? libraryId.slice(1)}</bdi>
        <Text size="xs" c="dimmed" ff="monospace">
          <bdi>{[title !== null && libraryId.slice(1), ...folders].filter(Boolean).join(' · ')}</bdi>
        </Text>
      </Table.Td>
      <Table.Td className={styles.wide}>
        <bdi>{names.slice(0, maxNames).join(', ')}</bdi>
        {names.length > maxNames && ` and ${names.length - maxNames} more`}
      </Table.Td>
      {hasVersions && <Table.Td className={styles.wide}>{version ?? '–'}</Table.Td>}
      <Table.Td>
        <State repository={repository} result={result} />
      </Table.Td>
    </Table.Tr>
  )
}

function State({ repository: { libraryId, state }, result }: Pick<RowProps, 'repository' | 'result'>) {
  if (typeof result === 'object')
    return (
      <Text size="sm" c="var(--bad)">
        {result.problem}
      </Text>
    )
  if (result === 'queued' || state === 'queued') return 'Queued'
  if (state === 'absent') return 'New'
  return (
    <TextLink to="/libraries/$" params={{ _splat: libraryId.slice(1) }} size="sm" td="underline">
      Here already
    </TextLink>
  )
}
