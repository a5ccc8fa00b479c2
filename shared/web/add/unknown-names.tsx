import { List, Text } from '@mantine/core'
import { countOf, formatCount } from '../format.ts'
import type { RecognizedSources } from './pasted.ts'

const maxShown = 200

/** The advice for a name without a repository is the same for all. */
const hasNoRepository = ({ problem }: { problem: string }): boolean => problem.startsWith('No repository of')

/** The names without a known repository, with what can be done instead. */
export function UnknownNames({ unknown }: Pick<RecognizedSources, 'unknown'>) {
  if (unknown.length === 0) return null
  const shown = unknown.slice(0, maxShown)
  return (
    <details open={unknown.length <= 5}>
      <summary>
        <Text span size="sm">
          {countOf(unknown.length, 'name has', 'names have')} no known repository
        </Text>
      </summary>
      <List size="sm" mt="xs" style={{ overflowWrap: 'anywhere' }}>
        {shown.map(({ name, problem, suggestion }) => (
          <List.Item key={`${name} ${problem}`}>
            <bdi>{name}</bdi>
            {!hasNoRepository({ problem }) && <>: {problem}</>}
            {suggestion !== null && !problem.includes(suggestion) && ` Did you mean ${suggestion}?`}
          </List.Item>
        ))}
        {unknown.length > maxShown && <List.Item>and {formatCount(unknown.length - maxShown)} more</List.Item>}
      </List>
      {unknown.some(hasNoRepository) && (
        <Text size="sm" c="dimmed" mt="xs">
          To add one, start over and paste the address of the repository that its documentation is in.
        </Text>
      )}
    </details>
  )
}
