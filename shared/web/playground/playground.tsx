import { Stack, Text } from '@mantine/core'
import { EmptyState } from '../empty-state.tsx'
import { AnswerColumn, type AnswerSource, librariesOf, type UseAnswer } from './answer-column.tsx'
import { compareAnswers, summaryOf } from './compare-answers.ts'
import styles from './playground.module.css'
import type { PlaygroundSearch } from './playground-search.ts'
import { QuestionForm } from './question-form.tsx'

type PlaygroundProps = AnswerSource & {
  search: PlaygroundSearch
  change: (changes: Partial<PlaygroundSearch>) => void
}

/** The question, and its answers with one setting or two. */
export const Playground = ({ search, change, useLibraryIds, ...source }: PlaygroundProps) => (
  <Stack gap="lg">
    <QuestionForm search={search} ask={change} useLibraryIds={useLibraryIds} />
    {isAsked(search) ? (
      <div className={styles.columns} data-two={search.b !== undefined || undefined}>
        <Differences search={search} useAnswer={source.useAnswer} />
        <AnswerColumn
          search={search}
          setting={search.a}
          other={search.b}
          change={({ library: _, ...a }) => change({ a })}
          show={(view) => change({ view })}
          useLibraryIds={useLibraryIds}
          {...source}
        />
        {search.b && (
          <AnswerColumn
            search={search}
            setting={search.b}
            other={search.a}
            change={(b) => change({ b })}
            show={(view) => change({ view })}
            useLibraryIds={useLibraryIds}
            {...source}
          />
        )}
      </div>
    ) : (
      <EmptyState picture="desk" title="No question yet">
        {useLibraryIds ? 'Choose a library and ask' : 'Ask'} how to do something, in the words that you would use with an agent.
      </EmptyState>
    )}
  </Stack>
)

export const isAsked = ({ libraries, question }: PlaygroundSearch): boolean => libraries.length > 0 && question !== ''

/** How many snippets two compared answers share. */
function Differences({ search, useAnswer }: { search: PlaygroundSearch; useAnswer: UseAnswer }) {
  const { a, b = a, question } = search
  const [first = '', ...more] = librariesOf(search, a)
  const [second = '', ...others] = librariesOf(search, b)
  const { data: one } = useAnswer({ library: first, question }, a)
  const { data: two } = useAnswer({ library: second, question }, b)
  if (!search.b || more.length + others.length > 0) return null
  return (
    <Text size="sm" fw={500} role="status" className={styles.differences}>
      {one && two && summaryOf(compareAnswers(one.snippets, two.snippets), two.snippets.length)}
    </Text>
  )
}
