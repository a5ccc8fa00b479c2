import { Text } from '@mantine/core'
import { useDebouncedValue } from '@mantine/hooks'
import { keepPreviousData, type UseQueryOptions, useQuery } from '@tanstack/react-query'
import type { PolicyChange } from '../../policy/policy-change.ts'
import { countOf } from '../format.ts'
import { MessageText } from '../message-text.tsx'

/** What a policy lets through. `unknownSignals`: filters that some libraries pass because the value is unknown. */
export type Reach = {
  accessibleLibraryCount: number
  unknownSignals: readonly { filter: string; libraries: number }[]
}

/** What the policy would let through after a change. */
export type PreviewQuery = (change: PolicyChange) => UseQueryOptions<Reach>

type ReachedLibrariesProps = {
  stored: Reach
  /** Completes "12 libraries …". */
  words: string
  /** The changes that are not saved, if there are any. */
  change: PolicyChange | undefined
  preview: PreviewQuery | undefined
}

/** How many libraries the stored policy lets through, and how many after the changes. */
export const ReachedLibraries = ({ stored, words, change, preview }: ReachedLibrariesProps) => (
  <Text size="sm" component="div" aria-live="polite">
    {sentence(stored, words)}
    {change && preview && <ReachedAfter change={change} preview={preview} />}
  </Text>
)

const pauseMs = 300

function ReachedAfter({ change, preview }: { change: PolicyChange; preview: PreviewQuery }) {
  const [settled] = useDebouncedValue(change, pauseMs)
  const after = useQuery({ ...preview(settled), placeholderData: keepPreviousData })
  if (after.error)
    return (
      <div>
        After these changes: <MessageText>{after.error.message}</MessageText>
      </div>
    )
  return (
    <div>
      {after.data ? `After these changes: ${sentence(after.data, 'can be found.')}` : 'Counting what these changes leave …'}
    </div>
  )
}

function sentence({ accessibleLibraryCount, unknownSignals }: Reach, words: string): string {
  const unknown = unknownSignals.map(
    ({ filter, libraries }) => `${filter.split('.').at(-1)} (${countOf(libraries, 'library', 'libraries')})`,
  )
  const count = `${countOf(accessibleLibraryCount, 'library', 'libraries')} ${words}`
  return unknown.length === 0 ? count : `${count} Not filtered, because the value is unknown: ${unknown.join(', ')}.`
}
