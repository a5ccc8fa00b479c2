import { Button, MultiSelect, TextInput } from '@mantine/core'
import { useDebouncedValue } from '@mantine/hooks'
import { type FormEvent, useState } from 'react'
import styles from './playground.module.css'
import { maxLibraries, type PlaygroundSearch } from './playground-search.ts'

const maxQuestion = 500

/** A hook that returns the ids of the first libraries whose names match, and of their versions. */
export type UseLibraryIds = (name: string) => readonly string[]

type QuestionFormProps = {
  search: PlaygroundSearch
  ask: (changes: Pick<PlaygroundSearch, 'libraries' | 'question'>) => void
  useLibraryIds?: UseLibraryIds
}

export function QuestionForm({ search, ask, useLibraryIds }: QuestionFormProps) {
  const [libraries, setLibraries] = useState(search.libraries)
  const [question, setQuestion] = useState(search.question)
  const isComplete = libraries.length > 0 && question.trim() !== ''
  const submit = (event: FormEvent) => {
    event.preventDefault()
    if (isComplete) ask({ libraries, question: question.trim() })
  }
  return (
    <form onSubmit={submit} className={styles.form}>
      {useLibraryIds && <LibrariesSelect value={libraries} onChange={setLibraries} useLibraryIds={useLibraryIds} />}
      <TextInput
        className={styles.question}
        label="Question"
        placeholder="How do I read a cookie?"
        maxLength={maxQuestion}
        value={question}
        onChange={(event) => setQuestion(event.currentTarget.value)}
        data-autofocus
      />
      <Button type="submit" disabled={!isComplete}>
        Ask
      </Button>
    </form>
  )
}

type LibrariesSelectProps = { value: string[]; onChange: (ids: string[]) => void; useLibraryIds: UseLibraryIds }

/** Searches the libraries on the server, and offers their versions too. */
function LibrariesSelect({ value, onChange, useLibraryIds }: LibrariesSelectProps) {
  const [text, setText] = useState('')
  const [name] = useDebouncedValue(text.replace(/[@ ].*$/, ''), 200)
  const ids = useLibraryIds(name)
  return (
    <MultiSelect
      className={styles.libraries}
      classNames={{ inputField: styles.search ?? '' }}
      label="Libraries"
      placeholder={value.length === 0 ? 'Choose libraries' : ''}
      searchable
      hidePickedOptions
      maxValues={maxLibraries}
      data={[...new Set([...value, ...ids])]}
      value={value}
      searchValue={text}
      onSearchChange={setText}
      onChange={onChange}
      filter={({ options, search }) =>
        options.filter((option) => 'value' in option && option.value.toLowerCase().includes(search.trim().toLowerCase()))
      }
      nothingFoundMessage="No library matches"
    />
  )
}
