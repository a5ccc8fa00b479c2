import { Stack, Text } from '@mantine/core'
import { EmptyState } from '../empty-state.tsx'
import { AnswerColumn, librariesOf } from './answer-column.tsx'
import { compareAnswers, summaryOf } from './compare-answers.ts'
import styles from './playground.module.css'
import { isAsked, type PlaygroundSearch } from './playground-search.ts'
import type { PlaygroundSource, UseAnswer } from './playground-source.ts'
import { QuestionForm } from './question-form.tsx'

type PlaygroundProps = PlaygroundSource & {
  search: PlaygroundSearch
  change: (changes: Partial<PlaygroundSearch>) => void
}

/** The question, and its answers with one setting or two. */
export const Playground = ({ search, change, choosesLibraries, ...source }: PlaygroundProps) => (
  <Stack gap="lg">
    <QuestionForm search={search} ask={change} useLibraryIds={source.useLibraryIds} choosesLibraries={choosesLibraries} />
    {isAsked(search) ? (
      <div className={styles.columns} data-two={search.b !== undefined || undefined}>
        <Differences search={search} useAnswer={source.useAnswer} />
        <AnswerColumn
          search={search}
          setting={search.a}
          other={search.b}
          change={({ library: _, ...a }) => change({ a })}
          show={(view) => change({ view })}
          {...source}
        />
        {search.b && (
          <AnswerColumn
            search={search}
            setting={search.b}
            other={search.a}
            isSecond
            change={(b) => change({ b })}
            show={(view) => change({ view })}
            {...source}
          />
        )}
      </div>
    ) : (
      <EmptyState picture="desk" title="No question yet">
        {choosesLibraries ? 'Choose a library and ask' : 'Ask'} how to do something, in the words that you would use with an
        agent.
      </EmptyState>
    )}
  </Stack>
)

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
