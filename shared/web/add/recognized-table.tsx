import { Checkbox, Table, Text } from '@mantine/core'
import type { ReactNode } from 'react'
import { MessageText } from '../message-text.tsx'
import styles from './add.module.css'
import type { RecognizedRepository } from './pasted.ts'
import type { AddResult } from './use-add-many.ts'

const maxNames = 3

/** Links a library to its page. */
export type LibraryLink = (libraryId: string, children: string) => ReactNode

type RecognizedTableProps = {
  repositories: readonly RecognizedRepository[]
  /** Ids of the libraries to add. */
  chosen: ReadonlySet<string>
  onChoose: (chosen: ReadonlySet<string>) => void
  /** Ids of the libraries to add with the version that the text gives; undefined if versions cannot be added. */
  versioned: ReadonlySet<string> | undefined
  onVersioned: (versioned: ReadonlySet<string>) => void
  results: ReadonlyMap<string, AddResult>
  isBusy: boolean
  libraryLink: LibraryLink
}

/** One row per repository. Only those that are not here can be chosen. */
export function RecognizedTable(props: RecognizedTableProps) {
  const { repositories, chosen, onChoose, versioned, onVersioned, results, isBusy, libraryLink } = props
  const absent = repositories.filter((each) => isNew(each, results.get(each.libraryId))).map(({ libraryId }) => libraryId)
  const all = absent.filter((id) => chosen.has(id))
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
          <Table.Th className={styles.result}>State</Table.Th>
        </Table.Tr>
      </Table.Thead>
      <Table.Tbody>
        {repositories.map((repository) => (
          <Row
            key={repository.libraryId}
            repository={repository}
            isChosen={chosen.has(repository.libraryId)}
            onToggle={() => onChoose(toggled(chosen, repository.libraryId))}
            isVersioned={versioned?.has(repository.libraryId)}
            onVersion={() => versioned && onVersioned(toggled(versioned, repository.libraryId))}
            result={results.get(repository.libraryId)}
            isBusy={isBusy}
            libraryLink={libraryLink}
          />
        ))}
      </Table.Tbody>
    </Table>
  )
}

const isNew = ({ state }: RecognizedRepository, result: AddResult | undefined): boolean =>
  state === 'absent' && !(result && 'done' in result)

const toggled = (ids: ReadonlySet<string>, id: string): ReadonlySet<string> =>
  ids.has(id) ? new Set([...ids].filter((each) => each !== id)) : new Set([...ids, id])

type RowProps = {
  repository: RecognizedRepository
  isChosen: boolean
  onToggle: () => void
  /** Undefined if versions cannot be added. */
  isVersioned: boolean | undefined
  onVersion: () => void
  result: AddResult | undefined
  isBusy: boolean
  libraryLink: LibraryLink
}

function Row({ repository, isChosen, onToggle, isVersioned, onVersion, result, isBusy, libraryLink }: RowProps) {
  const { libraryId, title, folders, names, version } = repository
  const canAdd = isNew(repository, result)
  return (
    <Table.Tr>
      <Table.Td>
        <Checkbox
          aria-label={`Add ${libraryId.slice(1)}`}
          checked={canAdd && isChosen}
          disabled={!canAdd || isBusy}
          onChange={onToggle}
        />
      </Table.Td>
      <Table.Td>
        <bdi>{title ?? libraryId.slice(1)}</bdi>
        <Text size="xs" c="dimmed" ff="monospace">
          <bdi>{[title !== null && libraryId.slice(1), ...folders].filter(Boolean).join(' · ')}</bdi>
        </Text>
        {canAdd && version !== null && isVersioned !== undefined && (
          <Checkbox
            size="xs"
            mt={6}
            label={<bdi>Also version {version}</bdi>}
            checked={isVersioned && isChosen}
            disabled={!isChosen || isBusy}
            onChange={onVersion}
          />
        )}
      </Table.Td>
      <Table.Td className={styles.wide}>
        <bdi>{names.slice(0, maxNames).join(', ')}</bdi>
        {names.length > maxNames && ` and ${names.length - maxNames} more`}
      </Table.Td>
      <Table.Td>
        <State repository={repository} result={result} libraryLink={libraryLink} />
      </Table.Td>
    </Table.Tr>
  )
}

function State({
  repository: { libraryId, state },
  result,
  libraryLink,
}: Pick<RowProps, 'repository' | 'result' | 'libraryLink'>) {
  if (result && 'problem' in result)
    return (
      <Text size="sm" c="var(--bad)">
        <MessageText>{result.problem}</MessageText>
      </Text>
    )
  if (result) return result.done
  if (state === 'queued') return 'Queued'
  return state === 'absent' ? 'New' : libraryLink(libraryId, 'Here already')
}
