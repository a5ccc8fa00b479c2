import { Stack } from '@mantine/core'
import { EmptyState } from '../empty-state.tsx'
import { AnswerColumn, type AnswerSource } from './answer-column.tsx'
import styles from './playground.module.css'
import type { PlaygroundSearch } from './playground-search.ts'
import { QuestionForm, type UseLibraryIds } from './question-form.tsx'

type PlaygroundProps = AnswerSource & {
  search: PlaygroundSearch
  change: (changes: Partial<PlaygroundSearch>) => void
  /** Without it, the libraries cannot be chosen here. */
  useLibraryIds?: UseLibraryIds
}

/** The question, and its answers with one setting or two. */
export const Playground = ({ search, change, useLibraryIds, ...source }: PlaygroundProps) => (
  <Stack gap="lg">
    <QuestionForm
      key={JSON.stringify([search.libraries, search.question])}
      search={search}
      ask={change}
      {...(useLibraryIds && { useLibraryIds })}
    />
    {isAsked(search) ? (
      <div className={styles.columns} data-two={search.b !== undefined || undefined}>
        <AnswerColumn
          search={search}
          setting={search.a}
          change={(a) => change({ a })}
          show={(view) => change({ view })}
          {...source}
        />
        {search.b && (
          <AnswerColumn
            search={search}
            setting={search.b}
            change={(b) => change({ b })}
            show={(view) => change({ view })}
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
