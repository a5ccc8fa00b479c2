import { Button, MultiSelect, Text, TextInput } from '@mantine/core'
import { type FormEvent, useId, useRef, useState } from 'react'
import { formatCount } from '../format.ts'
import { lastLibraries, rememberLibraries } from './last-libraries.ts'
import styles from './playground.module.css'
import { allLibraries, maxLibraries, maxQuestion, type PlaygroundSearch } from './playground-search.ts'
import type { PlaygroundSource, UseLibraryIds } from './playground-source.ts'
import { useFirstMatch, useLibraryMatches } from './use-first-match.ts'

type QuestionFormProps = Pick<PlaygroundSource, 'useLibraryIds' | 'choosesLibraries'> & {
  search: PlaygroundSearch
  ask: (changes: Pick<PlaygroundSearch, 'libraries' | 'question'>) => void
}

/** Keep it mounted when the address changes, so that the focus stays in the question. */
export function QuestionForm({ search, ask, useLibraryIds, choosesLibraries }: QuestionFormProps) {
  const [draft, setDraft] = useState({ asked: search, libraries: chosenIn(search), question: search.question })
  if (draft.asked.question !== search.question || draft.asked.libraries.join() !== search.libraries.join())
    setDraft({ asked: search, libraries: chosenIn(search), question: search.question })
  const suggested = useSuggested(useLibraryIds)
  const libraries = draft.libraries ?? suggested
  const field = useRef<HTMLInputElement>(null)
  const reasonId = useId()
  const reason = reasonNotToAsk(libraries, draft.question)
  const submit = (event: FormEvent) => {
    event.preventDefault()
    if (reason !== undefined) return
    if (choosesLibraries) rememberLibraries(libraries)
    ask({ libraries, question: draft.question.trim() })
    field.current?.focus()
  }
  return (
    <form onSubmit={submit}>
      <div className={styles.form}>
        {choosesLibraries && (
          <LibrariesSelect
            value={libraries}
            onChange={(ids) => setDraft({ ...draft, libraries: ids })}
            onEnter={() => field.current?.focus()}
            useLibraryIds={useLibraryIds}
          />
        )}
        <TextInput
          ref={field}
          className={styles.question}
          label="Question"
          placeholder="How do I read a cookie?"
          value={draft.question}
          onChange={(event) => setDraft({ ...draft, question: event.currentTarget.value })}
          data-autofocus
        />
        <Button type="submit" disabled={reason !== undefined} aria-describedby={reasonId}>
          Ask
        </Button>
      </div>
      <Text id={reasonId} size="xs" c="dimmed" mt={6} className={styles.reason}>
        {reason}
      </Text>
    </form>
  )
}

const chosenIn = ({ libraries }: PlaygroundSearch) => (libraries.length > 0 ? libraries : undefined)

function reasonNotToAsk(libraries: readonly string[], question: string): string | undefined {
  const length = question.trim().length
  if (libraries.length === 0) return 'Choose a library to ask.'
  if (length === 0) return 'Write a question to ask.'
  if (length > maxQuestion) return `A question has at most ${maxQuestion} characters. This one has ${formatCount(length)}.`
  return undefined
}

/** The libraries of the last question if they still exist, else the only library. */
function useSuggested(useLibraryIds: UseLibraryIds): string[] {
  const [last] = useState(lastLibraries)
  const { ids: all, isLoading } = useLibraryIds('')
  const named = useLibraryIds(last[0]?.replace(/@.*$/, '') ?? '')
  if (isLoading || named.isLoading) return []
  const existing = new Set([allLibraries, ...all, ...named.ids])
  const remembered = last.filter((id) => existing.has(id))
  if (remembered.length > 0) return remembered
  const unpinned = all.filter((id) => !id.includes('@'))
  return unpinned.length === 1 ? unpinned : []
}

type LibrariesSelectProps = {
  value: string[]
  onChange: (ids: string[]) => void
  /** Called after a library was chosen with the keyboard. */
  onEnter: () => void
  useLibraryIds: UseLibraryIds
}

/** Searches the libraries on the server, and offers their versions too. */
function LibrariesSelect({ value, onChange, onEnter, useLibraryIds }: LibrariesSelectProps) {
  const [text, setText] = useState('')
  const { ids, isSettled, nothingFoundMessage } = useLibraryMatches(text, useLibraryIds)
  const { onKeyDown, selectFirstOptionOnChange } = useFirstMatch(text, isSettled)
  const isEntered = useRef(false)
  const choose = (chosen: string[]) => {
    onChange(chosen.at(-1) === allLibraries ? [allLibraries] : chosen.filter((id) => id !== allLibraries))
    if (isEntered.current && chosen.length > value.length) onEnter()
  }
  return (
    <MultiSelect
      className={styles.libraries}
      classNames={{ inputField: styles.search ?? '' }}
      label="Libraries"
      placeholder={value.length === 0 ? 'Choose libraries' : ''}
      searchable
      selectFirstOptionOnChange={selectFirstOptionOnChange}
      hidePickedOptions
      maxValues={maxLibraries}
      data={[...new Set([...value, ...ids, allLibraries])].map((id) => ({
        value: id,
        label: id === allLibraries ? 'All libraries' : id,
      }))}
      value={value}
      searchValue={text}
      onSearchChange={setText}
      onChange={choose}
      onKeyDown={(event) => {
        isEntered.current = event.key === 'Enter'
        onKeyDown(event)
      }}
      onPointerDown={() => {
        isEntered.current = false
      }}
      filter={({ options, search }) =>
        options.filter((option) => 'value' in option && option.label.toLowerCase().includes(search.trim().toLowerCase()))
      }
      nothingFoundMessage={nothingFoundMessage}
    />
  )
}
