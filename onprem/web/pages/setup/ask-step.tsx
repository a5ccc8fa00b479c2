import { Button, Group, Skeleton, Stack, Text, TextInput } from '@mantine/core'
import { useQuery, useQueryClient } from '@tanstack/react-query'
import { useEffect, useState } from 'react'
import { ErrorState } from '../../../../shared/web/error-state.tsx'
import { TextLink } from '../../../../shared/web/link-button.tsx'
import { defaultSetting } from '../../../../shared/web/playground/playground-search.ts'
import { RankedSnippets } from '../../../../shared/web/playground/ranked-snippets.tsx'
import { activeJobsQuery, libraryListQuery } from '../../api/library-query.ts'
import { LibraryState } from '../libraries/library-state.tsx'
import { contextQuery } from '../playground/context-query.ts'
import { FailedLibrary } from './failed-library.tsx'
import styles from './setup-page.module.css'

const newest = { sort: 'updated', order: 'desc', pageSize: '20' } as const
const maxSnippets = 3

/** Asks the newest library that is ready, and shows the first passages of the answer. */
export function AskStep() {
  const libraries = useQuery(libraryListQuery(newest))
  const { data: active = {} } = useQuery(activeJobsQuery)
  if (!libraries.data) return <Skeleton height={160} />
  const ready = libraries.data.projects.find(({ state }) => state === 'finalized')
  if (ready) return <AskLibrary id={ready.id} title={ready.title} />
  const [first] = libraries.data.projects
  if (!first)
    return (
      <Text size="sm">
        There is no library to ask yet.{' '}
        <TextLink to="/setup" search={{ step: 'library' }} td="underline">
          Add your first library
        </TextLink>
      </Text>
    )
  if (first.state === 'error' && !active[first.id])
    return (
      <Stack gap="sm">
        <Text size="sm">
          <bdi>{first.title}</bdi> could not be added, so there is nothing to ask yet.{' '}
          <TextLink to="/setup" search={{ step: 'library' }} td="underline">
            Add another library
          </TextLink>
        </Text>
        <FailedLibrary library={first} />
      </Stack>
    )
  return (
    <Stack gap="xs">
      <Text size="sm">
        Carrel still reads <bdi>{first.title}</bdi>. This page goes on when it is ready.
      </Text>
      <LibraryState library={first} job={active[first.id]} />
    </Stack>
  )
}

function AskLibrary({ id, title }: { id: string; title: string }) {
  const [question, setQuestion] = useState('')
  const [asked, setAsked] = useState('')
  const queryClient = useQueryClient()
  const answer = useQuery({ ...contextQuery({ library: id, question: asked }, defaultSetting), enabled: asked !== '' })
  useEffect(() => {
    if (answer.data) void queryClient.invalidateQueries({ queryKey: ['setup'] })
  }, [answer.data, queryClient])
  return (
    <Stack gap="md">
      <form
        onSubmit={(event) => {
          event.preventDefault()
          setAsked(question.trim())
        }}
      >
        <Group align="end" gap="sm" className={styles.ask}>
          <TextInput
            label={`A question to ${title}`}
            placeholder="How do I read a header?"
            required
            autoFocus
            value={question}
            onChange={(event) => setQuestion(event.currentTarget.value)}
          />
          <Button type="submit" variant={answer.data ? 'default' : 'filled'} loading={answer.isFetching}>
            Ask
          </Button>
        </Group>
      </form>
      <div aria-live="polite">
        {answer.error && <ErrorState error={answer.error} retry={() => void answer.refetch()} />}
        {answer.data && <RankedSnippets snippets={answer.data.snippets.slice(0, maxSnippets)} />}
      </div>
    </Stack>
  )
}
