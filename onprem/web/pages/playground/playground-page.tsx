import { Button, Stack } from '@mantine/core'
import { useNavigate, useSearch } from '@tanstack/react-router'
import { Columns2 } from 'lucide-react'
import { EmptyState } from '../../../../shared/web/empty-state.tsx'
import { Page } from '../../../../shared/web/page.tsx'
import { AnswerColumn } from './answer-column.tsx'
import styles from './playground.module.css'
import { defaultSetting, type PlaygroundSearch } from './playground-search.ts'
import { QuestionForm } from './question-form.tsx'

/** Asks libraries and shows what an agent would get, and why. */
export function PlaygroundPage() {
  const search = useSearch({ from: '/signed-in/frame/playground' })
  const navigate = useNavigate({ from: '/playground' })
  const change = (changes: Partial<PlaygroundSearch>) => void navigate({ search: (before) => ({ ...before, ...changes }) })
  const isAsked = search.libraries.length > 0 && search.question !== ''
  return (
    <Page
      title="Playground"
      facts="Ask one library or several, and see exactly what an agent gets."
      action={
        isAsked && (
          <Button
            variant="default"
            leftSection={<Columns2 size={16} aria-hidden />}
            aria-pressed={search.b !== undefined}
            onClick={() => change({ b: search.b ? undefined : { ...defaultSetting, ...search.a, fast: !search.a.fast } })}
          >
            {search.b ? 'End comparison' : 'Compare'}
          </Button>
        )
      }
    >
      <Stack gap="lg">
        <QuestionForm key={JSON.stringify([search.libraries, search.question])} search={search} ask={change} />
        {isAsked ? (
          <div className={styles.columns} data-two={search.b !== undefined || undefined}>
            <AnswerColumn search={search} setting={search.a} change={(a) => change({ a })} show={(view) => change({ view })} />
            {search.b && (
              <AnswerColumn search={search} setting={search.b} change={(b) => change({ b })} show={(view) => change({ view })} />
            )}
          </div>
        ) : (
          <EmptyState title="No question yet">
            Choose a library and ask how to do something, in the words that you would use with an agent.
          </EmptyState>
        )}
      </Stack>
    </Page>
  )
}
